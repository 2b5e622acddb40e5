/** Methods that stand for values: how they are written, and what calling one enters. */
import { describe, expect, it } from 'vitest';
import { parseProgram } from '../../../src/debugger/program.js';
import { settledLine } from '../../../src/session/settle.js';
import { stateOf as at, stepOf } from '../../support/scripted-step.js';
import { frameAt } from '../../support/states.js';

const classes = [
  'class Lamp:',
  '    def __init__(self, on):',
  '        self.on = on',
  '    def turn(self, on=True):',
  '        self.on = on',
  '    @staticmethod',
  '    def make():',
  '        return Lamp(False)',
];
const lamp = '<Lamp object {on: False}>';
const turn = `<bound method Lamp.turn of ${lamp}>`;

function settled(line: string, locals: Readonly<Record<string, string>>) {
  const program = parseProgram(
    [...classes, 'def f(x, g):', `    ${line}`, '    return x', ''].join('\n'),
    'f(1, 2)',
  );
  const state = at('line', [frameAt(classes.length + 2, locals)]);
  return settledLine(stepOf(program, state, 'step_into'));
}

describe('a method with its object', () => {
  it.each<[string, string | undefined]>([
    ['y = x.turn', turn],
    ['y = [x.turn]', undefined],
    ['y = x.make', undefined],
    ['y = x.other', undefined],
  ])('%s', (line, text) => {
    expect(settled(line, { x: lamp, g: '1' }).results.assigned.get('y')).toBe(text);
  });

  it('enters it with that object', () => {
    const { entered, ended } = settled('g()', { x: '1', g: turn });
    expect([entered?.line, ended]).toEqual([4, 'enters']);
    expect(Object.fromEntries(entered?.values ?? [])).toEqual({ self: lamp, on: 'True' });
    expect(Object.fromEntries(settled('y = g(x)', { x: '7', g: turn }).entered?.values ?? [])).toEqual({
      self: lamp,
      on: '7',
    });
  });

  it('is not told where its text is cut, or names none of the program', () => {
    expect(
      settled('g()', { x: '1', g: '<bound method Lamp.turn of <Lamp object {on: …' }).entered,
    ).toBeUndefined();
    expect(settled('g()', { x: '1', g: `<bound method Lamp.burn of ${lamp}>` }).entered).toBeUndefined();
  });
});
