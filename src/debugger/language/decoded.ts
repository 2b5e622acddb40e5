/** What is read out of a delta: its parts as they complete, and the state it makes with the probability of each field. */
import type { DebuggerState, EventKind } from '../state.js';
import type { DecodeProblem as Problem } from './values.js';

/** What is wrong with a delta. */
export interface DecodeProblem extends Problem {
  readonly message: string;
}

/**
 * A part of a delta as it completes, with its probability in 0..1: the product over its tokens. The pops and pushes before an
 * event count for the event, what a condition came to for the line, a name for its local. Parts between `pushed` and the next `pushed` or `event` belong to a frame below the current one.
 */
export type DecodedPart =
  | { readonly kind: 'popped'; readonly count: number }
  | { readonly kind: 'pushed'; readonly line: number; readonly probability: number }
  | { readonly kind: 'event'; readonly event: EventKind; readonly probability: number }
  | { readonly kind: 'line'; readonly line: number; readonly probability: number }
  | {
      readonly kind: 'local';
      readonly name: string;
      readonly value: string;
      readonly deleted: boolean;
      readonly probability: number;
    }
  | { readonly kind: 'value'; readonly value: string; readonly probability: number }
  | { readonly kind: 'end' };

/** Probabilities of the fields of a state. `locals` holds those that the delta names; the others were taken over unchanged. */
export interface FieldProbability {
  readonly event: number;
  readonly line: number;
  readonly locals: ReadonlyMap<string, number>;
  readonly value?: number;
}

export interface DecodedDelta {
  readonly state: DebuggerState;
  readonly probability: FieldProbability;
  /** Frames left, and frames entered (the paused one that is written again not counted). */
  readonly popped: number;
  readonly pushed: number;
  /** Names of the current frame that got another value or were deleted, in slot order. */
  readonly changed: readonly string[];
}

export const isDecodeProblem = (decoded: DecodedDelta | DecodeProblem): decoded is DecodeProblem =>
  'code' in decoded;
