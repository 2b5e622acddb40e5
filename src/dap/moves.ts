/** Moves of a program: a step, or on to the next breakpoint, and why it stops there. */
import { isLeftBy, mayBeLeft } from '../client/ending.js';
import { asForetraceError, errorText, type ForetraceError } from '../errors.js';
import { eventNumbers, type WireAnswer } from '../wire/messages.js';
import type { Breakpoints, Say } from './breakpoints.js';
import type { ActionName, Debuggee } from './debuggee.js';

/** Reasons of the protocol's `stopped` event. */
export type StopReason = 'entry' | 'step' | 'breakpoint' | 'exception' | 'pause';

/** Takes a while; gives the reason of the stop, if there is one. */
export type Move = (program: Debuggee) => Promise<StopReason | 'ended'>;

/** Stops at breakpoints whose condition does not hold, before somebody should have a look: a predicted loop may be endless. */
const mostPassed = 256;

/** An exception is shown as one wherever a move comes upon it. */
const reasonOf = ({ state }: WireAnswer, otherwise: StopReason): StopReason =>
  state.event === eventNumbers.exception ? 'exception' : otherwise;

export const stepBy =
  (action: ActionName, breakpoints: Breakpoints): Move =>
  async (program) =>
    reasonOf(await program.act(action, [], breakpoints.stopsAtExceptions), 'step');

/** Through the whole program, as without a debugger: nothing stops it, and what it gives is said, or why that is not known. */
export const runThrough =
  (say: Say): Move =>
  async (program) => {
    try {
      const end = await program.act('continue');
      const before = mayBeLeft(end) ? await program.act('inv_step_into') : undefined;
      const raised = before && isLeftBy(end, before) ? before.state.value : undefined;
      say(raised === undefined ? `returned ${end.state.value ?? ''}` : `raised ${raised}`, false);
    } catch (error) {
      say(errorText(asForetraceError(error)), true);
    }
    return 'ended';
  };

/** To the next breakpoint that is to stop, or to where the run ends (going back: begins). */
export const resume =
  (isReverse: boolean, breakpoints: Breakpoints, say: Say): Move =>
  async (program) => {
    const evaluate = (expression: string): Promise<string> => program.evaluate(expression);
    for (let passed = 0; passed < mostPassed; passed += 1) {
      const { lines, stopsAtExceptions } = breakpoints;
      const answer =
        lines.length > 0
          ? await program.act(isReverse ? 'inv_breakpoint' : 'breakpoint', lines, stopsAtExceptions)
          : await program.act(isReverse ? 'inv_continue' : 'continue', [], stopsAtExceptions);
      const line = answer.state.frames.at(-1)?.line ?? 0;
      if (answer.state.event !== eventNumbers.line || !lines.includes(line))
        return reasonOf(answer, isReverse ? 'entry' : 'step');
      if (await breakpoints.stopsAt(line, evaluate, say)) return 'breakpoint';
    }
    say(`no condition of a breakpoint held ${mostPassed} times`, true);
    return 'pause';
  };

/** Where a move that failed leaves the program: the run is over as a process would be, or it stands where it stood. */
export function afterFailure(error: ForetraceError, say: Say): StopReason | 'ended' {
  if (error.code === 'past_end') return 'ended';
  if (error.code === 'past_start') return 'entry';
  if (error.code !== 'cancelled') say(errorText(error), true);
  return 'pause';
}
