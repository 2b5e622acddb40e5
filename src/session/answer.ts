/** A visited state of a session and how it came about. */
import { type Action, takesLines } from '../debugger/action.js';
import type { FieldProbability } from '../debugger/language/decode.js';
import { isAtEnd, isAtStart } from '../debugger/navigate.js';
import type { Program } from '../debugger/program.js';
import type { DebuggerState } from '../debugger/state.js';
import type { TokenCounts } from '../scheduler/request.js';
import type { ModelReply } from './ask-model.js';
import { noTokens } from './evaluate.js';

export type AnswerOrigin = 'model' | 'cache' | 'derived' | 'given';

/** A visited state and how it came about. */
export interface Answer {
  /** Number in its session, from 1. */
  readonly number: number;
  /** State it was reached from; 0 = none. */
  readonly parent: number;
  /** null: the start or an edit. */
  readonly action: Action | null;
  readonly state: DebuggerState;
  readonly origin: AnswerOrigin;
  readonly probability: FieldProbability;
  readonly counts: TokenCounts;
  readonly queueMillis: number;
  readonly computeMillis: number;
  readonly preemptions: number;
  /** Real steps from the parent, 0 = unknown. */
  readonly horizon: number;
  readonly atStart: boolean;
  readonly atEnd: boolean;
}

/** An answer that its session has not numbered yet. */
export type NewAnswer = Omit<Answer, 'number'>;

const certain: FieldProbability = { event: 1, line: 1, locals: new Map() };

/** What the model said. `action` null: the start of a session. */
export function predictedAnswer(
  program: Program,
  parent: number,
  action: Action | null,
  { delta, result }: ModelReply,
): NewAnswer {
  return {
    parent,
    action,
    state: delta.state,
    origin: result.origin,
    probability: delta.probability,
    counts: result.counts,
    queueMillis: result.queueMillis,
    computeMillis: result.computeMillis,
    preemptions: result.preemptions,
    horizon: action === null || isSingleStep(action) ? 1 : 0,
    atStart: isAtStart(delta.state, program),
    atEnd: isAtEnd(delta.state, program),
  };
}

/** A state that somebody gave: a start or an edit. */
export function givenAnswer(program: Program, parent: number, state: DebuggerState): NewAnswer {
  return {
    parent,
    action: null,
    state,
    origin: 'given',
    probability: certain,
    counts: noTokens,
    queueMillis: 0,
    computeMillis: 0,
    preemptions: 0,
    horizon: 0,
    atStart: isAtStart(state, program),
    atEnd: isAtEnd(state, program),
  };
}

const isSingleStep = (action: Action): boolean =>
  !takesLines(action.kind) && action.kind.endsWith('step_into');
