/** Dicts of the module that are looked into by members of enumerations: `MOVES = {(State.OPEN, 'close'): State.CLOSED}`. */
import { isImmutable } from '../frozen.js';
import { type Program, perProgram } from '../program.js';
import type { Frame } from '../state.js';
import { attributeName } from './attributes.js';
import { assignedPart, isKept } from './constants.js';
import { hasEnumerations, memberOf, memberText } from './enums.js';
import { longText } from './long-values.js';
import type { Part } from './parts.js';
import { charTokens, textTokens } from './tokens.js';

const [brace, colon] = charTokens('{:') as [number, number];
/** A dict in which nothing else can be changed. */
const anyDict = textTokens('{1:2}');

/** What such a dict has, by the texts of its keys. */
type MemberTable = ReadonlyMap<string, string>;

/** By slot, if nothing in the program can change them. */
const memberTablesOf = perProgram((program): ReadonlyMap<number, MemberTable> => {
  const found = new Map<number, MemberTable>();
  for (const [name, lines] of hasEnumerations(program) ? program.assignedOnce : []) {
    const slot = program.slots.get(name);
    const { code, part } = assignedPart(program, lines) ?? {};
    const table = code && part ? tableOf(program, code, part) : undefined;
    if (slot !== undefined && table && isKept(program, slot, anyDict)) found.set(slot, table);
  }
  return found;
});

/** A dict with such keys, and what is made of literals and members as values, and cannot be changed. */
function tableOf(
  program: Program,
  code: readonly number[],
  { kind, first, parts }: Part,
): MemberTable | undefined {
  const isDict = kind === 'display' && code[first] === brace && code[parts[0]?.until ?? -1] === colon;
  const all = isDict ? parts.map((part) => textOf(program, code, part)) : [];
  const table = new Map<string, string>();
  for (let at = 0; at < all.length; at += 2) {
    const [key, value] = [all[at], all[at + 1]];
    const isTold = key !== undefined && value !== undefined;
    if (!isTold || !isPlainKey(program, key) || !isImmutable(value)) return undefined;
    table.set(key, value);
  }
  return table.size > 0 ? table : undefined;
}

/** The table that a name of a line stands for. */
export function tableNamed(
  program: Program,
  { locals }: Frame,
  code: ArrayLike<number>,
  { kind, first }: Part,
): MemberTable | undefined {
  const isLocal = kind !== 'name' || locals.has(attributeName(program, code[first] as number));
  return isLocal ? undefined : memberTablesOf(program).get(code[first] as number);
}

/** What a table has by a key, by their texts; null: nothing. undefined where the key may be equal to another one that is written otherwise. */
export const entryOf = (program: Program, table: MemberTable, key: string): string | null | undefined =>
  isPlainKey(program, key) ? (table.get(key) ?? null) : undefined;

/** What is made of literals and members. */
function textOf(program: Program, code: readonly number[], part: Part): string | undefined {
  const nameAt = (at: number): string => attributeName(program, code[at] as number);
  const known = ({ kind }: Part): null | undefined => (kind === 'name' ? null : undefined);
  const shown = ({ kind, first, end }: Part): string | undefined =>
    kind === 'attribute' && end === first + 3
      ? memberText(program, nameAt(first), nameAt(end - 1))
      : undefined;
  return longText({ program, code, known, shown }, part);
}

const quoted = /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"/g;
const members = /<[^\W\d]\w*\.\w+: (?:-?\d+|'[^'\\]*')>/gu;

/** Whether what is written otherwise than a key is not equal to it: keys that are texts, members that are nothing besides, and tuples of these. */
const isPlainKey = (program: Program, text: string): boolean =>
  (text.match(members) ?? []).every((member) => memberOf(program, member)?.isPure) &&
  /^[\s(),]*$/.test(text.replace(members, '').replace(quoted, ''));
