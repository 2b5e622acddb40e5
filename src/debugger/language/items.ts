/**
 * What a comprehension goes over, item by item: the values its names take, and its code with those in place of the names (docs/trace-language.md,
 * section 9).
 */
import { brace, itemsOf, quotes } from './displays.js';
import type { Part } from './parts.js';
import { charToken, isSlotToken, operatorToken, textTokens, wordToken } from './tokens.js';

type Value = readonly number[];

/** Most items of a comprehension that is worked out item by item. */
const mostItems = 24;
/** Most digits of the bounds of a range. */
const mostOfBound = 9;
/** Digits of a number with a point, which is written as it is read up to here. */
const mostDigits = 12;

const [single, double] = quotes as [number, number];
const [backslash, dot, equals, minus, zero] = Array.from('\\.=-0', charToken) as [
  number,
  number,
  number,
  number,
  number,
];
const [opening, closing, square, squareEnd, braceEnd, comma, colon] = Array.from('()[]},:', charToken) as [
  number,
  number,
  number,
  number,
  number,
  number,
  number,
];
const power = operatorToken('**');
const digits = new Set(textTokens('0123456789'));
const constants = new Set(['True', 'False', 'None'].map(wordToken));
const isSequence = (token: number | undefined): boolean => token === opening || token === square;

/**
 * The items that a loop over a literal gets: those of a list or tuple, the characters of a string, the keys of a dict. undefined for others, for more than
 * 24, and for strings with backslashes.
 */
export function itemsInOrder(value: Value): Value[] | undefined {
  const first = value[0] as number;
  const isString = quotes.includes(first);
  const found =
    isSequence(first) || first === brace || isString ? itemsOf(value, 0, value.length) : undefined;
  if (found === undefined || found.length > mostItems) return undefined;
  if (first === brace && found.some(({ colon }) => colon < 0)) return undefined;
  if (!isString) return found.map((item) => value.slice(item.first, item.colon < 0 ? item.end : item.colon));
  return value.includes(backslash)
    ? undefined
    : found.map((item) => quoted(value.slice(item.first, item.end)));
}

function quoted(character: Value): Value {
  const quote = character.length === 1 && character[0] === single ? double : single;
  return [quote, ...character, quote];
}

/** What the view `items`, `keys` or `values` of a dict gives; undefined for other values. */
export function entries(value: Value, view: number): Value[] | undefined {
  const found = value[0] === brace ? itemsOf(value, 0, value.length) : undefined;
  if (found === undefined || found.length > mostItems || found.some((item) => item.colon < 0))
    return undefined;
  return found.map((item) => {
    const [key, held] = [value.slice(item.first, item.colon), value.slice(item.colon + 1, item.end)];
    if (view === wordToken('items')) return joined([key, held]);
    return view === wordToken('values') ? held : key;
  });
}

/** The integers of a range with these bounds, if they are plain integers; undefined for others and for more than 24. */
export function counted(bounds: readonly Value[]): Value[] | undefined {
  if (bounds.length < 1 || bounds.length > 3) return undefined;
  const numbers = bounds.map((bound) => {
    const isInteger = isPlain(bound) && digits.has(bound.at(-1) as number) && !bound.includes(dot);
    return isInteger && bound.length <= mostOfBound ? Number(bound.map(written).join('')) : undefined;
  });
  if (!numbers.every((number) => number !== undefined)) return undefined;
  const [start, stop, step] =
    numbers.length === 1 ? [0, numbers[0] as number, 1] : [...(numbers as [number, number]), 1];
  if (step === 0) return undefined;
  const count = Math.max(0, Math.ceil((stop - start) / step));
  return count > mostItems
    ? undefined
    : Array.from({ length: count }, (_, index) => textTokens(String(start + index * step)));
}

const written = (token: number): string => (token === minus ? '-' : String(token - zero));

/** The tuple of these values. */
export const joined = (values: readonly Value[]): number[] => [
  opening,
  ...betweenCommas(values),
  ...(values.length === 1 ? [comma] : []),
  closing,
];

/** The list of these values. */
export const listed = (values: readonly Value[]): number[] => [square, ...betweenCommas(values), squareEnd];

/** The dict of these; undefined where keys may be equal that are written in different ways, or are equal. */
export function mapped(keys: readonly Value[], values: readonly Value[]): number[] | undefined {
  const areTexts = keys.every(([first]) => quotes.includes(first as number));
  const areIntegers = keys.every((key) => digits.has(key.at(-1) as number) && !key.includes(dot));
  const isDifferent = new Set(keys.map((key) => key.join())).size === keys.length;
  if (!(areTexts || areIntegers) || !isDifferent) return undefined;
  return [
    brace,
    ...betweenCommas(keys.map((key, index) => [...key, colon, ...(values[index] as Value)])),
    braceEnd,
  ];
}

const betweenCommas = (values: readonly Value[]): number[] =>
  values.flatMap((value, index) => (index === 0 ? value : [comma, ...value]));

/** The values of the slots of a loop's target (`x`, `i, x`, `i, (a, b)`) for an item; undefined where they are not told. */
export function taken(target: Value, item: Value): Map<number, Value> | undefined {
  const first = target[0] as number;
  if (target.length === 1 && isSlotToken(first)) return new Map([[first, item]]);
  const inside = isSequence(first) ? target : [opening, ...target, closing];
  const names = itemsOf(inside, 0, inside.length);
  const values = isSequence(item[0]) ? itemsOf(item, 0, item.length) : undefined;
  if (names === undefined || names.length !== values?.length) return undefined;
  const found = new Map<number, Value>();
  for (const [index, name] of names.entries()) {
    const value = values[index] as { first: number; end: number };
    const inner = taken(inside.slice(name.first, name.end), item.slice(value.first, value.end));
    if (inner === undefined) return undefined;
    for (const [slot, bound] of inner) found.set(slot, bound);
  }
  return found;
}

/** The code with values in place of names, in brackets where what follows would read them otherwise. */
export function substituted(code: Value, values: ReadonlyMap<number, Value>): number[] {
  const out: number[] = [];
  for (const [index, token] of code.entries()) {
    const behind = code[index + 1];
    const value = values.get(token);
    if (value === undefined || behind === equals || code[index - 1] === dot) {
      out.push(token);
      continue;
    }
    const isNumber = digits.has(value.at(-1) as number);
    const isGrouped = (behind === dot && isNumber) || (behind === power && value[0] === minus);
    out.push(...(isGrouped ? [opening, ...value, closing] : value));
  }
  return out;
}

/** The target of a comprehension with one `for`, whose names nothing in it binds again; undefined for others. */
export function targetOf(code: ArrayLike<number>, { parts, bound }: Part): Value | undefined {
  const [iterable, ...inside] = parts as [Part, Part, ...Part[]];
  if (inside[0].first > iterable.first || inside.some((part) => binds(part, bound))) return undefined;
  const last = Math.max(...inside.filter(({ first }) => first < iterable.first).map(({ until }) => until));
  return Array.from({ length: iterable.begin - 2 - last }, (_, index) => code[last + 1 + index] as number);
}

const binds = ({ parts, bound }: Part, slots: ReadonlySet<number>): boolean =>
  [...bound].some((slot) => slots.has(slot)) || parts.some((part) => binds(part, slots));

/** Whether a constant is written as its value is: `-7`, `1.5`, `'a'`, but not `0x7`, `1.50`, `"a"`. */
export function isPlain(constant: Value): boolean {
  const first = constant[0] as number;
  if (constant.length === 1 && constants.has(first)) return true;
  if (quotes.includes(first)) {
    const inside = constant.slice(1, -1);
    const isWhole = constant.at(-1) === first && !inside.includes(first) && !inside.includes(backslash);
    return isWhole && (first === single || inside.includes(single));
  }
  const isNegative = first === minus;
  const number = isNegative ? constant.slice(1) : constant;
  const at = number.indexOf(dot);
  const whole = at < 0 ? number : number.slice(0, at);
  const rest = at < 0 ? [] : number.slice(at + 1);
  if (whole.length === 0 || ![...whole, ...rest].every((token) => digits.has(token))) return false;
  if (whole[0] === zero && (whole.length > 1 || (isNegative && at < 0))) return false;
  const isShort = rest.length > 0 && whole.length + rest.length <= mostDigits;
  return at < 0 || (isShort && (rest.length === 1 || rest.at(-1) !== zero));
}
