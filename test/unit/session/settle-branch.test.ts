/** Conditions on several lines: each is asked for where it stands, and the step can go where they lead and nowhere else. */
import { describe, expect, it } from 'vitest';
import { encodeDelta } from '../../../src/debugger/language/encode.js';
import { special } from '../../../src/debugger/language/tokens.js';
import { encodeValue } from '../../../src/debugger/language/values.js';
import { parseProgram } from '../../../src/debugger/program.js';
import type { Frame } from '../../../src/debugger/state.js';
import { GrammarWalker } from '../../../src/native/grammar-walker.js';
import { stateOf as at, scriptedStep } from '../../support/scripted-step.js';
import { frameAt } from '../../support/states.js';

/** A step of `f(x)` from a line behind another one: how often the model is asked, and to which lines it may go then. answers: of the questions before. */
async function step(
  lines: readonly string[],
  [lineBefore, line]: readonly [before: number | undefined, line: number],
  x: string,
  answers: readonly string[] = [],
) {
  const program = parseProgram(['def f(x):', ...lines.map((text) => `    ${text}`), ''].join('\n'), 'f(3)');
  const frame: Frame = { ...frameAt(line, { x }), ...(lineBefore === undefined ? {} : { lineBefore }) };
  const before = at('line', [frame]);
  const replies = answers.map((text) => [special.value, ...encodeValue(program, text), special.end]);
  const deltaTo = (to: number) => encodeDelta(program, before, at('line', [frameAt(to, { x })]), 1);
  const { asked, constraint } = await scriptedStep(program, before, 'step_into', [...replies, deltaTo(line)]);
  if (constraint === undefined) throw new Error('the step was held to nothing');
  const { data, state, frames } = constraint;
  const mayGoTo = (to: number): boolean => {
    const walker = new GrammarWalker(data, state, frames, 200);
    return deltaTo(to).every((token) => walker.accept(token));
  };
  return { asked, to: program.scopes[0]?.lines.filter(mayGoTo) };
}

const guarded = ['if (x and', '        x * x == 9):', '    x = 1', 'return x'];

describe('a condition on several lines', () => {
  it('leads where the values of names tell, without a question', async () => {
    expect(await step(guarded, [0, 2], '3')).toEqual({ asked: 1, to: [3] });
    expect(await step(guarded, [0, 2], '0')).toEqual({ asked: 1, to: [5] });
  });

  it('is asked for where it needs to be reckoned', async () => {
    expect(await step(guarded, [2, 3], '3', ['9', 'True'])).toEqual({ asked: 3, to: [4] });
    expect(await step(guarded, [2, 3], '3', ['9', 'False'])).toEqual({ asked: 3, to: [5] });
  });

  it('enters a generator expression, though it leads to one line in any case', async () => {
    const lines = [
      'if (',
      '        all(x > y for y in range(2)) and',
      '        x):',
      '    x = 1',
      'return x',
    ];
    expect(await step(lines, [0, 3], '3')).toEqual({ asked: 1, to: [] });
  });

  it.each<[string, string[], number | undefined, number[]]>([
    ['the line before is not known', guarded, undefined, [3, 4, 5]],
    [
      'something in it changes what it reads',
      ['if (x.pop() or', '        x):', '    x = 1', 'return x'],
      0,
      [3, 4],
    ],
    ['it suspends the frame', ['if (x and', '        (yield x)):', '    x = 1', 'return x'], 0, [2, 3, 4, 5]],
  ])('is left to the model where %s', async (_, lines, before, to) => {
    expect(await step(lines, [before, 2], '[1]')).toEqual({ asked: 1, to });
  });
});

describe('a choice on several lines', () => {
  const choice = ['y = (x', '     if x', '     else 1)', 'return y'];

  it('leads to the branch that is taken', async () => {
    expect(await step(choice, [0, 3], '1')).toEqual({ asked: 1, to: [2] });
    expect(await step(choice, [0, 3], '0')).toEqual({ asked: 1, to: [2] });
    expect(await step(choice, [3, 2], '0')).toEqual({ asked: 1, to: [4] });
  });
});
