/** Functions that give None, as CPython runs them: of none that was left by an exception it is said that it returned. */
import { expect, it } from 'vitest';
import { parseProgram } from '../../src/debugger/program.js';
import { hasReturned } from '../../src/debugger/raises-nothing.js';
import { realRun } from '../support/real-run.js';

const statements = [
  'pass',
  'return',
  'return x',
  'return None if x < 2 else None',
  'self.a = 0',
  'self.a, self.b = x, [xs, o]',
  'self.a = o is None',
  'self.a = x / 2',
  'self.a = xs[x]',
  'self.a = o.a',
  'o.a = x',
  'self.c = x',
  'xs[x] = s',
  'o[x] = 1',
  'o[xs] = 1',
  's[x] = xs[0] = 1',
  'self.c, self.a = x, xs',
  'y = x + 1',
  'y = s + s',
  'y += x',
  'y = x < s',
  'x = not xs',
  'xs.append(o)',
  'o.append(x)',
  'x = {xs}',
  'x, y = xs',
  'if x < 2: y = 1',
  'if xs and s: y = 1',
  'if o == x: y = 1',
  'for y in xs: y',
  'for y in s: y',
  'for y, z in xs: y',
  'for y in o: y',
  'for y in range(x): y',
  'for y in list(xs): y',
  'assert x',
];
const values = [
  "(3, [1, 2], 'it', None)",
  "(0, [1, 2, 3], '', Box())",
  "('t', 'ab', 4, [5])",
  "(None, [[1], [2, 3]], [1], 'o')",
  '(2.5, (1, 2), {}, {1: 2})',
];

const source = [
  'class Box:',
  '    @property',
  '    def c(self):',
  '        return 1',
  ...statements.flatMap((statement, index) => [
    `def f${index}(self, x, xs, s, o):`,
    '    y = 4',
    ...statement
      .split(': ')
      .map((line, at, { length }) => `${'    '.repeat(at + 1)}${line}${at < length - 1 ? ':' : ''}`),
  ]),
  'def main():',
  `    for x, xs, s, o in [${values.join(', ')}]:`,
  `        for f in [${statements.map((_, index) => `f${index}`).join(', ')}]:`,
  '            try:',
  '                f(Box(), x, xs, s, o)',
  '            except (TypeError, ValueError, AttributeError, IndexError, AssertionError):',
  '                pass',
  '',
].join('\n');

it('no function that was left by an exception is said to have returned', async () => {
  const program = parseProgram(source, 'main()');
  const count = { said: 0, left: 0, open: 0 };
  for (const { before, after } of await realRun(source, 'main()')) {
    if (before === null || after.event !== 'return' || after.value !== 'None') continue;
    const [isLeft, isSaid] = [before.event === 'exception', hasReturned(program, after)];
    count[isLeft ? 'left' : isSaid ? 'said' : 'open'] += 1;
    if (isLeft) expect(isSaid, program.lines[(after.frames.at(-1)?.line ?? 0) - 1]).toBe(false);
  }
  expect(count.left).toBeGreaterThan(30);
  expect(count.said).toBeGreaterThan(30);
});
