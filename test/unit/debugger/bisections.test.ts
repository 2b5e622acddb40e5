/** Places and orders that comparisons find are those of Python. */
import { expect, it } from 'vitest';
import { greatestFirst, placeFor } from '../../../src/debugger/language/bisections.js';
import { textTokens } from '../../../src/debugger/language/tokens.js';

const numbers = [0, 1, 2, 3, 4, 5, 6];
const tokens = numbers.map((x) => textTokens(`${x}`));
const numberOf = (value: readonly number[]): number =>
  tokens.findIndex((other) => other.join() === value.join());
const isLess = async (a: readonly number[], b: readonly number[]): Promise<boolean> =>
  numberOf(a) < numberOf(b);

it.each<[number[], number, number, number]>([
  [[], 3, 0, 0],
  [[3], 3, 0, 1],
  [[1, 3, 3, 3, 5], 3, 1, 4],
  [[1, 2, 4, 5], 3, 2, 2],
  [[1, 2], 6, 2, 2],
  [[1, 2], 0, 0, 0],
])('%j: %i goes to %i or %i', async (items, item, left, right) => {
  const values = items.map((x) => tokens[x] as number[]);
  const value = tokens[item] as number[];
  expect(await placeFor(values, value, true, isLess)).toBe(left);
  expect(await placeFor(values, value, false, isLess)).toBe(right);
});

it('what is equal keeps its order', async () => {
  const entries = [2, 5, 2, 1, 5, 0].map((x, at) => ({ by: tokens[x] as number[], at }));
  const ordered = await greatestFirst(entries, isLess);
  expect(ordered.map(({ at }) => at)).toEqual([1, 4, 0, 2, 3, 5]);
});
