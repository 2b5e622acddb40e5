/** What a loop goes over, where the text tells it (docs/trace-language.md, section 9). */
import { counted, entries, itemsInOrder, joined, mostItems } from './items.js';
import { converted } from './kinds.js';
import { isLazy } from './known-calls.js';
import { integerOf } from './literal-values.js';
import type { Part } from './parts.js';
import { textTokens, wordToken } from './tokens.js';

type Value = readonly number[];

/** The items of a literal, and what iterators and views of such give, `most` at most. told: the value of a part as it is written, where that is known. */
export function iterated(
  code: ArrayLike<number>,
  part: Part,
  told: (part: Part) => Value | undefined,
  most = mostItems,
): Value[] | undefined {
  if (!isLazy(code, part)) {
    const value = told(part);
    return value && itemsInOrder(value, most);
  }
  const [callee, ...given] = part.parts as [Part, ...Part[]];
  const name = code[callee.end - 1] as number;
  if (callee.kind === 'attribute') {
    const value = told(callee.parts[0] as Part);
    return value && given.length === 0 ? entries(value, name, most) : undefined;
  }
  if (name === wordToken('range')) {
    const bounds = given.map(told);
    return bounds.every((bound) => bound !== undefined) ? counted(bounds, most) : undefined;
  }
  const [called, mapped] = given;
  if (name === wordToken('map') && given.length === 2 && called?.kind === 'name' && mapped) {
    const items = iterated(code, mapped, told, most)?.map((item) =>
      converted(code[called.first] as number, item),
    );
    return items?.every((item) => item !== undefined) ? items : undefined;
  }
  if (name === wordToken('enumerate')) return numbered(code, given, told, most);
  const inside = given.map((inner) => iterated(code, inner, told, most));
  if (!inside.every((items) => items !== undefined)) return undefined;
  if (name === wordToken('zip')) return zipped(inside);
  const [items, over] = [inside[0], given[0]];
  if (items === undefined || over === undefined || given.length > 1) return undefined;
  const isSequence = !isLazy(code, over) || code[over.first] === wordToken('range');
  return name === wordToken('reversed') && isSequence ? items.reverse() : undefined;
}

/** `enumerate(xs)`, `enumerate(xs, 1)`, `enumerate(xs, start=1)`. */
function numbered(
  code: ArrayLike<number>,
  [over, from, ...others]: readonly Part[],
  told: (part: Part) => Value | undefined,
  most: number,
): Value[] | undefined {
  if (over === undefined || others.length > 0) return undefined;
  const start = from?.kind === 'keyword' ? from.parts[0] : from;
  const first = start === undefined ? 0 : integerOf(told(start) ?? []);
  const items = first === undefined ? undefined : iterated(code, over, told, most);
  return items?.map((item, index) => joined([textTokens(String((first as number) + index)), item]));
}

function zipped(inside: readonly (readonly Value[])[]): Value[] {
  const length = inside.length === 0 ? 0 : Math.min(...inside.map((items) => items.length));
  return Array.from({ length }, (_, index) => joined(inside.map((items) => items[index] as Value)));
}
