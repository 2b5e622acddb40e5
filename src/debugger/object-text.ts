/** What an object writes of which the attributes are known: its `__repr__`, read statement by statement as far as that is told. */
import { attributeName } from './language/attributes.js';
import { lineParts } from './language/line-parts.js';
import { truthOfLiteral } from './language/literal-values.js';
import { truthOf } from './language/object-truth.js';
import { derivesFromBuiltins, showsLiterals } from './language/own-reprs.js';
import type { Part } from './language/parts.js';
import { classesOf, isAttribute, methodOf } from './language/program-classes.js';
import { textOfRepr } from './language/strings.js';
import { isClassName, mentioned, surelyRead } from './language/sure-reads.js';
import { textTokens, wordTokens } from './language/tokens.js';
import { ToldValues } from './language/told-values.js';
import { cutMark } from './language/values.js';
import { lineBehind, onlyOf, statementOn, statementsUpTo } from './method-walk.js';
import { type Program, perProgram, type Scope } from './program.js';
import type { Running } from './running.js';
import type { Frame } from './state.js';

const [returning, ifWord, elifWord] = wordTokens('return if elif') as [number, number, number];
const classAttribute = '__class__';
/** Most statements that are read. */
const longestWay = 20;

/** The `__repr__` of classes, by their qualified names, where objects are known by them. */
export const writersOf = perProgram((program): ReadonlyMap<string, Scope> => {
  if (!showsLiterals(program) || derivesFromBuiltins(program)) return new Map();
  return new Map(
    [...classesOf(program).values()].flatMap((owner) => {
      const method = methodOf(program, owner, '__repr__');
      const isWriter = method?.keptParameters.has(method.positional[0] ?? '');
      return method && isWriter ? [[owner.name, method] as const] : [];
    }),
  );
});

/** The attributes that a method reads of its object; undefined where it may do more with it, or they are not only what is assigned to them. */
export function readsOnly(program: Program, method: Scope): ReadonlySet<string> | undefined {
  const statements = statementsUpTo(program, method, method.lastLine);
  const found = statements?.map(({ code }) => mentioned(program, code, method.positional[0] ?? ''));
  const all = found?.flatMap((names) => (names ? [...names] : [undefined])) ?? [undefined];
  const reads = all.filter((name) => name !== classAttribute);
  const areOwn = (names: readonly (string | undefined)[]): names is string[] =>
    names.every((name) => name !== undefined && isAttribute(program, name));
  return areOwn(reads) ? new Set(reads) : undefined;
}

/**
 * What an object writes by a method. owner: the qualified name of its class; self: how it is written with its attributes; attributes: all that it has. null: it cannot, for
 * an attribute is missing; undefined: that is not told.
 */
export function writtenBy(
  program: Program,
  method: Scope,
  owner: string,
  self: string,
  attributes: ReadonlySet<string>,
): string | null | undefined {
  const [name = ''] = method.positional;
  const locals = new Map([[name, self]]);
  let line = onlyOf(method.flow?.entry ?? []);
  for (let count = 0; count < longestWay && line !== undefined; count += 1) {
    const frame: Frame = { line, locals, its: [], gots: [] };
    const code = statementOn(program, method, line);
    const { values: [value] = [], targets = [], inner = [] } = lineParts(code) ?? {};
    if (value === undefined || inner.length > 0) return undefined;
    const reads = surelyRead(program, code, value, name);
    const missing = reads.attributes.find((one) => one !== classAttribute && !attributes.has(one));
    if (missing !== undefined) return isAttribute(program, missing) ? null : undefined;
    const told = new ValuesOfObject(program, { frame, scope: method }, code, { self: name, owner });
    if (code[0] === returning) return textIn(told.text(value));
    if (code[0] === ifWord || code[0] === elifWord) {
      const holds = conditionIn(program, frame, code, value, told);
      const { [holds ? 'holds' : 'fails']: follow } = method.flow?.conditions.get(line) ?? {};
      line = holds === undefined || follow?.ends ? undefined : onlyOf(follow?.lines ?? []);
      continue;
    }
    const [target, ...others] = targets;
    const text = told.text(value);
    if (text === undefined || target?.kind !== 'name' || others.length > 0) return undefined;
    locals.set(nameIn(program, code, target), text);
    line = lineBehind(method, line);
  }
  return undefined;
}

/** What an object itself says of its class. */
class ValuesOfObject extends ToldValues {
  constructor(
    program: Program,
    running: Running,
    code: readonly number[],
    private readonly of: { readonly self: string; readonly owner: string },
  ) {
    super(program, running, code, false);
  }

  protected override className(part: Part): readonly number[] | undefined {
    const { self, owner } = this.of;
    const isOwn = isClassName(this.program, this.code, part, self);
    return isOwn ? textTokens(`'${owner.split('.').at(-1)}'`) : super.className(part);
  }
}

const nameIn = (program: Program, code: readonly number[], { first }: Part): string =>
  attributeName(program, code[first] as number);

function conditionIn(
  program: Program,
  frame: Frame,
  code: readonly number[],
  part: Part,
  told: ToldValues,
): boolean | undefined {
  const value = told.tokens(part);
  if (value !== undefined) return truthOfLiteral(value);
  return truthOf(program, frame, code, part, (inner) => told.tokens(inner));
}

/** The text that a canonical repr is of; undefined where it is none, or is written otherwise in what holds it. */
function textIn(repr: string | undefined): string | undefined {
  const text = repr !== undefined && /^['"]/.test(repr) ? textOfRepr(repr) : undefined;
  const isPlain = text !== undefined && text !== '' && !text.includes(cutMark) && !/[\\\n\r\t]/.test(text);
  return isPlain ? text : undefined;
}
