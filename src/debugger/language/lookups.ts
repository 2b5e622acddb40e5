/** Looking into values that are told: what stands where, how many there are (docs/trace-language.md, section 9). */
import { hasItems, isSequence, isText, itemsIn, quotes } from './displays.js';
import { withItems } from './items.js';
import { integerOf } from './literal-values.js';
import type { Part } from './parts.js';
import type { Plan, Told, Value } from './plan.js';
import { found, type Look, lookOf } from './tables.js';
import { charToken, textTokens, wordTokens } from './tokens.js';

const colon = charToken(':');
const quote = quotes[0] as number;
const [isTrue, isFalse] = wordTokens('True False') as [number, number];
const minusOne = textTokens('-1');

/** What looks into what is told needs no question. */
export function lookupPlan(code: ArrayLike<number>, part: Part, told: Told): Plan | undefined {
  const value = lookedAt(code, part, told);
  return value && { questions: 0, value: () => value };
}

/** What a part comes to that looks into what is told; undefined for other parts, and where that raises or is not told. */
export function lookedAt(code: ArrayLike<number>, part: Part, told: Told): Value | undefined {
  const [first, second] = part.parts;
  // Of subscripts one behind the other only the outermost is visited.
  const valueAt = (inner: Part): Value | undefined =>
    told(inner) ?? (inner.kind === 'subscript' ? lookedAt(code, inner, told) : undefined);
  if (part.kind === 'subscript' && first && second?.kind === 'slice') {
    const value = valueAt(first);
    return value && sliced(value, boundsOf(code, second, told));
  }
  const look = lookOf(code, part);
  const value = look && valueAt(look.table);
  if (look === undefined || value === undefined) return undefined;
  if (look.kind === 'len') return hasItems(value) ? countOf(itemsIn(value).length) : undefined;
  if (isText(value)) return inText(look, value, told);
  return found(look, value, told);
}

const countOf = (count: number): Value => textTokens(String(count));

/** A character of a string, or where another string begins in it. */
function inText({ kind, given }: Look, text: Value, told: Told): Value | undefined {
  const key = given[0] && told(given[0]);
  if (key === undefined) return undefined;
  if (kind === 'item') {
    const number = integerOf(key);
    const character = number === undefined ? undefined : itemsIn(text).at(number);
    const isThere = number !== undefined && number >= -(text.length - 2);
    return character && isThere ? [quote, ...character, quote] : undefined;
  }
  if (!isText(key)) return undefined;
  const at = placeIn(text, key);
  if (kind === 'in' || kind === 'not in') return [at >= 0 === (kind === 'in') ? isTrue : isFalse];
  if (kind === 'find') return at < 0 ? minusOne : countOf(at);
  return kind === 'index' && at >= 0 ? countOf(at) : undefined;
}

/** The number of the character at which one string begins in another; -1: nowhere. */
function placeIn(text: Value, wanted: Value): number {
  const [whole, part] = [text.slice(1, -1), wanted.slice(1, -1)];
  for (let at = 0; at + part.length <= whole.length; at += 1)
    if (part.every((token, index) => whole[at + index] === token)) return at;
  return -1;
}

export type Bounds = readonly (number | undefined)[];

/** Begin, end and step of a slice, those that are written; undefined where one of them is not told, or no integer. */
export function boundsOf(code: ArrayLike<number>, { first, parts }: Part, told: Told): Bounds | undefined {
  const bounds: (number | undefined)[] = [];
  let [place, at] = [0, first];
  for (const part of parts) {
    for (; at < part.begin; at += 1) if (code[at] === colon) place += 1;
    const value = told(part);
    const bound = value && integerOf(value);
    if (bound === undefined) return undefined;
    bounds[place] = bound;
    at = part.until;
  }
  return bounds;
}

/** The items of a list, tuple or string from one to the next, as CPython counts them (`slice.indices`). */
function sliced(value: Value, bounds: Bounds | undefined): Value | undefined {
  if (bounds === undefined || !(isSequence(value) || isText(value))) return undefined;
  const items = itemsIn(value);
  const places = placesIn(items.length, bounds);
  return (
    places &&
    withItems(
      value,
      places.map((at) => items[at] as Value),
    )
  );
}

/** The numbers of the items of so many that a slice has, in its order; undefined where that raises. */
export function placesIn(size: number, bounds: Bounds): number[] | undefined {
  const step = bounds[2] ?? 1;
  if (step === 0) return undefined;
  const [least, most] = step > 0 ? [0, size] : [-1, size - 1];
  const clamped = (bound: number): number =>
    Math.min(Math.max(bound < 0 ? bound + size : bound, least), most);
  const [begin, end] = bounds;
  const from = begin === undefined ? (step > 0 ? 0 : size - 1) : clamped(begin);
  const to = end === undefined ? (step > 0 ? size : -1) : clamped(end);
  const chosen: number[] = [];
  for (let at = from; step > 0 ? at < to : at > to; at += step) chosen.push(at);
  return chosen;
}
