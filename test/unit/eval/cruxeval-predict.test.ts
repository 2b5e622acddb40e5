import { describe, expect, it } from 'vitest';
import type { Action } from '../../../src/debugger/action.js';
import type { DebuggerState, Frame } from '../../../src/debugger/state.js';
import { ForetraceError } from '../../../src/errors.js';
import { breakpointJump, jump, type Predictor, walk } from '../../../src/eval/cruxeval-predict.js';
import type { Sampling } from '../../../src/scheduler/request.js';
import { stateAt as state } from '../../support/states.js';

const start = state('call', 1, { n: '1' });
const second = state('line', 2, { n: '1' });
const third = state('line', 3, { n: '1' });
const raising = state('exception', 3, { n: '1' }, "ValueError('n')");
const end = (value: string) => state('return', 3, { n: '1' }, value);
const deeper = (inner: DebuggerState): DebuggerState => ({
  ...inner,
  frames: [...second.frames, ...inner.frames],
});

/** Answers one after another, each with probability 1/2, and remembers what it was asked. */
function scripted(...answers: (DebuggerState | ForetraceError)[]) {
  const asked: { action: Action; sampling: Sampling | undefined }[] = [];
  const predict: Predictor = async (_state, action, sampling) => {
    asked.push({ action, sampling });
    const answer = answers.shift();
    if (answer === undefined) throw new Error('the script has ended');
    if (answer instanceof ForetraceError) throw answer;
    return { state: answer, probability: 0.5 };
  };
  return { predict, asked, kinds: () => asked.map(({ action }) => action.kind) };
}
const tooLong = () => new ForetraceError('context_too_long', 'too long');

describe('a walk', () => {
  it('ends at the return of the entry’s own frame', async () => {
    const { predict, kinds } = scripted(second, deeper(start), deeper(end('5')), third, end('7'));
    const walked = await walk(predict, start, { maxSteps: 10 });
    expect(walked).toMatchObject({ end: 'reached', probability: 0.5 ** 5 });
    expect(walked.states).toHaveLength(6);
    expect(walked.states.at(-1)?.value).toBe('7');
    expect(new Set(kinds())).toEqual(new Set(['step_into']));
  });

  it('tells an exception that leaves from None', async () => {
    expect(await walk(scripted(raising, end('None')).predict, start, { maxSteps: 9 })).toMatchObject({
      end: 'raised',
    });
    const caught = scripted(raising, second, end('None'));
    expect(await walk(caught.predict, start, { maxSteps: 9 })).toMatchObject({ end: 'reached' });
    const inside = scripted(deeper(raising), end('None'));
    expect(await walk(inside.predict, start, { maxSteps: 9 })).toMatchObject({ end: 'reached' });
  });

  it('is given up after its bound, where it meets itself, and where it grows too long', async () => {
    expect(await walk(scripted(second, third).predict, start, { maxSteps: 2 })).toMatchObject({
      end: 'steps',
    });
    const round = await walk(scripted(second, third, second).predict, start, { maxSteps: 9 });
    expect(round).toMatchObject({ end: 'repeated' });
    expect(round.states).toHaveLength(4);
    const [frame] = second.frames as [Frame];
    const behind = { ...second, frames: [{ ...frame, lineBefore: 3 }] };
    const passed = await walk(scripted(second, third, behind).predict, start, { maxSteps: 3 });
    expect(passed).toMatchObject({ end: 'steps' });
    expect(await walk(scripted(second, tooLong()).predict, start, { maxSteps: 9 })).toMatchObject({
      end: 'context_too_long',
      states: [start, second],
    });
  });

  it('fails where the first question does not fit, or the engine fails', async () => {
    const first = walk(scripted(tooLong()).predict, start, { maxSteps: 9 });
    await expect(first).rejects.toMatchObject({ code: 'context_too_long' });
    const closed = scripted(second, new ForetraceError('engine_closed', 'gone'));
    await expect(walk(closed.predict, start, { maxSteps: 9 })).rejects.toMatchObject({
      code: 'engine_closed',
    });
  });

  it('goes back to the entry’s call, each step drawn anew, and may pass a state twice when it is drawn', async () => {
    const sampling = { temperature: 1, topP: 1, seed: 40 };
    const { predict, asked, kinds } = scripted(third, second, third, deeper(start), start);
    const walked = await walk(predict, end('1'), { maxSteps: 9, direction: 'reverse', sampling });
    expect(walked.end).toBe('reached');
    expect(new Set(kinds())).toEqual(new Set(['inv_step_into']));
    expect(asked.map(({ sampling: drawn }) => drawn?.seed)).toEqual([40, 41, 42, 43, 44]);
  });
});

describe('jumps', () => {
  it('reach the end of the entry’s frame or lead elsewhere', async () => {
    const there = scripted(end('7'));
    expect(await jump(there.predict, start, 'step_return')).toEqual({
      end: 'reached',
      states: [start, end('7')],
      probability: 0.5,
    });
    expect(there.kinds()).toEqual(['step_return']);
    expect((await jump(scripted(third).predict, start, 'continue')).end).toBe('elsewhere');
    expect((await jump(scripted(start).predict, end('7'), 'inv_step_call')).end).toBe('reached');
    expect((await jump(scripted(end('7')).predict, end('7'), 'inv_continue')).end).toBe('elsewhere');
  });

  it('over a breakpoint step over the return line', async () => {
    const { predict, asked } = scripted(third, end('7'));
    const jumped = await breakpointJump(predict, start, [3]);
    expect(jumped).toMatchObject({ end: 'reached', probability: 0.25 });
    expect(asked.map(({ action }) => action)).toEqual([
      { kind: 'breakpoint', lines: [3] },
      { kind: 'step_over', lines: [] },
    ]);
  });

  it('pass stops in deeper calls, and leave a frame that goes on', async () => {
    const recursive = scripted(deeper(third), third, second, end('7'));
    expect((await breakpointJump(recursive.predict, start, [3])).end).toBe('reached');
    expect(recursive.kinds()).toEqual(['breakpoint', 'breakpoint', 'step_over', 'step_return']);
  });

  it('tell an exception, end somewhere, and without lines are one step_return', async () => {
    const raised = scripted(third, raising, end('None'));
    expect((await breakpointJump(raised.predict, start, [3])).end).toBe('raised');
    const lost = scripted(...Array.from({ length: 64 }, () => deeper(third)));
    expect(await breakpointJump(lost.predict, start, [3])).toMatchObject({ end: 'steps' });
    const long = scripted(third, tooLong());
    expect(await breakpointJump(long.predict, start, [3])).toMatchObject({ end: 'context_too_long' });
    const none = scripted(end('None'));
    expect((await breakpointJump(none.predict, start, [])).end).toBe('reached');
    expect(none.kinds()).toEqual(['step_return']);
  });
});
