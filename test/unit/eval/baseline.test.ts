import { describe, expect, it } from 'vitest';
import { type ActionKind, actionKinds, takesLines } from '../../../src/debugger/action.js';
import { parseProgram } from '../../../src/debugger/program.js';
import { currentFrame, type DebuggerState } from '../../../src/debugger/state.js';
import { ruleAnswer } from '../../../src/eval/baseline.js';

// 1 def g, 2 b = a, 3 return b, 5 def f, 6 y = g(x), 7 y += 1, 8 return y
const program = parseProgram(
  'def g(a):\n    b = a\n    return b\n\ndef f(x):\n    y = g(x)\n    y += 1\n    return y\n',
  'f(1)',
);
const locals = (values: Record<string, string>) => new Map(Object.entries(values));
const outer = (line: number) => ({ line, locals: locals({ x: '1' }), its: [], gots: [] });
const inner = (line: number) => ({ line, locals: locals({ a: '1' }), its: [], gots: [] });
const state = (
  event: DebuggerState['event'],
  frames: DebuggerState['frames'],
  value?: string,
): DebuggerState => ({
  event,
  frames,
  hiddenFrames: 0,
  ...(value === undefined ? {} : { value }),
});
const shown = (answer: DebuggerState): string =>
  `${answer.event} ${currentFrame(answer).line} of ${answer.frames.length}${answer.value === undefined ? '' : ` ${answer.value}`}`;
const rule = (before: DebuggerState, kind: ActionKind, ...lines: number[]): string =>
  shown(ruleAnswer(program, before, { kind, lines }));

const inF = state('line', [outer(7)]);
const inG = state('line', [outer(6), inner(2)]);
const callG = state('call', [outer(6), inner(1)]);
const returnG = state('return', [outer(6), inner(3)], '1');

describe('the rule: the next line comes next, nothing changes, a breakpoint is reached', () => {
  it.each<[string, DebuggerState, ActionKind, string]>([
    ['the next line', inF, 'step_into', 'line 8 of 1'],
    ['the next line, over calls', inG, 'step_over', 'line 3 of 2'],
    ['after the last line a return of None', state('line', [outer(8)]), 'step_over', 'return 8 of 1 None'],
    ['the first line of a call', callG, 'step_into', 'line 2 of 2'],
    ['after a return the next line of the caller', returnG, 'step_into', 'line 7 of 1'],
    ['a return as step_over', returnG, 'step_return', 'line 7 of 1'],
    ['the end of this function', inG, 'step_return', 'return 3 of 2 None'],
    ['the end of the outermost function', inG, 'continue', 'return 8 of 1 None'],
    ['the line before', inF, 'inv_step_into', 'line 6 of 1'],
    ['before the first line the call', inG, 'inv_step_over', 'call 1 of 2'],
    ['before a call the line of the caller', callG, 'inv_step_into', 'line 6 of 1'],
    ['before a return its line', returnG, 'inv_step_over', 'line 3 of 2'],
    ['the start of this function', inG, 'inv_step_call', 'call 1 of 2'],
    ['the start of a call as inv_step_over', callG, 'inv_step_call', 'line 6 of 1'],
    ['the start of the outermost function', inG, 'inv_continue', 'call 5 of 1'],
  ])('%s', (_name, before, kind, expected) => {
    expect(rule(before, kind)).toBe(expected);
  });

  it('breakpoints: the next of the set in the direction of travel, else the first', () => {
    expect(rule(inF, 'breakpoint', 2, 6, 8)).toBe('line 8 of 1');
    expect(rule(inF, 'breakpoint', 2, 6)).toBe('line 2 of 1');
    expect(rule(inF, 'inv_breakpoint', 2, 6, 8)).toBe('line 6 of 1');
    expect(rule(inF, 'inv_breakpoint', 8)).toBe('line 8 of 1');
  });

  it('nothing changes, and a value never stays behind', () => {
    for (const kind of actionKinds) {
      for (const before of [inF, inG, callG, returnG]) {
        const answer = ruleAnswer(program, before, { kind, lines: takesLines(kind) ? [2] : [] });
        const frame = before.frames[answer.frames.length - 1];
        expect(currentFrame(answer).locals).toEqual(frame?.locals);
        expect(answer.value !== undefined).toBe(answer.event === 'return');
      }
    }
  });
});
