/** What a session is asked and how, and what it answers beside a single state. */
import type { DecodedPart } from '../debugger/language/decoded.js';
import type { Priority, Sampling } from '../scheduler/request.js';
import type { Answer } from './answer.js';
import type { Candidate } from './candidates.js';
import type { Mode } from './navigate.js';

export interface AskedOptions {
  /** State to start from; 0 or absent: the cursor. */
  readonly from?: number;
  /** Fairness account of the caller; the session's own if left out. */
  readonly client?: string;
  readonly priority?: Priority;
  readonly fresh?: boolean;
  readonly signal?: AbortSignal;
  /** When the answer is of no use any more, on the clock of `performance.now`. */
  readonly deadline?: number;
  /** Told of each prediction that is asked of the model; negative counts take back those that were stored. */
  readonly onPrediction?: (count: number) => void;
}

export interface ActOptions extends AskedOptions {
  readonly onPart?: (part: DecodedPart) => void;
  /** Default: auto. */
  readonly mode?: Mode;
  /** Most events of a walk. */
  readonly maxSteps?: number;
  /** Walk, and stop where an exception is raised before what the action looks for; forward only. */
  readonly stopAtExceptions?: boolean;
  /** Called with each state that a walk passes. */
  readonly onStep?: (passed: Answer) => void;
}

export interface CandidateOptions extends AskedOptions {
  /** Distinct states wanted, 1 to 16. */
  readonly count: number;
  /** Whether to predict forward again from the candidates of a reverse action. */
  readonly check?: boolean;
  /** Whether the cursor moves to the best one. */
  readonly choose?: boolean;
}

/** A candidate that has become a state of the session. */
export interface CandidateAnswer extends Omit<Candidate, 'parts' | 'reply' | 'state'> {
  readonly answer: Answer;
}

export interface CandidateAnswers {
  /** State that was asked. */
  readonly from: number;
  /** Best first. */
  readonly candidates: readonly CandidateAnswer[];
  readonly draws: number;
}

export interface SessionSettings {
  readonly id: string;
  readonly client: string;
  readonly sampling: Sampling;
  /** Oldest states beyond this number are forgotten (never the cursor). */
  readonly maxStates: number;
  /** Oldest states beyond this many bytes are forgotten (never the cursor); no bound if left out. */
  readonly maxBytes?: number;
}
