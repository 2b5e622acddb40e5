/** An answer as the views of the debug prompt get it. */
import { actionNumbers, eventNumbers, originNumbers, type WireAnswer } from '../../src/wire/messages.js';

export const tokens = { cached: 9, new: 3, forced: 1, drafted: 0, accepted: 0 };
export const local = (name: string, value: string) => ({ name, value });
/** After a step over, in the second of two frames. */
export const shownAnswer = (change: Partial<WireAnswer> = {}): WireAnswer => ({
  session: 's',
  number: 2,
  parent: 1,
  action: { kind: actionNumbers.step_over, lines: [] },
  state: {
    event: eventNumbers.line,
    frames: [
      { line: 2, locals: [local('x', '1')], its: [], gots: [] },
      { line: 3, locals: [local('x', '1'), local('y', '2')], its: [], gots: [] },
    ],
    hiddenFrames: 1,
  },
  function: 'f',
  functions: ['g', 'f'],
  sourceLine: '    return y',
  origin: originNumbers.model,
  probability: { event: 0.5, line: 0.5, locals: { y: 0.75 } },
  tokens,
  queueMillis: 0,
  computeMillis: 0,
  preemptions: 0,
  horizon: 0,
  atEnd: false,
  atStart: false,
  mode: 0,
  steps: { model: 1, cache: 0 },
  expectedHorizon: 0,
  ...change,
});
