import { describe, expect, it } from 'vitest';
import type { DebuggerState, Frame } from '../../../src/debugger/state.js';
import { sameState } from '../../../src/session/same-state.js';

const frame = (change: Partial<Frame> = {}): Frame => ({
  line: 2,
  locals: new Map([
    ['a', '1'],
    ['b', '2'],
  ]),
  its: [1],
  gots: ['3'],
  ...change,
});
const state = (change: Partial<DebuggerState> = {}): DebuggerState => ({
  event: 'return',
  frames: [frame(), frame({ line: 5 })],
  hiddenFrames: 1,
  value: '7',
  ...change,
});
const withFrame = (change: Partial<Frame>): DebuggerState =>
  state({ frames: [frame(change), frame({ line: 5 })] });

describe('states', () => {
  it('that show the same are the same, in whatever order their locals stand', () => {
    expect(sameState(state(), state())).toBe(true);
    const turned = new Map([...frame().locals].reverse());
    expect(sameState(state(), withFrame({ locals: turned }))).toBe(true);
  });

  it.each<[string, DebuggerState]>([
    ['event', state({ event: 'exception' })],
    ['value', state({ value: '8' })],
    ['hidden frames', state({ hiddenFrames: 0 })],
    ['number of frames', state({ frames: [frame()] })],
    ['line', withFrame({ line: 3 })],
    ['loop counter', withFrame({ its: [2] })],
    ['number of loop counters', withFrame({ its: [1, 0] })],
    ['returned value', withFrame({ gots: ['4'] })],
    ['number of returned values', withFrame({ gots: [] })],
    ['local', withFrame({ locals: new Map([['a', '1']]) })],
    ['value of a local', withFrame({ locals: new Map([...frame().locals, ['b', '3']]) })],
    [
      'name of a local',
      withFrame({
        locals: new Map([
          ['a', '1'],
          ['c', '2'],
        ]),
      }),
    ],
    ['one local more', withFrame({ locals: new Map([...frame().locals, ['c', '3']]) })],
  ])('with another %s are not the same', (_what, other) => {
    expect(sameState(state(), other)).toBe(false);
    expect(sameState(other, state())).toBe(false);
  });
});
