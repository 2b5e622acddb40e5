/**
 * Operations on strings and collections in positions: how they are asked (docs/trace-language.md, section 9). The items of what an operation is on are numbered, and
 * an answer names the position of every item that it takes or looks at: each follows from the one before. Without numbers a small model loses its place wherever
 * items repeat (index hints: Zhou et al., What Algorithms can Transformers Learn?, 2023).
 */
import { hasItems, isMapping, isSequence, isSet, isText, itemsOf } from './displays.js';
import { spliced } from './items.js';
import { isLazy } from './known-calls.js';
import { type Part, partTokens } from './parts.js';
import { charTokens, operatorToken, positionCount, positionToken, wordTokens } from './tokens.js';

type Value = readonly number[];
type Told = (part: Part) => Value | undefined;

/** The parts of an operation that are written as their values. */
interface Operands {
  /** Those that are numbered, in their order. */
  readonly numbered: readonly Part[];
  readonly others?: readonly Part[];
  /** Items from which on it is asked so; 2, if nothing is said. */
  readonly fewest?: number;
  /** Whether each of two is numbered from 1 on. */
  readonly isAligned?: boolean;
}

/** Most items of what is repeated, most times that several items are, and most tokens of a question. */
const _mostMade = 48;
const _mostTimes = 9;
const mostTokens = 144;
const few = { items: 2, compared: 4, searched: 4 };
const words = (texts: string): ReadonlySet<number | undefined> => new Set(wordTokens(texts));
const [inWord, not, get] = wordTokens('in not get');
const [zip, dict] = wordTokens('zip dict');
const equalities: ReadonlySet<number | undefined> = new Set([operatorToken('=='), operatorToken('!=')]);
const orderings: ReadonlySet<number | undefined> = new Set([
  ...charTokens('<>'),
  operatorToken('<='),
  operatorToken('>='),
]);
/** The functions, and from how many items on they are asked so. */
const functions = new Map<number | undefined, number>([
  ...wordTokens('max min dict').map((name) => [name, few.items] as const),
  ...wordTokens('any all').map((name) => [name, 4] as const),
]);
const iterators = words('reversed enumerate zip');
const pairing = words('enumerate zip');
const views = words('items keys values');
/** The methods of strings that have one argument, a string. */
const ofText = words('rfind index rindex removeprefix removesuffix partition');
const ofSequence = words('count index');

const itemsIn = (value: Value) => itemsOf(value, 0, value.length) ?? [];
/** Whether a value is a string with nothing in it. */
const isEmpty = (value: Value | undefined): boolean => value?.length === 2 && isText(value);

/**
 * The question for an operation on strings or collections, without its first token: its code with values in place of operands, with a position before each item of
 * those that it goes through. `told`: the value of a part, if it is known. undefined where it is not asked so.
 */
export function inPositions(code: ArrayLike<number>, part: Part, told: Told): Value | undefined {
  const operands = operandsOf(code, part, told);
  if (operands === undefined) return undefined;
  const { numbered, others = [], fewest = few.items, isAligned = false } = operands;
  const written = new Map<number, { until: number; tokens: Value }>();
  const counts: number[] = [];
  for (const { begin, until, ...operand } of others)
    written.set(begin, { until, tokens: told({ begin, until, ...operand }) ?? [] });
  for (const operand of numbered) {
    const value = told(operand) ?? [];
    const before = isAligned ? 0 : sumOf(counts);
    written.set(operand.begin, { until: operand.until, tokens: withPositions(value, before) });
    counts.push(itemsIn(value).length);
  }
  const most = isAligned ? Math.max(...counts) : sumOf(counts);
  if (sumOf(counts) < fewest || most > positionCount) return undefined;
  const out = spliced(code, part.first, part.end, (at) => written.get(at));
  return out.length <= mostTokens ? out : undefined;
}

const sumOf = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);

/** The value with a position before each of its items, the first of which comes behind `before` others. */
function withPositions(value: Value, before: number): Value {
  const numbers = new Map(itemsIn(value).map(({ first }, at) => [first, before + at + 1]));
  return value.flatMap((token, at) => {
    const number = numbers.get(at);
    return number === undefined ? [token] : [positionToken(number), token];
  });
}

function operandsOf(code: ArrayLike<number>, part: Part, told: Told): Operands | undefined {
  const { kind, parts } = part;
  if (kind === 'call' && parts[0]?.kind === 'name') return ofFunction(code, part, told);
  if (kind === 'call' && parts[0]?.kind === 'attribute') return ofMethod(code, part, told);
  if (kind !== 'compare' || parts.length !== 2) return undefined;
  const [first, second] = parts as [Part, Part];
  const [left, right] = [told(first), told(second)];
  if (left === undefined || right === undefined) return undefined;
  return compared(code, [first, second], left, right);
}

/** The operands of a comparison: of `in` and `not in`, `==` and `!=`, and of strings by their order. */
function compared(
  code: ArrayLike<number>,
  parts: readonly [Part, Part],
  left: Value,
  right: Value,
): Operands | undefined {
  const [first, second] = parts;
  const operator = partTokens(code, { first: first.until, end: second.begin });
  if (equalities.has(operator[0])) {
    const areAlike = (isText(left) && isText(right)) || (isSequence(left) && left[0] === right[0]);
    return areAlike ? { numbered: parts, fewest: few.compared, isAligned: true } : undefined;
  }
  if (orderings.has(operator[0])) {
    const areTexts = isText(left) && isText(right);
    return areTexts ? { numbered: parts, fewest: few.compared, isAligned: true } : undefined;
  }
  const isIn = operator.at(-1) === inWord && operator.every((token) => token === inWord || token === not);
  if (!isIn) return undefined;
  const isSearched = isSequence(right) || isSet(right);
  return isSearched ? { numbered: [second], others: [first], fewest: few.searched } : undefined;
}

/** The operands of a call of a function: one argument that has items. */
function ofFunction(code: ArrayLike<number>, { first, parts }: Part, told: Told): Operands | undefined {
  const [argument, ...others] = parts.slice(1);
  const name = code[first] as number;
  const fewest = functions.get(name);
  if (fewest === undefined || argument === undefined || others.length > 0) return undefined;
  const numbered = inside(code, argument, told);
  const isPairing = pairing.has(code[argument.first]);
  const isRead = (name === dict) === isPairing;
  return isRead && numbered.length > 0 ? { numbered, fewest } : undefined;
}

/** The parts whose items an argument has: itself, or what an iterator or a view goes over; none if they are not known. */
function inside(code: ArrayLike<number>, part: Part, told: Told): readonly Part[] {
  const value = told(part);
  if (value !== undefined) return hasItems(value) ? [part] : [];
  if (!isLazy(code, part)) return [];
  const [callee, ...given] = part.parts as [Part, ...Part[]];
  const name = code[callee.end - 1];
  if (callee.kind === 'attribute') {
    const isView = views.has(name) && given.length === 0;
    return isView && isMapping(told(callee.parts[0] as Part) ?? []) ? callee.parts : [];
  }
  const areKnown = given.every((inner) => {
    const over = told(inner) ?? [];
    return isSequence(over) || isText(over);
  });
  const isIterator = callee.kind === 'name' && iterators.has(name) && given.length === (name === zip ? 2 : 1);
  return isIterator && areKnown ? given : [];
}

/** The operands of a call of a method: what it belongs to and the arguments; of `join` the argument is numbered. */
function ofMethod(code: ArrayLike<number>, { parts }: Part, told: Told): Operands | undefined {
  const [callee, ...given] = parts as [Part, ...Part[]];
  const name = code[callee.end - 1] as number;
  const base = callee.parts[0] as Part;
  const value = told(base) ?? [];
  const values = given.map((inner) => told(inner) ?? []);
  if (values.some((argument) => argument.length === 0)) return undefined;
  if (isText(value)) {
    const areTexts = ofText.has(name) && given.length === 1 && values.every(isText) && !isEmpty(values[0]);
    return areTexts ? { numbered: [base], others: given } : undefined;
  }
  const isLookup = name === get && isMapping(value) && (given.length === 1 || given.length === 2);
  const isSearch = ofSequence.has(name) && given.length === 1 && isSequence(value);
  return isLookup || isSearch ? { numbered: [base], others: given } : undefined;
}
