/** What is known of a step within a statement on several lines that enters a function, or surely does not. */
import { callerSteps } from '../debugger/action.js';
import { type CallWithin, callWithin } from '../debugger/calls-within.js';
import { noResults } from '../debugger/language/results.js';
import { enteringWorkings, nextWorkings } from '../debugger/language/workings.js';
import { leftByException } from '../debugger/raised.js';
import { type Running, runningFrame } from '../debugger/running.js';
import { unasked } from './cost.js';
import { settledEntering } from './settle.js';
import type { AskedStep, Settled } from './settled.js';
import { mayBeChanged, steppingFrame } from './stepping-frame.js';
import type { ModelAccess } from './submit-question.js';
import { workedCode } from './work-out.js';

/**
 * undefined for other statements, and where it is not told.
 * @throws ForetraceError as workOut
 */
export async function settledWithin(access: ModelAccess, step: AskedStep): Promise<Settled | undefined> {
  const running = frameWithin(access, step);
  if (running === undefined || mayBeChanged(running)) return undefined;
  const returned = step.state?.event === 'return' ? running.frame.gots.length + 1 : 0;
  const next = callWithin(step.program, running, returned);
  if (next === null) return { ...unasked, results: noResults, ended: 'ended' };
  return next && entering(access, step, running, next);
}

/** The frame that stands on its line, or to which a function has returned. */
function frameWithin(access: ModelAccess, step: AskedStep): Running | undefined {
  const { program, state, action } = step;
  if (state?.event !== 'return') return action.kind === 'step_into' ? steppingFrame(access, step) : undefined;
  const goesOn = access.showsWorkings && callerSteps.has(action.kind) && !leftByException(program, state);
  return goesOn ? runningFrame(program, state) : undefined;
}

/** What is entered by a call, with what is known of its arguments. */
async function entering(
  access: ModelAccess,
  step: AskedStep,
  running: Running,
  { part, callee, code, isFirst }: CallWithin,
): Promise<Settled> {
  const { program } = step;
  // What is written in a statement is found by where it stands.
  const written = isFirst ? code : code.slice(part.begin, part.until);
  const workings = (isFirst ? enteringWorkings : nextWorkings)(program, running.frame, written);
  const { code: worked, ...paid } = await workedCode(access, step, written, workings);
  // What a frame stands for on its line is seen there.
  const found = settledEntering(program, running, worked, !isFirst && step.state?.event === 'return');
  if (found?.entered?.line === callee.firstLine) return { ...found, ...paid };
  const entered = { line: callee.firstLine, values: new Map<string, string>() };
  return { ...paid, results: noResults, ended: 'calls', entered };
}
