/** Statements on several lines: what they leave is worked out whole, and on the way nothing changes, whatever the model believes. */
import { describe, expect, it } from 'vitest';
import { encodeDelta } from '../../../src/debugger/language/encode.js';
import { special } from '../../../src/debugger/language/tokens.js';
import { encodeValue } from '../../../src/debugger/language/values.js';
import { parseProgram } from '../../../src/debugger/program.js';
import type { DebuggerState, Frame } from '../../../src/debugger/state.js';
import { stateOf as at, scriptedStep } from '../../support/scripted-step.js';
import { frameAt } from '../../support/states.js';

const behind = (lineBefore: number, frame: Frame): Frame => ({ ...frame, lineBefore });

/** A step of `f(x)`, which the model believes to lead to `wrong`. answers: of the questions before it. */
async function step(
  lines: readonly string[],
  before: DebuggerState,
  wrong: DebuggerState,
  answers: readonly string[] = [],
) {
  const program = parseProgram(['def f(x):', ...lines.map((line) => `    ${line}`), ''].join('\n'), 'f(3)');
  const replies = answers.map((text) => [special.value, ...encodeValue(program, text), special.end]);
  const { delta, asked } = await scriptedStep(program, before, 'step_into', [
    ...replies,
    encodeDelta(program, before, wrong, 1),
  ]);
  const { line, locals, lineBefore } = delta.state.frames.at(-1) as Frame;
  return {
    asked,
    event: delta.state.event,
    line,
    locals: Object.fromEntries(locals),
    lineBefore,
    value: delta.state.value,
  };
}

describe('a statement on several lines', () => {
  const sum = ['y = (', '    x', '    + 4)', 'return y'];

  it('changes nothing before it ends', async () => {
    const before = at('line', [behind(0, frameAt(3, { x: '3', y: '1' }))]);
    const wrong = at('line', [frameAt(4, { x: '3', y: '9' })]);
    expect(await step(sum, before, wrong)).toEqual({
      asked: 1,
      event: 'line',
      line: 4,
      locals: { x: '3', y: '1' },
      lineBefore: 3,
    });
  });

  it('leaves what its parts come to', async () => {
    const before = at('line', [behind(3, frameAt(2, { x: '3' }))]);
    const wrong = at('line', [frameAt(5, { x: '3', y: '9' })]);
    const found = await step(sum, before, wrong, ['7']);
    expect(found).toEqual({ asked: 2, event: 'line', line: 5, locals: { x: '3', y: '7' } });
  });

  it('gives what its parts come to', async () => {
    const before = at('line', [behind(3, frameAt(2, { x: '3' }))]);
    const wrong = at('return', [frameAt(2, { x: '3' })], '9');
    const found = await step(
      ['return max(', '    x,', '    5)'],
      { ...before, frames: [behind(4, frameAt(2, { x: '3' }))] },
      wrong,
      ['5'],
    );
    expect(found).toMatchObject({ asked: 2, event: 'return', value: '5' });
  });

  it('is begun where the frame comes from another one', async () => {
    const before = at('line', [behind(0, frameAt(2, { x: '3' }))]);
    const wrong = at('line', [frameAt(3, { x: '3' })]);
    const found = await step(['y = max(', '    x,', '    5)', 'return y'], before, wrong);
    expect(found).toEqual({ asked: 1, event: 'line', line: 3, locals: { x: '3' }, lineBefore: 2 });
  });

  it('changes a list at its end', async () => {
    const list = { x: '[1]' };
    const before = at('line', [behind(3, frameAt(2, list))]);
    const wrong = at('line', [frameAt(4, { x: '[9]' })]);
    const found = await step(['x.append(', '    7)', 'return x'], before, wrong);
    expect(found).toMatchObject({ event: 'line', line: 4, locals: { x: '[1, 7]' } });
  });

  it('changes something before it ends where it assigns to several lines', async () => {
    const swap = ['(', '    x[0],', '    x[1],', ') = (', '    x[1],', '    x[0],', ')', 'return x'];
    const [whole, half, swapped] = ['[3, 4]', '[4, 4]', '[4, 3]'];
    const first = at('line', [behind(7, frameAt(3, { x: whole }))]);
    const second = at('line', [behind(3, frameAt(4, { x: half }))]);
    const [right, end] = [at('line', [frameAt(4, { x: half })]), at('line', [frameAt(9, { x: swapped })])];
    expect(await step(swap, first, right)).toMatchObject({ line: 4, locals: { x: half } });
    expect(await step(swap, second, end)).toMatchObject({ line: 9, locals: { x: swapped } });
  });

  it.each([
    ['calls what may change something', ['y = max(', '    x.pop(),', '    5)', 'return x'], 2, 5],
    ['comes right after itself', ['while True:', '    x = (', '        x', '        + 1)'], 3, 4],
    ['branches', ['if (x.pop() or', '        x):', '    x = 1', 'return x'], 2, 4],
  ] as const)('is left to the model where it %s', async (_, lines, from, to) => {
    const before = at('line', [frameAt(from, { x: '[3, 4]' })]);
    const wrong = at('line', [frameAt(to, { x: '[3]' })]);
    expect(await step(lines, before, wrong)).toMatchObject({ asked: 1, line: to, locals: { x: '[3]' } });
  });
});
