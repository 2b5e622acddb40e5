/** What builtins enter by themselves: generators that they ask for items, and functions that they are handed and call with items. */
import type { Program, Scope } from '../program.js';
import { attributeName } from './attributes.js';
import { listed } from './items.js';
import { iterated } from './iterated.js';
import { takesAll, takesOne } from './known-calls.js';
import { truthOfLiteral } from './literal-values.js';
import type { Part } from './parts.js';
import { isSlotToken, wordToken } from './tokens.js';

type Value = readonly number[];

/** A function that is entered though no call in the text names it: a generator that is asked for its first item, or what a builtin was handed. */
export interface Entered {
  readonly callee: Scope;
  /** The call of a generator function, whose arguments it begins with. */
  readonly part?: Part;
  /** Otherwise values of its parameters, in order. */
  readonly given: readonly Value[];
  /** Whether it is written in the line itself: its free names are those of the frame. */
  readonly isWritten: boolean;
  /** All calls that a builtin makes of it, one after the other. */
  readonly round?: Round;
  /** Whether nothing can be raised before. */
  readonly isSure?: boolean;
}

/** The calls that a builtin makes of what it was handed. */
export interface Round {
  readonly kind: 'map' | 'filter' | 'key' | 'reduce';
  /** The call of the builtin. */
  readonly part: Part;
  /** The arguments of each call; of `reduce` what it goes over, what it begins with before that. */
  readonly given: readonly (readonly Value[])[];
}

/** null: nothing is entered; undefined: that cannot be told. */
export type Handed = Entered | null | undefined;

/** How the parts of a line are looked up. */
export interface Resolving {
  readonly program: Program;
  readonly code: ArrayLike<number>;
  /** The value of a part, if it is a literal. */
  told(part: Part): Value | undefined;
  /** The value of a name, which may hold objects, if it is not cut. */
  shown(part: Part): Value | undefined;
  /** The function that calls of a name enter, or make a generator of. */
  called(token: number): Scope | undefined;
  /** The function that a generator expression or a lambda of the line is. */
  written(part: Part): Scope | undefined;
}

const [mapWord, filterWord, key] = ['map', 'filter', 'key'].map(wordToken);
/** Most calls of a round that is gone through. */
const longestRound = 1024;
const passing = new Set(['enumerate', 'zip', 'reversed'].map(wordToken));
const comparing = new Set(['sorted', 'min', 'max'].map(wordToken));

const argumentsIn = ({ parts }: Part): readonly Part[] =>
  parts.slice(1).filter(({ kind }) => kind !== 'keyword');

/** Whether a part is a lambda, or a name that the program binds. */
const isFunction = (code: ArrayLike<number>, { kind, first }: Part): boolean =>
  kind === 'lambda' || (kind === 'name' && isSlotToken(code[first] as number));

const isMapping = (token: number): boolean => token === mapWord || token === filterWord;

/** Whether a builtin asks an iterator that it is given for items at once. */
const asksAtOnce = (code: ArrayLike<number>, callee: Part): boolean =>
  takesAll(code, callee) || takesOne(code, callee);

/** Whether a call of a builtin takes iterators as they are: to go over them at once, or later. */
export function takesIterators(code: ArrayLike<number>, { parts }: Part): boolean {
  const callee = parts[0] as Part;
  const name = code[callee.end - 1] as number;
  const isBuiltin = callee.kind === 'name' && (passing.has(name) || isMapping(name));
  return isBuiltin || asksAtOnce(code, callee);
}

/** Whether a call makes an iterator that calls what it was handed, once it is asked. */
export function makesCaller(code: ArrayLike<number>, part: Part): boolean {
  const callee = part.parts[0] as Part;
  return callee.kind === 'name' && isMapping(code[callee.first] as number);
}

/** The argument of a call of a builtin that is a function of the program or a lambda, and that the builtin calls. */
export function functionIn({ program, code }: Resolving, part: Part): Part | undefined {
  const [callee, ...given] = part.parts as [Part, ...Part[]];
  const token = code[callee.end - 1] as number;
  const isMethod = callee.kind === 'attribute';
  const name = attributeName(program, token);
  const takesKey = isMethod ? name === 'sort' : callee.kind === 'name' && comparing.has(token);
  const sought = given.find(({ kind, first }) => kind === 'keyword' && code[first] === key)?.parts[0];
  const first = (callee.kind === 'name' && isMapping(token)) || name === 'reduce' ? given[0] : undefined;
  const found = takesKey ? sought : first;
  return found && isFunction(code, found) ? found : undefined;
}

/** What a call of a builtin enters. */
export function handedBy(line: Resolving, part: Part): Handed {
  const { code } = line;
  if (makesCaller(code, part)) return null;
  const callee = part.parts[0] as Part;
  const given = argumentsIn(part);
  const [first, ...others] = given;
  const asked = first !== undefined && asksAtOnce(code, callee) ? asking(line, first) : null;
  if (asked !== null) return asked;
  const called = functionIn(line, part);
  if (called === undefined) return null;
  if (called === first) return reducing(line, called, part);
  const isSort = callee.kind === 'attribute';
  if (others.length === 0 || isSort)
    return going(line, called, part, 'key', [isSort ? callee.parts[0] : first]);
  const items = given.map(line.told);
  return items.every((item) => item !== undefined)
    ? calling(line, called, { kind: 'key', part, given: items.map((item) => [item]) })
    : undefined;
}

/** `reduce(called, items, initial)`. */
function reducing(line: Resolving, called: Part, part: Part): Handed {
  const [, over, initial] = argumentsIn(part);
  const begun = initial && line.told(initial);
  const items = over && itemsOf(line, over);
  if (items === undefined || (initial !== undefined && begun === undefined)) return undefined;
  const given = [...(begun ? [begun] : []), ...items].map((item) => [item]);
  return given.length < 2 ? null : calling(line, called, { kind: 'reduce', part, given });
}

/** What is entered when a part is asked for its first item. */
export function asking(line: Resolving, part: Part): Handed {
  const { code } = line;
  if (part.kind === 'generator') return entering(line.written(part), [], true);
  if (part.kind !== 'call') return null;
  const [callee, ...given] = part.parts as [Part, ...Part[]];
  if (callee.kind !== 'name') return null;
  const token = code[callee.first] as number;
  const called = line.called(token);
  if (called?.isGenerator) return { callee: called, part, given: [], isWritten: false };
  // What it gives may be a generator.
  if (called) return line.program.scopes.some(({ isGenerator }) => isGenerator) ? undefined : null;
  const isMap = isMapping(token);
  if (!isMap && !passing.has(token)) return null;
  for (const inner of isMap ? given.slice(1) : given) {
    const asked = asking(line, inner);
    if (asked !== null) return asked;
  }
  const handed = functionIn(line, part);
  return handed ? going(line, handed, part, token === mapWord ? 'map' : 'filter', given.slice(1)) : null;
}

/** Calls a function with the items of these, side by side. */
function going(
  line: Resolving,
  called: Part,
  part: Part,
  kind: 'map' | 'filter' | 'key',
  over: readonly (Part | undefined)[],
): Handed {
  const items = over.map((inner) => inner && itemsOf(line, inner));
  if (!items.every((found) => found !== undefined)) return undefined;
  const length = Math.min(...items.map((found) => found.length));
  const given = Array.from({ length }, (_, at) => items.map((found) => found[at] as Value));
  return length === 0 ? null : calling(line, called, { kind, part, given });
}

const itemsOf = (line: Resolving, part: Part): Value[] | undefined =>
  iterated(line.code, part, (inner) => line.told(inner) ?? line.shown(inner), longestRound);

function calling(line: Resolving, called: Part, round: Round): Handed {
  const isWritten = called.kind === 'lambda';
  const callee = isWritten ? line.written(called) : line.called(line.code[called.first] as number);
  const [first = [], second = []] = round.given;
  const given = round.kind === 'reduce' ? [...first, ...second] : first;
  return callee?.isGenerator ? undefined : entering(callee, given, isWritten, round);
}

const entering = (
  callee: Scope | undefined,
  given: readonly Value[],
  isWritten: boolean,
  round?: Round,
): Handed => callee && { callee, given, isWritten, ...(round && { round }) };

/** How many calls a round has. */
export const callsIn = ({ kind, given }: Round): number => given.length - Number(kind === 'reduce');

/** The call of a round behind those that have given these values. */
export function nextInRound(entered: Entered, { kind, given }: Round, values: readonly Value[]): Entered {
  const next = given[values.length + Number(kind === 'reduce')] as readonly Value[];
  return { ...entered, given: kind === 'reduce' ? [values.at(-1) as Value, ...next] : next };
}

/** What stands for the call of a builtin once its round has given these values; undefined where that is not told. */
export function givenByRound({ kind, given }: Round, values: readonly Value[]): Value | undefined {
  if (kind === 'reduce') return values.at(-1);
  if (kind === 'map') return listed(values);
  return kind === 'filter'
    ? listed(given.flatMap(([item], at) => (truthOfLiteral(values[at] as Value) ? [item as Value] : [])))
    : undefined;
}
