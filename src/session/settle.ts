/** What is known of a step before it is asked: what the statement leaves on which the program goes on, where its line tells it. */
import type { Action, ActionKind } from '../debugger/action.js';
import { scopeOf } from '../debugger/frozen.js';
import { argumentsOf } from '../debugger/language/arguments.js';
import type { Ended } from '../debugger/language/grammar.js';
import { goingOn, lineTokens } from '../debugger/language/here.js';
import { type LineCall, lineCalls } from '../debugger/language/line-calls.js';
import { lineParts } from '../debugger/language/parts.js';
import { noResults, type Results, resultsOf } from '../debugger/language/results.js';
import { returnedLine } from '../debugger/language/returned.js';
import type { Standing } from '../debugger/language/told-line.js';
import { returnedWorkings } from '../debugger/language/workings.js';
import type { Program } from '../debugger/program.js';
import { leftByException } from '../debugger/raised.js';
import type { DebuggerState } from '../debugger/state.js';
import { type Cost, noCost } from './cost.js';
import type { ModelAccess } from './submit-question.js';
import { type WorkedOut, type WorkedQuestion, workOut } from './work-out.js';

export interface Settled {
  readonly results: Results;
  /** Behind a `return`: what is known of how the caller goes on. */
  readonly ended?: Ended | undefined;
  /** The function that is entered next, if one is: its first line, and what is told of its parameters. */
  readonly entered?: { readonly line: number; readonly values: ReadonlyMap<string, string> };
  /** Of what was asked for it. */
  readonly logProbability: number;
  readonly cost: Cost;
}

/** A step that is about to be asked. */
export type AskedStep = WorkedQuestion & { readonly action: Action };

const nothing: Settled = { results: noResults, logProbability: 0, cost: noCost };

/** What the line of a `line` state tells, as far as it was worked out. */
export function settledLine({ program, state, action }: AskedStep, worked?: readonly number[]): Settled {
  const isSingle = action.kind === 'step_into' || action.kind === 'step_over';
  const standing = isSingle && state?.event === 'line' ? alone(program, state) : undefined;
  if (standing === undefined) return nothing;
  const code = worked ?? lineTokens(program, standing.frame.line);
  // What an assignment drops may be finalized by code of the program.
  const isStale = standing.scope.flow?.finalizers !== false;
  const results = resultsOf(program, standing, code, isStale);
  return action.kind === 'step_over'
    ? { ...nothing, results }
    : { ...nothing, results, ...enteredFrom(program, standing, code) };
}

/** The first function that a line surely calls. */
function enteredFrom(
  program: Program,
  standing: Standing,
  code: ArrayLike<number>,
): Pick<Settled, 'entered'> {
  const line = lineParts(code);
  const [first] = line ? lineCalls(program, standing.frame, code, [...line.values, ...line.inner]).calls : [];
  if (first === undefined) return {};
  const disturbs = standing.scope.flow?.lines.get(standing.frame.line)?.effects.disturbs !== false;
  return entering(program, standing, code, first, disturbs);
}

function entering(
  program: Program,
  standing: Standing,
  code: ArrayLike<number>,
  call: LineCall,
  isStale: boolean,
): Pick<Settled, 'entered'> {
  const values = argumentsOf(program, standing, code, call, isStale);
  return { entered: { line: call.callee.firstLine, values } };
}

/**
 * Behind a `return`: works out the line of the caller with the values that its calls gave. undefined where the state does not tell them.
 * @throws ForetraceError as workOut
 */
export function settledCaller(
  access: ModelAccess,
  step: AskedStep,
  worked?: readonly number[],
): Settled | Promise<Settled> | undefined {
  const { program, state, action } = step;
  if (state?.event !== 'return' || !callerGoesOn.has(action.kind)) return undefined;
  if (leftByException(program, state)) return { ...nothing, ended: 'raised' };
  const standing = alone(program, state);
  const line = standing && returnedLine(program, state, worked);
  if (standing === undefined || line === undefined) return undefined;
  if (line.next)
    return { ...nothing, ended: 'calls', ...entering(program, standing, line.code, line.next, true) };
  if (line.value === undefined && !access.showsWorkings) return undefined;
  const settle = ({ code, ...cost }: WorkedOut): Settled => {
    const results = resultsOf(program, standing, code, true, line.value);
    return { ...cost, results, ended: endedBy(state, results) };
  };
  const workings =
    line.value === undefined ? returnedWorkings(program, standing.frame, line.code) : undefined;
  return workings === undefined
    ? settle({ ...nothing, code: line.code })
    : workOut(access, step, workings).then(settle);
}

/** Actions that go on with the caller for one step. */
const callerGoesOn: ReadonlySet<ActionKind> = new Set(['step_into', 'step_over', 'step_return']);

/** The frame that goes on, if its line has one statement, all of it. */
function alone(program: Program, state: DebuggerState): Standing | undefined {
  const frame = goingOn(state);
  const scope = frame && scopeOf(program, frame, state.event === 'return' ? 'paused' : state.event);
  if (frame === undefined || scope?.flow?.lines.get(frame.line)?.own.size !== 1) return undefined;
  return { frame, scope };
}

/** A callee that gave None may have been left by an exception, which then goes on here. */
function endedBy(state: DebuggerState, { holds }: Results): Ended {
  if (holds === undefined || state.value === 'None') return 'ended';
  return holds ? 'holds' : 'fails';
}
