/** Lists, dicts and sets that are put together from items which may be equal. */
import type { Program } from '../program.js';
import { brace, withCommas } from './displays.js';
import { areAlike } from './item-changes.js';
import { listed } from './items.js';
import type { Value } from './plan.js';
import { charTokens } from './tokens.js';
import { decodeValue } from './values.js';

const [square, braceEnd, colon] = charTokens('[}:');

/** The list, set or dict (keys and values in turn) of items that a comprehension makes, in this order, by its first token; undefined where keys may be equal that are written in different ways. */
export function collectionOf(
  program: Program,
  opening: number,
  isDict: boolean,
  made: readonly (readonly Value[])[],
): Value | undefined {
  if (opening === square) return listed(made.map(([item]) => item as Value));
  if (opening !== brace || !areAlike(made.map(([key]) => key as Value))) return undefined;
  const entries = new Map(made.map(([key, value]) => [(key as Value).join(), [key, value] as const]));
  if (isDict) {
    const written = [...entries.values()].map(([key, value]) => [
      ...(key as Value),
      colon as number,
      ...(value as Value),
    ]);
    return [brace, ...withCommas(written), braceEnd as number];
  }
  const texts = [...entries.values()].map(
    ([item]) => [item as Value, decodeValue(program, item as Value)] as const,
  );
  if (texts.length === 0 || !texts.every(([, text]) => typeof text === 'string')) return undefined;
  // The canonical repr has the items of a set in the order of their texts.
  const inOrder = texts.toSorted(([, a], [, b]) => (a < b ? -1 : 1)).map(([item]) => item);
  return [brace, ...withCommas(inOrder), braceEnd as number];
}
