/** What is known of a step that raises an exception of the program's own: where its `__init__` begins, what that leaves, and that it is raised behind it. */
import { callerSteps } from '../debugger/action.js';
import { argumentsOf } from '../debugger/language/arguments.js';
import { parametersOf } from '../debugger/language/defaults.js';
import { noResults } from '../debugger/language/results.js';
import { givenAgain, initialised, raisingCall, writtenWith } from '../debugger/own-exceptions.js';
import { hasReturned } from '../debugger/raises-nothing.js';
import { type Running, runningFrame, scopeOf } from '../debugger/running.js';
import { alone, statementTokens } from '../debugger/whole-statement.js';
import { unasked } from './cost.js';
import type { AskedStep, Settled } from './settled.js';
import { steppingFrame } from './stepping-frame.js';
import type { ModelAccess } from './submit-question.js';

/** undefined for other steps, and where it is not told. worked: the code tokens of the line, as far as they were worked out. */
export function settledRaise(
  access: ModelAccess,
  step: AskedStep,
  worked?: readonly number[],
): Settled | undefined {
  const { program, state } = step;
  if (state?.event === 'return') return behindInit(step);
  const running = alone(program, steppingFrame(access, step));
  if (running === undefined) return undefined;
  const code = [...(worked ?? statementTokens(program, running))];
  const again = givenAgain(program, running, code);
  if (again) return { ...unasked, results: { assigned: new Map([again]) }, ended: 'passes' };
  return raising(step, running, code);
}

function raising(
  { program, action }: AskedStep,
  running: Running,
  code: readonly number[],
): Settled | undefined {
  const call = raisingCall(program, running, code);
  if (call === undefined) return undefined;
  const { exception, part, given } = call;
  const text = writtenWith(program, running, code, exception.name, given);
  if (exception.init === undefined) {
    const isPlain = text !== undefined && given.every(({ kind }) => kind !== 'keyword');
    return isPlain ? { ...unasked, results: { ...noResults, raised: text }, ended: 'raised' } : undefined;
  }
  const { init } = exception;
  const isOpen = parametersOf(program, init).some(({ kind }) => kind === 'star' || kind === 'doubleStar');
  const fits = isOpen || given.length < init.parameters.size;
  if (action.kind !== 'step_into' || part.kind !== 'call' || !fits) return undefined;
  const values = argumentsOf(program, running, code, { part, callee: init }, false);
  const [self = ''] = init.positional;
  if (text === undefined) values.delete(self);
  else values.set(self, text);
  const isTold = [...init.parameters].every((name) => values.has(name));
  const entered = { line: init.firstLine, values };
  return { ...unasked, results: noResults, ended: isTold ? 'enters' : 'calls', entered };
}

/** Behind its `__init__` an exception is raised as it is by then. */
function behindInit({ program, state, action }: AskedStep): Settled | undefined {
  const frame = state?.frames.at(-1);
  const scope = state && frame && scopeOf(program, frame, 'return');
  if (!state || !scope || !frame || !callerSteps.has(action.kind) || !hasReturned(program, state))
    return undefined;
  const made = initialised(program, { frame, scope });
  const caller = runningFrame(program, state);
  const call = made && caller && raisingCall(program, caller, statementTokens(program, caller));
  const raised = call?.exception.init === scope ? frame.locals.get(made?.self ?? '') : undefined;
  return raised === undefined
    ? undefined
    : { ...unasked, results: { ...noResults, raised }, ended: 'raised' };
}
