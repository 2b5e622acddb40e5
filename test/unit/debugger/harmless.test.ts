/** Whether functions of a program leave lists as they find them. */
import { expect, it } from 'vitest';
import { leavesAllAsItIs } from '../../../src/debugger/harmless.js';
import { parseProgram } from '../../../src/debugger/program.js';

it.each<[string, string, boolean]>([
  ['reads', '    return len(ys) + ys[0]', true],
  ['calls another that reads', '    return h(ys)', true],
  ['stores an item', '    ys[0] = 1\n    return 2', false],
  ['calls a method that it does not know', '    ys.append(1)\n    return 2', false],
  ['updates a name', '    ys += [1]\n    return 2', false],
  ['calls another that stores', '    return k(ys)', false],
  ['binds names', '    n = len(ys)\n    for y in ys:\n        n = n - y\n    return n', true],
])('a function that %s', (_, body, isHarmless) => {
  const others = 'def h(zs):\n    return zs[0]\ndef k(zs):\n    zs[0] = 1\n    return 2\n';
  const program = parseProgram(
    `${others}def g(ys):\n${body}\ndef f(xs):\n    x = g(xs)\n    return x\n`,
    'f([1])',
  );
  const scope = program.scopes.find(({ name }) => name === 'f');
  const line = program.lines.findIndex((text) => text.includes('x = g')) + 1;
  expect(scope && leavesAllAsItIs(program, scope, line)).toBe(isHarmless);
});
