/** Enumerations of the program: `class Color(Enum)` whose members are literals. A member is written `<Color.RED: 1>`. */
import { type Program, perText } from '../program.js';

interface Enumeration {
  /** By name of the member: as whose it is written (two names with one value are one member), and the repr of its value. */
  readonly members: ReadonlyMap<string, { readonly name: string; readonly value: string }>;
  /** Whether members are no numbers and no texts besides. */
  readonly isPure: boolean;
}

const head =
  /^class[ \t]+([^\W\d]\w*)[ \t]*\([ \t]*((?:(?:str|int)[ \t]*,[ \t]*)?(?:enum\.)?Enum|(?:enum\.)?(?:IntEnum|StrEnum))[ \t]*\)[ \t]*:[^\n]*\n((?:[ \t]+[^\n]*\n|[ \t]*\n)*)/gmu;
const member =
  /^[ \t]+([^\W\d_]\w*)[ \t]*=[ \t]*(?:(-?(?:0|[1-9]\d*))|'([^'"\\\n]*)'|"([^'"\\\n]*)"|(?:enum\.)?(auto)\(\))[ \t]*(?:#[^\n]*)?$/u;
/** What gives members other values. */
const ownWay =
  /__(?:new|init|eq|hash|bool|getattribute|getattr|set_name|init_subclass|get)__|_(?:generate_next_value|missing|ignore)_|\bdef[ \t]+(?:name|value)\b|\b_value_\b/;

const nothing: ReadonlyMap<string, Enumeration> = new Map();

/** By name of the class, those of the module. */
const enumerationsOf = perText(({ source }): ReadonlyMap<string, Enumeration> => {
  if (!/\b(?:Int|Str)?Enum\b/.test(source)) return nothing;
  const found = new Map<string, Enumeration>();
  for (const [text, name = '', bases = '', body = ''] of `${source}\n`.matchAll(head)) {
    const isBound = new RegExp(`(?<![:.]\\s*)\\b${name}\\s*=(?!=)|\\bdef\\s+${name}\\b`).test(source);
    const isOnce = [...source.matchAll(new RegExp(`^[ \\t]*class\\s+${name}\\b`, 'gm'))].length === 1;
    const isDecorated = new RegExp(`^[ \\t]*@[^\\n]*\\n(?:[ \\t]*\\n)*class\\s+${name}\\b`, 'm').test(source);
    const kind = /\bstr\b|StrEnum/.test(bases)
      ? 'text'
      : /\bint\b|IntEnum/.test(bases)
        ? 'number'
        : undefined;
    const members =
      isBound || !isOnce || isDecorated || ownWay.test(text) ? undefined : membersOf(body, kind);
    if (members) found.set(name, { members, isPure: /^(?:enum\.)?Enum$/.test(bases) });
  }
  return found;
});

/** kind: that of all values, where members are such besides. */
function membersOf(body: string, kind: 'text' | 'number' | undefined): Enumeration['members'] | undefined {
  const members = new Map<string, { readonly name: string; readonly value: string }>();
  const indent = /^[ \t]+(?=\S)/m.exec(body)?.[0] ?? '';
  let isDocumentation = false;
  let last = 0;
  for (const line of body.split('\n')) {
    const quotes = line.match(/"""|'''/g)?.length ?? 0;
    const isInside = isDocumentation || quotes > 0;
    if (quotes % 2 === 1) isDocumentation = !isDocumentation;
    if (isInside || /^\s*(?:#.*)?$/.test(line) || /^[ \t]+(?:pass|"[^"]*"|'[^']*')\s*$/.test(line)) continue;
    // Behind its members come methods.
    if (/^[ \t]+(?:def\b|@)/.test(line) && line.startsWith(indent)) break;
    const [, name, number, single, double, auto] = member.exec(line) ?? [];
    if (name === undefined || !line.startsWith(indent) || /^\s/.test(line.slice(indent.length)))
      return undefined;
    const text = single ?? double;
    // What `auto` makes of texts differs.
    if (auto !== undefined && (Number.isNaN(last) || kind === 'text')) return undefined;
    if (kind !== undefined && (kind === 'text') !== (text !== undefined)) return undefined;
    const value = text !== undefined ? `'${text}'` : (number ?? String(last + 1));
    // CPython 3.13 goes on behind the greatest, 3.10 behind the last.
    last = text !== undefined || Number(value) < last ? Number.NaN : Number(value);
    const same = [...members.values()].find((other) => other.value === value);
    members.set(name, same ?? { name, value });
  }
  return members;
}

/** Whether a program has such enumerations. */
export const hasEnumerations = (program: Program): boolean => enumerationsOf(program).size > 0;

/** How a member is written. */
export function memberText(program: Program, owner: string, name: string): string | undefined {
  const found = enumerationsOf(program).get(owner)?.members.get(name);
  return found && `<${owner}.${found.name}: ${found.value}>`;
}

/** The member that `Color(1)` (`call`) or `Color['RED']` (`subscript`) looks up, by the repr of what is given, if there is one. */
export function memberLookedUp(
  program: Program,
  owner: string,
  kind: 'call' | 'subscript',
  given: string,
): string | undefined {
  if (kind === 'subscript') return memberText(program, owner, /^'(\w+)'$/.exec(given)?.[1] ?? '');
  const members = [...(enumerationsOf(program).get(owner)?.members.values() ?? [])];
  const found = members.find(({ value }) => value === given);
  return found && memberText(program, owner, found.name);
}

const written = /^<([^\W\d]\w*)\.(\w+): (-?\d+|'[^']*')>$/u;

/** What is written so. */
export interface Member {
  readonly owner: string;
  readonly name: string;
  /** Its repr. */
  readonly value: string;
  readonly isPure: boolean;
}

/** undefined for texts of anything else. */
export function memberOf(program: Program, text: string): Member | undefined {
  const [, owner = '', name = '', value = ''] = written.exec(text) ?? [];
  const enumeration = enumerationsOf(program).get(owner);
  return enumeration?.members.get(name)?.value === value
    ? { owner, name, value, isPure: enumeration.isPure }
    : undefined;
}
