/** Which of two values is less, as far as it follows from what they are made of. */
import { isSequence, itemsIn } from './displays.js';
import type { Value } from './plan.js';
import { charOf, textTokens } from './tokens.js';

/**
 * Whether `left` is less than `right`, or the two items whose comparison tells it: of tuples and lists, the first that differ.
 * What is written alike is equal.
 */
export function decidingItems(left: Value, right: Value): boolean | readonly [Value, Value] {
  if (left.join() === right.join()) return false;
  if (!isSequence(left) || left[0] !== right[0]) return [left, right];
  const [ofLeft, ofRight] = [itemsIn(left), itemsIn(right)];
  const at = ofLeft.findIndex((item, index) => item.join() !== ofRight[index]?.join());
  const [first, second] = [ofLeft[at], ofRight[at]];
  return first && second ? decidingItems(first, second) : ofLeft.length < ofRight.length;
}

/** The same of two texts: the numbers of the first characters that differ. */
export function decidingNumbers(left: Value, right: Value): boolean | readonly [Value, Value] {
  const [ofLeft, ofRight] = [left.slice(1, -1), right.slice(1, -1)];
  const at = ofLeft.findIndex((character, index) => character !== ofRight[index]);
  const [first, second] = [ofLeft[at], ofRight[at]];
  if (first === undefined || second === undefined) return ofLeft.length < ofRight.length;
  return [numberOf(first), numberOf(second)];
}

const numberOf = (character: number): Value => textTokens(String(charOf(character).charCodeAt(0)));
