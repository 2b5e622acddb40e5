/** What builtins make of items and the keys that a function has given of them, as Python has it. */
import { expect, it } from 'vitest';
import type { Round } from '../../../src/debugger/language/handed.js';
import { lineParts } from '../../../src/debugger/language/line-parts.js';
import { decodeValue, encodeValue } from '../../../src/debugger/language/values.js';
import { lineTokens, parseProgram } from '../../../src/debugger/program.js';
import type { Asking } from '../../../src/session/asking.js';
import { madeByRound } from '../../../src/session/made-by-round.js';

it.each<[string, string | undefined]>([
  ['max(xs, key=lambda x: x)', "'b'"],
  ['min(xs, key=lambda x: x)', "'a'"],
  ['sorted(xs, key=lambda x: x)', "['a', 'c', 'b', 'd']"],
  ['sorted(xs, key=lambda x: x, reverse=True)', "['b', 'd', 'a', 'c']"],
  ['sorted(xs, key=lambda x: x, reverse=False)', "['a', 'c', 'b', 'd']"],
  ['sorted(xs, key=lambda x: x, reverse=n)', undefined],
  ['xs.sort(key=lambda x: x)', "['a', 'c', 'b', 'd']"],
])('%s of a, b, c, d by 2, 7, 2, 7 is %s', async (line, expected) => {
  const program = parseProgram(`def f(xs, n):\n    return ${line}\n`, 'f([], 0)');
  const code = [...lineTokens(program, 2)];
  const part = lineParts(code)?.values[0];
  if (part === undefined) throw new Error('the line is not read');
  const encoded = (text: string) => encodeValue(program, text);
  const given = ["'a'", "'b'", "'c'", "'d'"].map((text) => [encoded(text)]);
  const round: Round = { kind: 'key', part, given };
  const asking = {
    isLess: async (a: readonly number[], b: readonly number[]) => (a[0] as number) < (b[0] as number),
  } as unknown as Asking;
  const value = await madeByRound(code, round, ['2', '7', '2', '7'].map(encoded), asking);
  expect(value && decodeValue(program, value)).toBe(expected);
});
