/**
 * Whether a predicted past leads to the present: the action that matches a reverse one is predicted from it, and the answer compared with the
 * state that was known.
 */
import { type Action, type ActionKind, isReverse } from '../debugger/action.js';
import type { DecodedDelta } from '../debugger/language/decoded.js';
import { checkAction, isAtEnd } from '../debugger/navigate.js';
import { currentFrame, type DebuggerState } from '../debugger/state.js';
import { ForetraceError } from '../errors.js';
import { greedy } from '../scheduler/request.js';
import { askModel, type Question } from './ask-model.js';
import { type Cost, noCost, sumOf } from './cost.js';
import { sameState } from './same-state.js';
import type { ModelAccess } from './submit-question.js';

export interface ForwardCheck {
  readonly consistent: boolean | null;
  /** Product over the forward answers, 0..1. */
  readonly forwardProbability: number | null;
  readonly cost: Cost;
}

/** What was asked of the known state. */
export type CheckedQuestion = Omit<Question, 'sampling' | 'isRepeated' | 'onPart' | 'state'> & {
  readonly state: DebuggerState;
};

/** Most stops at the known line: a loop passes it often. */
const mostHits = 8;

/** The forward action that leads back, and how often it may have to be asked. */
interface Return {
  readonly action: Action;
  readonly hits: number;
}

/**
 * Checks one predecessor. `consistent: null` where no forward action matches, or the question does not fit the model.
 * @throws ForetraceError as askModel, but for context_too_long
 */
export async function checkForward(
  access: ModelAccess,
  question: CheckedQuestion,
  predecessor: DecodedDelta,
): Promise<ForwardCheck> {
  const back = returnOf(question.state, question.action.kind, predecessor);
  if (back === null) return { consistent: null, forwardProbability: null, cost: noCost };
  const { program, state: known } = question;
  let state = predecessor.state;
  let forwardProbability = 1;
  let cost = noCost;
  try {
    for (let hit = 0; hit < back.hits; hit += 1) {
      checkAction(program, state, back.action);
      const asked = { ...question, state, action: back.action, sampling: greedy };
      const { delta, probability, result } = await askModel(access, asked);
      state = delta.state;
      forwardProbability *= probability;
      cost = sumOf(cost, result);
      if (sameState(state, known)) return { consistent: true, forwardProbability, cost };
      if (isAtEnd(state, program)) break;
    }
  } catch (error) {
    if (!(error instanceof ForetraceError) || !unaskable.has(error.code)) throw error;
    return { consistent: null, forwardProbability: null, cost };
  }
  return { consistent: false, forwardProbability, cost };
}

/** The question cannot be put: the state fills the context, or its line is no place to stop. */
const unaskable: ReadonlySet<string> = new Set([
  'context_too_long',
  'invalid_breakpoint',
  'past_end',
  'invalid_state',
]);

const once = (kind: ActionKind): Return => ({ action: { kind, lines: [] }, hits: 1 });

/** How to come back from `predecessor` to `known`; null: no single action is sure to do so. */
function returnOf(known: DebuggerState, kind: ActionKind, predecessor: DecodedDelta): Return | null {
  if (!isReverse(kind)) return null;
  const isStep = kind === 'inv_step_into' || kind === 'inv_step_over' || kind === 'inv_step_call';
  // Before a frame's call its caller is about to enter it.
  if (known.event === 'call') return isStep ? once('step_into') : null;
  if (kind === 'inv_step_into') return once('step_into');
  if (kind === 'inv_step_over') return once('step_over');
  if (known.event === 'line') {
    return { action: { kind: 'breakpoint', lines: [currentFrame(known).line] }, hits: mostHits };
  }
  const isSameFrame = predecessor.popped === 0 && predecessor.pushed === 0;
  return known.event === 'return' && isSameFrame ? once('step_return') : null;
}
