/**
 * What a comprehension goes over, item by item: the values its names take, and its code with those in place of the names (docs/trace-language.md,
 * section 9).
 */
import { isTiny } from './digits.js';
import { brace, isEnclosed, isSequence, isText, itemsOf, quotes, withCommas } from './displays.js';
import { integerOf } from './literal-values.js';
import type { Part } from './parts.js';
import { charTokens, isDigitToken, isSlotToken, operatorToken, textTokens, wordTokens } from './tokens.js';

type Value = readonly number[];

/** Most items of a comprehension that is worked out item by item. */
export const mostItems = 24;
/** Digits of a number with a point, which is written as it is read up to here. */
const mostDigits = 12;

const [single, double] = quotes as [number, number];
const [backslash, dot, equals, minus, zero] = charTokens('\\.=-0');
const [opening, closing, square, squareEnd, braceEnd, comma, colon] = charTokens('()[]},:');
const power = operatorToken('**');
const [itemsView, keysView, valuesView] = wordTokens('items keys values') as [number, number, number];
const constants = new Set(wordTokens('True False None'));

/**
 * The items that a loop over a literal gets: those of a list or tuple, the characters of a string, the keys of a dict. undefined for others, for more than
 * `most`, and for strings with backslashes.
 */
export function itemsInOrder(value: Value, most = mostItems): Value[] | undefined {
  const first = value[0] as number;
  const isString = quotes.includes(first);
  if (first === brace) return entries(value, keysView, most);
  if (!(isSequence(value) || (isString && !value.includes(backslash)))) return undefined;
  const found = itemsOf(value, 0, value.length);
  if (found === undefined || found.length > most) return undefined;
  const items = found.map((item) => value.slice(item.first, item.end));
  return isString ? items.map(quoted) : items;
}

function quoted(character: Value): Value {
  const quote = character.length === 1 && character[0] === single ? double : single;
  return [quote, ...character, quote];
}

/** What the view `items`, `keys` or `values` of a dict gives; undefined for other values. */
export function entries(value: Value, view: number, most = mostItems): Value[] | undefined {
  const found = value[0] === brace ? itemsOf(value, 0, value.length) : undefined;
  if (found === undefined || found.length > most || found.some((item) => item.colon < 0)) return undefined;
  return found.map((item) => {
    const [key, held] = [value.slice(item.first, item.colon), value.slice(item.colon + 1, item.end)];
    if (view === itemsView) return joined([key, held]);
    return view === valuesView ? held : key;
  });
}

/** The integers of a range with these bounds, if they are integers and not too long; undefined for others and for more than `most`. */
export function counted(bounds: readonly Value[], most = mostItems): Value[] | undefined {
  if (bounds.length < 1 || bounds.length > 3) return undefined;
  const numbers = bounds.map(integerOf);
  if (!numbers.every((number) => number !== undefined)) return undefined;
  const [start, stop, step] =
    numbers.length === 1 ? [0, numbers[0] as number, 1] : [...(numbers as [number, number]), 1];
  if (step === 0) return undefined;
  const count = Math.max(0, Math.ceil((stop - start) / step));
  return count > most
    ? undefined
    : Array.from({ length: count }, (_, index) => textTokens(String(start + index * step)));
}

/** The tuple of these values. */
export const joined = (values: readonly Value[]): number[] => [
  opening,
  ...withCommas(values),
  ...(values.length === 1 ? [comma] : []),
  closing,
];

/** The list of these values. */
export const listed = (values: readonly Value[]): number[] => [square, ...withCommas(values), squareEnd];

/** A list, a tuple or a text with these items in place of its own; undefined for other values. */
export function withItems(value: Value, items: readonly Value[]): Value | undefined {
  if (isText(value)) return [single, ...items.flat(), single];
  if (!isSequence(value)) return undefined;
  return value[0] === square ? listed(items) : joined(items);
}

/** The dict of these, a key and its value in turn; undefined where keys may be equal that are written in different ways, or are equal. */
export function mapped(keysAndValues: readonly Value[]): number[] | undefined {
  const keys = keysAndValues.filter((_, index) => index % 2 === 0);
  const entries = keys.map((key, index) => [...key, colon, ...(keysAndValues[2 * index + 1] as Value)]);
  return areDifferent(keys) ? [brace, ...withCommas(entries), braceEnd] : undefined;
}

/** The set of these, in the order of their texts; undefined as of `mapped`, and where a string has a character without a token of its own. */
export function collected(values: readonly Value[]): number[] | undefined {
  const isOrdered = values.every((value) => !quotes.includes(value[0] as number) || isText(value));
  if (values.length === 0 || !isOrdered || !areDifferent(values)) return undefined;
  return [brace, ...withCommas(values.toSorted(byTokens)), braceEnd];
}

/** The order of texts: tokens of characters are in the order of the characters. */
function byTokens(left: Value, right: Value): number {
  const at = left.findIndex((token, index) => token !== right[index]);
  return at < 0 ? left.length - right.length : (left[at] as number) - (right[at] ?? -1);
}

/** Whether no two strings or integers are equal. */
function areDifferent(keys: readonly Value[]): boolean {
  const areTexts = keys.every(([first]) => quotes.includes(first as number));
  const areIntegers = keys.every((key) => isDigitToken(key.at(-1)) && !key.includes(dot));
  return (areTexts || areIntegers) && new Set(keys.map((key) => key.join())).size === keys.length;
}

/** The values of the slots of a loop's target (`x`, `i, x`, `i, (a, b)`) for an item; undefined where they are not told. */
export function taken(target: Value, item: Value): Map<number, Value> | undefined {
  const first = target[0] as number;
  if (target.length === 1 && isSlotToken(first)) return new Map([[first, item]]);
  const inside = isEnclosed(target) ? target : [opening, ...target, closing];
  const names = itemsOf(inside, 0, inside.length);
  const values = isSequence(item) ? itemsOf(item, 0, item.length) : undefined;
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

/** A value as it stands in code before the token `behind`: in brackets where that would read it otherwise. */
export function inPlace(value: Value, behind: number | undefined): Value {
  const isGrouped =
    (behind === dot && isDigitToken(value.at(-1))) || (behind === power && value[0] === minus);
  return isGrouped ? [opening, ...value, closing] : value;
}

/** The code with a value in place of a part, brackets around it included. */
export const withPartAs = (
  code: Value,
  { begin, until }: Pick<Part, 'begin' | 'until'>,
  value: Value,
): number[] => [...code.slice(0, begin), ...inPlace(value, code[until]), ...code.slice(until)];

/** The tokens `code[first .. end - 1]` with others in place of some: `placeAt` gives what stands from a token on, and where that ends. */
export function spliced(
  code: ArrayLike<number>,
  first: number,
  end: number,
  placeAt: (at: number) => { readonly until: number; readonly tokens: Value } | undefined,
): number[] {
  const out: number[] = [];
  for (let at = first; at < end; ) {
    const place = placeAt(at);
    if (place === undefined) out.push(code[at] as number);
    else out.push(...place.tokens);
    at = place?.until ?? at + 1;
  }
  return out;
}

/** The code with values in place of names. */
export function substituted(code: Value, values: ReadonlyMap<number, Value>): number[] {
  return code.flatMap((token, index) => {
    const behind = code[index + 1];
    const value = behind === equals || code[index - 1] === dot ? undefined : values.get(token);
    return value === undefined ? [token] : inPlace(value, behind);
  });
}

/** The target of a comprehension with one `for`; undefined for others. */
export function targetOf(code: ArrayLike<number>, { parts }: Part): Value | undefined {
  const [iterable, ...inside] = parts as [Part, Part, ...Part[]];
  if (inside[0].first > iterable.first) return undefined;
  const last = Math.max(...inside.filter(({ first }) => first < iterable.first).map(({ until }) => until));
  return Array.from({ length: iterable.begin - 2 - last }, (_, index) => code[last + 1 + index] as number);
}

/** The names that a comprehension binds and something in it binds again; undefined if one of them is read besides. */
export function hidden(code: ArrayLike<number>, { parts, bound }: Part): ReadonlySet<number> | undefined {
  const inside = parts.slice(1);
  const again = [...bound].filter((slot) => inside.some((part) => binds(part, slot)));
  return again.some((slot) => inside.some((part) => reads(code, part, slot))) ? undefined : new Set(again);
}

const binds = ({ parts, bound }: Part, slot: number): boolean =>
  bound.has(slot) || parts.some((part) => binds(part, slot));

/** Whether one of these names is read in a part. */
export const readsAny = (code: ArrayLike<number>, part: Part, slots: ReadonlySet<number>): boolean =>
  [...slots].some((slot) => reads(code, part, slot));

/** Whether a name is read in a part, other than where it is bound again: the first iterable of a comprehension is none of it. */
function reads(code: ArrayLike<number>, { kind, first, parts, bound }: Part, slot: number): boolean {
  if (kind === 'name') return code[first] === slot;
  const visible = !bound.has(slot) ? parts : kind === 'lambda' ? [] : parts.slice(0, 1);
  return visible.some((part) => reads(code, part, slot));
}

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
  if (whole.length === 0 || ![...whole, ...rest].every(isDigitToken)) return false;
  if (whole[0] === zero && (whole.length > 1 || (isNegative && at < 0))) return false;
  if (isTiny(whole, rest)) return false;
  const isShort = rest.length > 0 && whole.length + rest.length <= mostDigits;
  return at < 0 || (isShort && (rest.length === 1 || rest.at(-1) !== zero));
}
