/** Functions that gave None: which surely returned, by the line on which they stand. */
import { describe, expect, it } from 'vitest';
import { parseProgram } from '../../../src/debugger/program.js';
import { hasReturned } from '../../../src/debugger/raises-nothing.js';
import { frameAt } from '../../support/states.js';

const locals = {
  self: '<Box object>',
  x: '3',
  y: '4',
  xs: '[1, 2]',
  s: "'it'",
  o: '<E object>',
  d: '{3: 4}',
};

/** Whether the `__init__` of a class surely returned, whose last statement this is. */
function returned(statement: string): boolean {
  const head = ['class Box:', '    def __init__(self, x, xs, s, o, d):', '        y = 4'];
  const inside = statement.endsWith(':') ? ['            y = 1'] : [];
  const program = parseProgram(
    [...head, `        ${statement}`, ...inside, ''].join('\n'),
    'Box(1, 2, 3, 4, 5)',
  );
  const its = statement.startsWith('for') ? [2] : [];
  const frames = [{ ...frameAt(4, statement.includes('z') ? { ...locals, z: '5' } : locals), its }];
  return hasReturned(program, { event: 'return', value: 'None', frames, hiddenFrames: 0 });
}

describe('a function that gave None', () => {
  it.each([
    'pass',
    'return',
    'return None',
    'return x',
    'return None if x < 2 else s',
    'self.a = 0',
    'self.a = self.b = x',
    'self.a, self.b = x, [xs, o]',
    'self.a = o is None',
    'y = x + 1',
    'y += 2',
    'xs[1] = o',
    'd[x] = o',
    'x = not xs',
    'xs.append(o)',
    'if x < 2:',
    'if x >= y:',
    'if x != y:',
    'if xs and s:',
    'for y in xs:',
    'for y in s:',
    'for y in range(x):',
    'for y in range(f(x)):',
  ])('has returned by %s', (line) => expect(returned(line)).toBe(true));

  it.each([
    'self.a = x / 2',
    'self.a = f(x)',
    'self.a = xs[x]',
    'self.a = o.a',
    'self.a = q',
    'o.a = x',
    'self.a[x] = 1',
    'xs[x] = 1',
    'd[xs] = 1',
    'd[f(x)] = 1',
    'y = s + s',
    'y = o + 1',
    'xs.append(f(x))',
    'o.append(x)',
    'xs.pop(x)',
    'x = {xs}',
    'x, y = xs',
    'if o:',
    'if o == 3:',
    'if x < s:',
    'if x in y:',
    'if x not in y:',
    'for y, z in xs:',
    'for y in o:',
    'for y in f(x):',
    'assert x',
    'raise x',
  ])('may have been left by an exception on %s', (line) => expect(returned(line)).toBe(false));

  it.each([
    'class Box(dict):',
    'class Box(Other):',
    'class Box(NamedTuple):',
    'class Box: x = property(None)',
    '@dataclass(frozen=True)\nclass Box:',
  ])('may have been left where objects take attributes in their own way: %s', (head) => {
    const indent = head.includes('property') ? '' : '    ';
    const source = `${head}\n${indent}def f(self, x):\n${indent}    self.a = x\n`;
    const frames = [frameAt(source.split('\n').length - 1, { self: '<Box object>', x: '3' })];
    const program = parseProgram(source, 'f(1, 2)');
    expect(hasReturned(program, { event: 'return', value: 'None', frames, hiddenFrames: 0 })).toBe(false);
  });

  it('has returned where it gave something else', () => {
    const program = parseProgram('def f(x):\n    return x / 2\n', 'f(1)');
    const frames = [frameAt(2, { x: '3' })];
    expect(hasReturned(program, { event: 'return', value: '1.5', frames, hiddenFrames: 0 })).toBe(true);
  });
});
