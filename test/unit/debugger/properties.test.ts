/** Properties: what reading an attribute enters, and what that leaves unsaid. */
import { describe, expect, it } from 'vitest';
import { parseProgram } from '../../../src/debugger/program.js';
import { settledLine } from '../../../src/session/settle.js';
import { stateOf as at, stepOf } from '../../support/scripted-step.js';
import { frameAt } from '../../support/states.js';

const classes = [
  'class Item:',
  '    def __init__(self, price):',
  '        self.price = price',
  '    @property',
  '    def gross(self):',
  '        return self.price * 2',
  '    @property',
  '    def size(self):',
  '        return 1',
  'class Box:',
  '    size: int',
];

/** What the line of a function of `x` and `n` enters first: its line, and what is told of its parameters. */
function entered(line: string, x = '<Item object {price: 3}>', source = classes) {
  const program = parseProgram(
    [
      ...source,
      'def f(x, n):',
      `    ${line}`,
      ...(line.endsWith(':') ? ['        pass'] : []),
      '    return x',
      '',
    ].join('\n'),
    'f(1, 2)',
  );
  const state = at('line', [frameAt(source.length + 2, { x, n: '4' })]);
  const { ended, entered: next } = settledLine(stepOf(program, state, 'step_into'));
  return next && { ended, line: next.line, values: Object.fromEntries(next.values) };
}

describe('reading a property', () => {
  const getter = { ended: 'enters', line: 4, values: { self: '<Item object {price: 3}>' } };

  it.each([
    'y = x.gross',
    'return x.gross + n',
    'while x.gross > n:',
    'y = not x.gross',
    'y = [x.gross, n]',
  ])('enters it: %s', (line) => expect(entered(line)).toEqual(getter));

  it('comes behind what is evaluated before', () => {
    expect(entered('y = g(n) + x.gross', undefined, [...classes, 'def g(n):', '    return n'])?.line).toBe(
      12,
    );
    expect(entered('y = min(x.price, x.gross)')?.line).toBe(4);
  });

  it('is told of any object where no other attribute has its name', () => {
    expect(entered('y = x.gross', '<unrepresentable Thing>')?.line).toBe(4);
    expect(entered('y = x.size', '<unrepresentable Thing>')).toBeUndefined();
    expect(entered('y = x.size')?.line).toBe(7);
  });

  it('is not told where attributes may be anything', () => {
    const source = [...classes, '    def __getattr__(self, name):', '        return 1'];
    expect(entered('y = x.price.gross', undefined, source)).toBeUndefined();
  });

  it('is none of a class that has a setter for it', () => {
    const source = [...classes, '    @size.setter', '    def size(self, value):', '        pass'];
    const program = parseProgram(
      [...source, 'def f(x):', '    x.price = 5', '    return x', ''].join('\n'),
      'f(1)',
    );
    const state = at('line', [frameAt(source.length + 2, { x: '<Item object {price: 3}>' })]);
    expect(settledLine(stepOf(program, state, 'step_into')).results.assigned.size).toBe(0);
  });

  it('leaves what other attributes are assigned to be told', () => {
    const program = parseProgram(
      [...classes, 'def f(x):', '    x.price = 5', '    return x', ''].join('\n'),
      'f(1)',
    );
    const state = at('line', [frameAt(classes.length + 2, { x: '<Item object {price: 3}>' })]);
    const { assigned } = settledLine(stepOf(program, state, 'step_into')).results;
    expect(assigned.get('x')).toBe('<Item object {price: 5}>');
  });
});
