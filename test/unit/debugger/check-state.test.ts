/** Which given states fit a program: the same events, lines and names that an answer may have. */
import { describe, expect, it } from 'vitest';
import { checkState } from '../../../src/debugger/navigate.js';
import { parseProgram } from '../../../src/debugger/program.js';
import type { DebuggerState, EventKind, Frame } from '../../../src/debugger/state.js';
import { asForetraceError } from '../../../src/errors.js';
import { goldenTransitions, stateOf } from './golden.js';

const program = parseProgram(
  'def plain(n):\n    return n\ndef steps(n):\n    yield n\n    return n\n',
  'plain(1)',
);
const frameOn = (line: number, locals: Record<string, string> = { n: '1' }): Frame => ({
  line,
  locals: new Map(Object.entries(locals)),
  its: [],
  gots: [],
});
const stateOn = (event: EventKind, ...frames: Frame[]): DebuggerState => ({
  event,
  frames,
  hiddenFrames: 0,
  ...(event === 'return' || event === 'exception' ? { value: '1' } : {}),
});
const check = (state: DebuggerState): string => {
  try {
    checkState(program, state);
    return 'fits';
  } catch (error) {
    return asForetraceError(error).code;
  }
};

describe('a given state', () => {
  it('of a real run fits its program', () => {
    for (const { source, call, cases } of goldenTransitions()) {
      const real = parseProgram(source, call);
      for (const { stack, next } of cases)
        for (const seen of [stack, next]) if (seen.length > 0) checkState(real, stateOf(seen));
    }
  });

  it.each<[EventKind, number, string]>([
    ['call', 1, 'fits'],
    ['call', 2, 'invalid_state'],
    ['line', 1, 'invalid_state'],
    ['line', 2, 'fits'],
    ['return', 1, 'invalid_state'],
    ['return', 2, 'fits'],
    ['exception', 1, 'invalid_state'],
    ['line', 3, 'invalid_state'],
    ['call', 4, 'fits'],
    ['exception', 3, 'fits'],
  ])('%s on line %i: %s', (event, line, verdict) => {
    expect(check(stateOn(event, frameOn(line)))).toBe(verdict);
  });

  it('was on a line of its function before, or on one that says nothing', () => {
    const before = (lineBefore: number): string => check(stateOn('line', { ...frameOn(2), lineBefore }));
    expect([0, 2, 4, 99, -1, 2.5].map(before)).toEqual(['fits', 'fits', ...Array(4).fill('invalid_state')]);
  });

  it('pauses its lower frames where a call can be', () => {
    expect(check(stateOn('line', frameOn(2), frameOn(2)))).toBe('fits');
    expect(check(stateOn('line', frameOn(1), frameOn(2)))).toBe('invalid_state');
  });

  it('is bounded in depth and in the length of each value', () => {
    const deep = (shown: number, hiddenFrames: number): DebuggerState => ({
      event: 'line',
      frames: new Array<Frame>(shown).fill(frameOn(2)),
      hiddenFrames,
    });
    expect(check(deep(24, 3976))).toBe('fits');
    expect(check(deep(24, 3977))).toBe('invalid_state');
    expect(check(deep(4001, 0))).toBe('invalid_state');
    const long = (length: number) => 'x'.repeat(length);
    expect(check(stateOn('line', frameOn(2, { n: long(65_536) })))).toBe('fits');
    expect(check(stateOn('line', frameOn(2, { n: long(65_537) })))).toBe('invalid_state');
    expect(check({ ...stateOn('return', frameOn(2)), value: long(65_537) })).toBe('invalid_state');
    expect(check(stateOn('line', { ...frameOn(2), gots: [long(65_537)] }))).toBe('invalid_state');
  });
});
