/** Lists and dicts with another value in one place, as `xs[1] = 7` and `d['k'] = 7` leave them. */
import { isMapping, itemsIn, itemsOf, quotes, withCommas } from './displays.js';
import { integerOf } from './literal-values.js';
import type { Value } from './plan.js';
import { charTokens, isDigitToken, wordToken } from './tokens.js';

const [round, square, squareEnd, brace, braceEnd, colon, minus] = charTokens('([]{}:-');
const none = wordToken('None');

/** The list of these items. */
export const listOf = (items: readonly Value[]): Value => [square, ...withCommas(items), squareEnd];

/** The item of a list or dict to which `index` leads; undefined where there is none or it cannot be told. */
export function itemAt(value: Value, index: Value): Value | undefined {
  const items = itemsOf(value, 0, value.length) ?? [];
  if (value[0] === square) {
    const item = items[placeIn(items.length, index) ?? -1];
    return item && value.slice(item.first, item.end);
  }
  if (value[0] !== brace || !isMapping(value)) return undefined;
  const found = items.find(({ first, colon: behind }) => value.slice(first, behind).join() === index.join());
  return found && value.slice(found.colon + 1, found.end);
}

/** The number of the item, counted from the beginning; undefined if there is none. */
function placeIn(size: number, index: Value): number | undefined {
  const number = integerOf(index);
  const at = number !== undefined && number < 0 ? number + size : number;
  return at === undefined || at < 0 || at >= size ? undefined : at;
}

/** The literal with `item` where `index` leads; undefined for what is no list or dict, and where that cannot be told or raises. */
export function withItem(value: Value, index: Value, item: Value): Value | undefined {
  const items = itemsOf(value, 0, value.length) ?? [];
  if (value[0] === square) {
    const at = placeIn(items.length, index);
    if (at === undefined) return undefined;
    const all = items.map(({ first, end }, place) => (place === at ? item : value.slice(first, end)));
    return listOf(all);
  }
  if (value[0] !== brace || !isMapping(value)) return undefined;
  const entries = items.map(({ first, colon: behind, end }) => ({
    key: value.slice(first, behind),
    held: value.slice(behind + 1, end),
  }));
  if (!areAlike([...entries.map(({ key }) => key), index])) return undefined;
  const at = entries.findIndex(({ key }) => key.join() === index.join());
  const all =
    at < 0
      ? [...entries, { key: index, held: item }]
      : entries.map((entry, place) => (place === at ? { ...entry, held: item } : entry));
  return [brace, ...withCommas(all.map(({ key, held }) => [...key, colon, ...held])), braceEnd];
}

/** The literal without the item to which `index` leads; undefined for what is no list or dict, and where there is none or it cannot be told. */
export function withoutItem(value: Value, index: Value): Value | undefined {
  if (itemAt(value, index) === undefined) return undefined;
  const items = itemsOf(value, 0, value.length) ?? [];
  const isList = value[0] === square;
  const gone = isList ? placeIn(items.length, index) : undefined;
  const kept = items.filter(({ first, colon: behind }, place) =>
    isList ? place !== gone : value.slice(first, behind).join() !== index.join(),
  );
  const [open, close] = isList ? [square, squareEnd] : [brace, braceEnd];
  return [open, ...withCommas(kept.map(({ first, end }) => value.slice(first, end))), close];
}

/** Whether values are equal only if they are written alike: integers, strings, None, and tuples of such. (1, 1.0 and True are equal.) */
export const areAlike = (values: readonly Value[]): boolean => values.every(isPlain);

const isPlain = (value: Value): boolean =>
  value[0] === round
    ? itemsIn(value).every(isPlain)
    : quotes.includes(value[0] as number) || isNone(value) || isInteger(value);
const isNone = (value: Value): boolean => value.length === 1 && value[0] === none;
const isInteger = (key: Value): boolean => {
  const digits = key[0] === minus ? key.slice(1) : key;
  return digits.length > 0 && digits.every(isDigitToken);
};
