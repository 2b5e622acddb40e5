import { describe, expect, it } from 'vitest';
import type { DebuggerState } from '../../../src/debugger/state.js';
import { alongWay } from '../../../src/session/answer.js';

/** A frame that a caller on a line has called. */
const state = (callerLine: number, locals: Record<string, string>): DebuggerState => ({
  event: 'line',
  frames: [
    { line: callerLine, locals: new Map(), its: [], gots: [] },
    { line: 2, locals: new Map(Object.entries(locals)), its: [], gots: [] },
  ],
  hiddenFrames: 0,
});
const fields = { event: 1, line: 0.5, locals: new Map([['b', 0.5]]) };

describe('a state that several predictions led to', () => {
  it('is as sure as its last answer, if all before it are right', () => {
    const found = alongWay(state(9, { a: '1' }), state(9, { a: '1', b: '2', c: '3' }), fields, 0.5);
    expect(found).toEqual({
      event: 0.5,
      line: 0.25,
      locals: new Map([
        ['b', 0.25],
        ['c', 0.5],
      ]),
    });
  });

  it('has taken nothing over from another frame, though it may look alike', () => {
    const found = alongWay(state(9, { a: '1' }), state(10, { a: '1', b: '2' }), fields, 0.5);
    expect(found.locals).toEqual(
      new Map([
        ['b', 0.25],
        ['a', 0.5],
      ]),
    );
  });

  it('counts callers from the top, for those at the bottom may be hidden', () => {
    const cut = state(9, { a: '1' });
    const reached = { ...cut, frames: cut.frames.slice(1), hiddenFrames: 1 };
    expect(alongWay(cut, reached, fields, 0.5).locals).toEqual(new Map([['b', 0.25]]));
  });
});
