/**
 * Displays: values that are written with their items, as tokens (docs/trace-language.md, section 6). Lists, tuples, dicts, sets and strings are displays,
 * and what is written with one of them, as `deque([1])` is, has one. So has an object with attributes: `<Point object {x: 1}>`.
 */
import { byteToken, charToken, charTokens, isCharToken, special, wordTokens } from './tokens.js';

/** Indices into the tokens of a value: the item's first token, the end of a dict's key (-1: none), the item's end. */
export interface Item {
  readonly first: number;
  readonly colon: number;
  readonly end: number;
}

const [comma, colon, equals, backslash] = charTokens(',:=\\');
export const quotes: readonly number[] = charTokens(`'"`);
export const brace = charToken('{');
const braceEnd = charToken('}');
const [angle, angleEnd] = charTokens('<>');
const opening: readonly number[] = charTokens('([{');
const closing: readonly number[] = charTokens(')]}');
const [round, roundEnd] = charTokens('()');

const sequences: readonly (number | undefined)[] = charTokens('[(');
const [imaginary] = charTokens('j');
const noSet = [...wordTokens('set'), ...charTokens('()')].join();

const isContinuation = (token: number | undefined): boolean =>
  token !== undefined && token >= byteToken(0x80) && token < byteToken(0xc0);

/** Calls `visit` for each token outside quotes with the number of brackets open before it. */
function walk(
  value: readonly number[],
  first: number,
  end: number,
  visit: (token: number, at: number, depth: number) => void,
): void {
  let depth = 0;
  let quote: number | undefined;
  for (let at = first; at < end; at += 1) {
    const token = value[at] as number;
    if (quote !== undefined) {
      if (token === backslash) at += 1;
      else if (token === quote) quote = undefined;
      continue;
    }
    visit(token, at, depth);
    if (quotes.includes(token)) quote = token;
    else if (opening.includes(token)) depth += 1;
    else if (closing.includes(token)) depth -= 1;
  }
}

/**
 * Where the items of the value in `value[first .. end - 1]` are written: for `deque([1])` and its like in the first argument that is a display, for an object
 * its attributes.
 */
export function display(value: readonly number[], first: number, end: number): [first: number, end: number] {
  const begins = value[first] as number;
  if (begins === angle && value[end - 1] === angleEnd) return attributes(value, first, end);
  if (quotes.includes(begins) || opening.includes(begins) || !closing.includes(value[end - 1] as number))
    return [first, end];
  let begin = -1;
  let found: [number, number] | undefined;
  walk(value, first, end, (token, at, depth) => {
    if (found !== undefined) return;
    const before = value[at - 1] as number;
    if (opening.includes(token) && depth === 1 && (before === comma || opening.includes(before))) begin = at;
    else if (closing.includes(token) && depth === 2 && begin >= 0) found = [begin, at + 1];
  });
  return found ?? [first, end];
}

/** Where the attributes of an object are written; the value itself where there are none. */
function attributes(value: readonly number[], first: number, end: number): [first: number, end: number] {
  if (value[end - 2] !== braceEnd) return [first, end];
  let begin = -1;
  walk(value, first, end, (token, at, depth) => {
    if (begin < 0 && token === brace && depth === 0) begin = at;
  });
  return begin < 0 ? [first, end] : [begin, end - 1];
}

/** The fields of what is written as `Point(x=1, y=2)`, an item's `colon` being its `=`, of a value that is cut those that it shows whole; none of other values. */
export function fieldsOf(value: readonly number[]): readonly Item[] {
  const begins = value[0] as number;
  const isCut = value.at(-1) === special.cut;
  const isOther = quotes.includes(begins) || opening.includes(begins);
  if (value.length < 4 || isOther || (value.at(-1) !== roundEnd && !isCut)) return [];
  const items: Item[] = [];
  let [begin, key, isRead] = [-1, -1, true];
  walk(value, 0, value.length, (token, at, depth) => {
    if (depth === 0 && token === round && begin < 0) begin = at + 1;
    else if (depth === 1 && token === equals && key < 0) key = at;
    else if (depth === 1 && (token === comma || (at === value.length - 1 && !isCut))) {
      isRead &&= begin >= 0 && key >= 0;
      items.push({ first: begin, colon: key, end: at });
      [begin, key] = [at + 1, -1];
    }
  });
  return isRead ? items : [];
}

/** The items of the value in `value[first .. end - 1]`; undefined if it is nothing that has items. */
export function itemsOf(value: readonly number[], first: number, end: number): Item[] | undefined {
  const begins = value[first] as number;
  if (quotes.includes(begins)) return characters(value, first, end);
  if (!opening.includes(begins)) return undefined;
  const items: Item[] = [];
  let begin = first + 1;
  let key = -1;
  walk(value, first, end, (token, at, depth) => {
    if (depth !== 1) return;
    if (token === colon && key < 0 && begins === brace) key = at;
    if (token !== comma) return;
    items.push({ first: begin, colon: key, end: at });
    [begin, key] = [at + 1, -1];
  });
  if (begin < end - 1) items.push({ first: begin, colon: key, end: end - 1 });
  return items;
}

/** The items of a value, each by itself (of a dict with its key); none if it is nothing that has items. */
export const itemsIn = (value: readonly number[]): number[][] =>
  (itemsOf(value, 0, value.length) ?? []).map(({ first, end }) => value.slice(first, end));

function characters(value: readonly number[], first: number, end: number): Item[] {
  const items: Item[] = [];
  for (let at = first + 1; at < end - 1; ) {
    const begin = at;
    at += value[at] === backslash ? 2 : 1;
    while (at < end - 1 && isContinuation(value[at])) at += 1;
    items.push({ first: begin, colon: -1, end: Math.min(at, end - 1) });
  }
  return items;
}

/** Whether two values are written alike. */
export const same = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && a.every((token, at) => token === b[at]);

/** The tokens of items with commas between them. */
export const withCommas = (items: readonly (readonly number[])[]): number[] =>
  items.flatMap((item, at) => (at === 0 ? item : [comma, ...item]));

/** Whether a value is a string of characters that have tokens, none of them escaped. */
export const isText = (value: readonly number[]): boolean =>
  value.length > 1 &&
  value[0] === quotes[0] &&
  value.every((token) => isCharToken(token) && token !== backslash);

/** Whether a value is a list or a tuple. */
export const isSequence = (value: readonly number[]): boolean =>
  sequences.includes(value[0]) && !isComplex(value);

/** Whether the bracket that code begins with closes at its end. */
export function isEnclosed(code: readonly number[]): boolean {
  let depth = 0;
  const end = code.findIndex((token) => {
    depth += Number(opening.includes(token)) - Number(closing.includes(token));
    return depth === 0;
  });
  return code.length > 1 && end === code.length - 1;
}

/** Whether all brackets and quotes of code are closed. */
export function isBalanced(code: readonly number[]): boolean {
  let open = 0;
  let last = 0;
  walk(code, 0, code.length, (token, at, depth) => {
    open = depth + Number(opening.includes(token)) - Number(closing.includes(token));
    last = at;
  });
  return open === 0 && last === code.length - 1;
}

/** Whether a value is a complex number, which is written in brackets. */
const isComplex = (value: readonly number[]): boolean =>
  value[0] === sequences[1] && value.at(-2) === imaginary && !value.includes(comma as number);

/** Whether a value is a dict. */
export const isMapping = (value: readonly number[]): boolean =>
  value[0] === brace && (itemsOf(value, 0, value.length) ?? []).every((item) => item.colon >= 0);

/** Whether a value is a set. */
export const isSet = (value: readonly number[]): boolean =>
  (value[0] === brace && !isMapping(value)) || value.join() === noSet;

/** Whether a value is one of these. */
export const hasItems = (value: readonly number[]): boolean =>
  value[0] === brace || isText(value) || isSequence(value) || isSet(value);
