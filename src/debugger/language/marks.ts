/**
 * Marks in values: `<|it|>` before the items that a line looks up (docs/trace-language.md, section 6). A subscript is looked up where its index can
 * be read off the line and the names beside it; nothing of the program is run for it.
 */
import type { Program } from '../program.js';
import type { Frame } from '../state.js';
import { valueAt } from './attributes.js';
import { brace, display, type Item, itemsOf, quotes } from './displays.js';
import { integerOf } from './literal-values.js';
import { charTokens, isDigitToken, special, textTokens } from './tokens.js';

/** Which item: its number, or the tokens of the index as the line has it. */
type Key = number | readonly number[];

/** What the subscripts behind a name look up: one item in the other, then perhaps a slice with the bounds that it has. */
export interface Lookups {
  readonly keys: readonly Key[];
  readonly bounds?: Bounds | undefined;
  /** None could not be read off. */
  readonly isWhole: boolean;
}
type Bounds = readonly [begin: number | undefined, end: number | undefined];

/** An index and the place in the code where it ends. */
interface Read<T> {
  readonly found: T;
  readonly end: number;
}

const [colon, backslash, open, close, plus, minus] = charTokens(':\\[]+-');

/** The subscripts right behind the name (of a variable or an attribute) `code[at]`, up to the first that cannot be read off. */
export function subscripts(program: Program, code: ArrayLike<number>, at: number, frame: Frame): Lookups {
  const keys: Key[] = [];
  for (let name = at; code[name + 1] === open; ) {
    const { found, end } = readIndex(program, code, name + 2, frame);
    if (found === undefined || code[end] !== close) {
      const { found: bounds, end: behind } = readSlice(program, code, name + 2, frame);
      return { keys, bounds, isWhole: bounds !== undefined && code[behind] !== open };
    }
    keys.push(found);
    name = end;
  }
  return { keys, isWhole: true };
}

/** The bounds of the slice that begins at `at`, undefined if it is none or one of them cannot be read off, and what comes behind it. */
function readSlice(
  program: Program,
  code: ArrayLike<number>,
  at: number,
  frame: Frame,
): Read<Bounds | undefined> {
  const first = readIndex(program, code, at, frame);
  if (code[first.end] !== colon) return { found: undefined, end: first.end };
  const last = readIndex(program, code, first.end + 1, frame);
  if (code[last.end] !== close) return { found: undefined, end: last.end };
  const [begin, end] = [first, last].map(({ found }) => found && integerOf(found));
  const isUnread = (first.found && begin === undefined) || (last.found && end === undefined);
  return { found: isUnread ? undefined : [begin, end], end: last.end + 1 };
}

/** The index that begins at `at`: an integer, a string, a name or an attribute, or one of these and an integer more or less. */
function readIndex(
  program: Program,
  code: ArrayLike<number>,
  at: number,
  frame: Frame,
): Read<readonly number[] | undefined> {
  const token = code[at];
  if (token === minus || isDigitToken(token)) {
    const end = digitsEnd(code, at + Number(token === minus));
    return { found: isDigitToken(code[end - 1]) ? part(code, at, end) : undefined, end };
  }
  if (token !== undefined && quotes.includes(token)) {
    let end = at + 1;
    while (end < code.length && code[end] !== token) end += code[end] === backslash ? 2 : 1;
    return { found: part(code, at, end + 1), end: end + 1 };
  }
  const { value, end: behind } = valueAt(program, code, at, frame);
  if (value === undefined) return { found: undefined, end: at };
  const sign = code[behind];
  if ((sign !== plus && sign !== minus) || !isDigitToken(code[behind + 1]))
    return { found: value, end: behind };
  const end = digitsEnd(code, behind + 1);
  const [number, more] = [integerOf(value), integerOf(part(code, behind + 1, end))];
  if (number === undefined || more === undefined) return { found: undefined, end };
  return { found: textTokens(String(sign === plus ? number + more : number - more)), end };
}

const part = (code: ArrayLike<number>, first: number, end: number): number[] =>
  Array.from({ length: Math.min(end, code.length) - first }, (_, index) => code[first + index] as number);

function digitsEnd(code: ArrayLike<number>, at: number): number {
  let end = at;
  while (isDigitToken(code[end])) end += 1;
  return end;
}

/**
 * Where in a value the marks stand, ascending: before each item of the lookups and where a slice begins and ends, before the last token for an item
 * that is not there. `following`: a loop goes over what is looked up, and this is the number of the item that comes next (negative: from the end): it is one
 * more lookup, of a slice the only one. Only displays have items: lists, tuples, dicts, sets and strings, and what is written with one of them, as `deque([1])` is.
 */
export const marks = (value: readonly number[], lookups: Lookups, following: number | undefined): number[] =>
  [...new Set(lookedUp(value, lookups, following))].sort((a, b) => a - b);

/** The same in the order of the lookups: two may stand before one token, where a value is cut or a character looks like a bracket. */
function* lookedUp(
  value: readonly number[],
  { keys, bounds }: Lookups,
  following: number | undefined,
): Generator<number> {
  let [first, end] = display(value, 0, value.length);
  for (const key of following === undefined || bounds ? keys : [...keys, following]) {
    const items = itemsOf(value, first, end);
    const at = items && place(value, first, items, key);
    if (items === undefined || at === undefined) return;
    const item = items[at];
    yield item?.first ?? end - 1;
    if (item === undefined) return;
    [first, end] = display(value, item.colon < 0 ? item.first : item.colon + 1, item.end);
  }
  const items = bounds && value[first] !== brace ? itemsOf(value, first, end) : undefined;
  if (items === undefined || bounds === undefined) return;
  for (const at of within(value, items.length, bounds, following)) yield items[at]?.first ?? end - 1;
}

/** The number of the item that `key` names, the number of items if there is none; undefined where `key` is no index of the value. */
function place(
  value: readonly number[],
  first: number,
  items: readonly Item[],
  key: Key,
): number | undefined {
  if (typeof key === 'number') {
    if (key >= 0) return Math.min(key, items.length);
    if (value.includes(special.cut)) return undefined;
    return key + items.length >= 0 ? key + items.length : items.length;
  }
  if (value[first] === brace) {
    if (items.some((item) => item.colon < 0)) return undefined; // a set
    const at = items.findIndex(
      (item) =>
        item.colon - item.first === key.length &&
        key.every((token, index) => value[item.first + index] === token),
    );
    return at < 0 ? items.length : at;
  }
  const number = integerOf(key);
  if (number === undefined || (number < 0 && value.includes(special.cut))) return undefined;
  const at = number < 0 ? number + items.length : number;
  return at >= 0 && at < items.length ? at : items.length;
}

/** Numbers of the items before which the marks of a slice of `count` items stand. */
function within(
  value: readonly number[],
  count: number,
  [begin, end]: Bounds,
  following: number | undefined,
): number[] {
  if (value.includes(special.cut) && ((begin ?? 0) < 0 || (end ?? 0) < 0)) return [];
  const clamped = (bound: number): number =>
    bound >= 0 ? Math.min(bound, count) : Math.max(bound + count, 0);
  const [first, last] = [clamped(begin ?? 0), clamped(end ?? count)];
  if (following !== undefined) return [Math.min(first + following, Math.max(first, last))];
  return [...(begin === undefined ? [] : [first]), ...(end === undefined ? [] : [last])];
}

/** The value with `<|it|>` before each of these tokens. */
export function marked(value: readonly number[], places: readonly number[]): number[] {
  const out: number[] = [];
  value.forEach((token, at) => {
    if (places.includes(at)) out.push(special.it);
    out.push(token);
  });
  return out;
}
