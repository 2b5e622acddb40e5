/** Predictions over many steps: single questions, walks to the end of the entry's frame, jumps to its return. */
import type { Action, ActionKind } from '../debugger/action.js';
import { entryState } from '../debugger/entry.js';
import { grammarOf } from '../debugger/language/grammar.js';
import type { Program } from '../debugger/program.js';
import { currentFrame, type DebuggerState, depth } from '../debugger/state.js';
import { asForetraceError } from '../errors.js';
import { greedy, type Sampling } from '../scheduler/request.js';
import { askChecked } from '../session/ask-checked.js';
import type { ModelAccess } from '../session/ask-model.js';

export interface Prediction {
  readonly state: DebuggerState;
  /** Probability of the answer: the product over its tokens, in 0..1. */
  readonly probability: number;
}

/** Answers questions about one program. */
export type Predictor = (
  state: DebuggerState | null,
  action: Action,
  sampling?: Sampling,
) => Promise<Prediction>;

/** Asks the model through the scheduler, in its batch queue. Rejections: as `askChecked`. */
export function predictorOf(access: ModelAccess, program: Program): Predictor {
  const grammar = grammarOf(program);
  return async (state, action, sampling = greedy) => {
    const question = { program, grammar, state, action, sampling, client: 'eval', fresh: false } as const;
    const { delta, probability } = await askChecked(access, { ...question, priority: 'batch' });
    return { state: delta.state, probability };
  };
}

export const plain = (kind: ActionKind): Action => ({ kind, lines: [] });

/** The entry's `call`: read off the arguments where they are literals, else predicted. */
export async function startState(program: Program, predict: Predictor): Promise<DebuggerState> {
  return entryState(program) ?? (await predict(null, plain('step_into'))).state;
}

/** How an attempt ended; only `reached` has the state that was asked for. */
export type AttemptEnd = 'reached' | 'raised' | 'steps' | 'repeated' | 'elsewhere' | 'context_too_long';

export interface Attempt {
  readonly end: AttemptEnd;
  /** The start and every state predicted from it, in order. */
  readonly states: readonly DebuggerState[];
  /** Product over the steps, in 0..1. */
  readonly probability: number;
}

export const isReached = ({ end }: Attempt): boolean => end === 'reached';
export const lastState = ({ states }: Attempt): DebuggerState => states.at(-1) as DebuggerState;
export const stepsOf = ({ states }: Attempt): number => states.length - 1;

/** The `return` (or, going back, the `call`) of the entry's frame. */
export const isEntryEnd = (state: DebuggerState, event: 'return' | 'call'): boolean =>
  state.event === event && depth(state) === 1;

/**
 * A `return` of None right after an exception in the same frame is how a trace shows an exception that nobody caught.
 * (After a `finally` the two look alike; then the None counts as returned.)
 */
const isRaised = (before: DebuggerState | undefined, state: DebuggerState): boolean =>
  before?.event === 'exception' && depth(before) === 1 && state.event === 'return' && state.value === 'None';

/** Of a state and of what is known of how it was reached: a statement on several lines may pass one of them again and again, and change nothing. */
const stateKey = ({ event, frames, hiddenFrames, value }: DebuggerState): string =>
  JSON.stringify([event, hiddenFrames, value, frames.map(({ locals, ...frame }) => [frame, [...locals]])]);

export interface WalkOptions {
  readonly maxSteps: number;
  readonly direction?: 'forward' | 'reverse';
  readonly sampling?: Sampling;
}

/**
 * Step by step until the entry's frame ends (in reverse: begins). Ends early at `maxSteps`, a greedy walk at a state met before (it would go round
 * for ever) and where a state no longer fits the model's context; that at the very first step is an error.
 * @throws ForetraceError as `askChecked`
 */
export async function walk(predict: Predictor, start: DebuggerState, options: WalkOptions): Promise<Attempt> {
  const { maxSteps, direction = 'forward', sampling = greedy } = options;
  const [kind, goal] =
    direction === 'forward' ? (['step_into', 'return'] as const) : (['inv_step_into', 'call'] as const);
  const states = [start];
  const seen = new Set([stateKey(start)]);
  let probability = 1;
  const end = (why: AttemptEnd): Attempt => ({ end: why, states, probability });
  while (states.length <= maxSteps) {
    const before = states.at(-1) as DebuggerState;
    // Every step draws anew, and the same seed draws the same walk.
    const draw = { ...sampling, seed: sampling.seed + states.length - 1 };
    const next = await orTooLong(predict(before, plain(kind), draw), states.length > 1);
    if (next === null) return end('context_too_long');
    states.push(next.state);
    probability *= next.probability;
    if (isEntryEnd(next.state, goal)) return end(isRaised(before, next.state) ? 'raised' : 'reached');
    const key = stateKey(next.state);
    if (sampling.temperature === 0 && seen.has(key)) return end('repeated');
    seen.add(key);
  }
  return end('steps');
}

/** null: the question does not fit the context, and `isLater`, so that the problem itself does. */
async function orTooLong(answer: Promise<Prediction>, isLater: boolean): Promise<Prediction | null> {
  try {
    return await answer;
  } catch (error) {
    if (isLater && asForetraceError(error).code === 'context_too_long') return null;
    throw error;
  }
}

/** One action that should lead to the end (in reverse: the start) of the entry's frame. */
export async function jump(
  predict: Predictor,
  start: DebuggerState,
  kind: ActionKind,
  sampling: Sampling = greedy,
): Promise<Attempt> {
  const { state, probability } = await predict(start, plain(kind), sampling);
  const goal = kind.startsWith('inv_') ? 'call' : 'return';
  return { end: isEntryEnd(state, goal) ? 'reached' : 'elsewhere', states: [start, state], probability };
}

/** Stops in deeper calls of a recursive function, and steps after the last stop, that are passed before the jump is given up. */
const maxStops = 64;

/**
 * A jump to the entry function's `return` lines, then steps to its return: over the line, and should that not end the frame, out of it. A stop in a deeper
 * call of a recursive function is passed. Without lines: as `step_return`.
 */
export async function breakpointJump(
  predict: Predictor,
  start: DebuggerState,
  lines: readonly number[],
): Promise<Attempt> {
  if (lines.length === 0) return jump(predict, start, 'step_return');
  const states = [start];
  let probability = 1;
  while (states.length <= maxStops) {
    const before = states.at(-1) as DebuggerState;
    const next = await orTooLong(predict(before, afterStop(before, lines, states.length)), states.length > 1);
    if (next === null) return { end: 'context_too_long', states, probability };
    states.push(next.state);
    probability *= next.probability;
    if (isEntryEnd(next.state, 'return'))
      return { end: isRaised(before, next.state) ? 'raised' : 'reached', states, probability };
  }
  return { end: 'steps', states, probability };
}

function afterStop(state: DebuggerState, lines: readonly number[], count: number): Action {
  const isStopped = count > 1 && depth(state) === 1;
  if (!isStopped) return { kind: 'breakpoint', lines };
  const isAtReturn = state.event === 'line' && lines.includes(currentFrame(state).line);
  return plain(isAtReturn ? 'step_over' : 'step_return');
}
