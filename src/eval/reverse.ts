/** Reverse answers as a distribution: several states may come before one, so what counts is how much of it can be true. Pure. */
import { type Action, type ActionKind, actionKinds } from '../debugger/action.js';
import type { Program } from '../debugger/program.js';
import type { DebuggerState } from '../debugger/state.js';
import { scoreState } from './score.js';
import { type Interval, wilson } from './statistics.js';

/** A state the model holds possible, with its probability in 0..1. */
export interface Candidate {
  readonly state: DebuggerState;
  readonly probability: number;
  /** Whether the model, asked forward from it, comes back; null or missing: not asked. */
  readonly consistent?: boolean | null;
}

/** Asks for up to `n` different states, the best first. */
export type CandidateSource = (
  program: Program,
  state: DebuggerState,
  action: Action,
  n: number,
) => Promise<readonly Candidate[]>;

/** A question to the program itself. */
export interface ValidityQuestion {
  readonly source: string;
  readonly call: string;
  /** Of the event the action is asked at. */
  readonly index: number;
  readonly action: Action;
  readonly candidates: readonly DebuggerState[];
}

/** For each candidate whether the program leads from it to where it was asked; null: that cannot be decided. */
export type ValidityCheck = (question: ValidityQuestion) => Promise<readonly (boolean | null)[]>;

/** One reverse question answered with candidates. */
export interface ReverseOutcome {
  readonly action: ActionKind;
  /** Best first, as the source ranks them. */
  readonly candidates: readonly JudgedCandidate[];
}

export interface JudgedCandidate {
  readonly probability: number;
  readonly exact: boolean;
  /** null: could not be decided. */
  readonly valid: boolean | null;
  readonly consistent: boolean | null;
}

export function reverseOutcome(
  action: Action,
  before: DebuggerState,
  truth: DebuggerState,
  candidates: readonly Candidate[],
  valid: readonly (boolean | null)[],
): ReverseOutcome {
  const judged = candidates.map(({ state, probability, consistent = null }, index) => {
    const { exact } = scoreState(before, truth, state);
    return { probability, exact, valid: valid[index] ?? null, consistent };
  });
  return { action: action.kind, candidates: judged };
}

export interface ReverseRow {
  readonly n: number;
  /** Share whose best candidate, or any candidate, is the true state. */
  readonly exact_at_1: number;
  readonly exact_at_1_interval: Interval;
  readonly exact_at_n: number;
  readonly exact_at_n_interval: Interval;
  /** Candidates a question got, on average, and the probability they have together. */
  readonly candidates: number;
  readonly mass: number;
  /** Questions whose best candidate could be judged, and the share of them where it is valid. */
  readonly decided_n: number;
  readonly valid_top: number;
  readonly valid_top_interval: Interval;
  /** Share of all questions with a candidate that is known to be valid. */
  readonly valid_any: number;
  /**
   * Mean probability of the candidates that are known to be valid, and of those that could not be judged: between the first
   * and the sum of both of the probability listed lies on valid states.
   */
  readonly valid_mass: number;
  readonly undecided_mass: number;
  /** Single candidates by whether the model comes back from them: does its own check tell valid ones from others? */
  readonly consistent: ValidityShare;
  readonly inconsistent: ValidityShare;
}

export interface ValidityShare {
  readonly n: number;
  readonly valid: number;
}

const mean = (numbers: readonly number[]): number =>
  numbers.length === 0 ? 0 : numbers.reduce((sum, value) => sum + value, 0) / numbers.length;
const share = (hits: number, of: number): number => (of === 0 ? 0 : hits / of);
const massOf = (candidates: ReverseOutcome['candidates']): number =>
  candidates.reduce((sum, { probability }) => sum + probability, 0);

export function reverseRow(outcomes: readonly ReverseOutcome[]): ReverseRow {
  const n = outcomes.length;
  const count = (of: readonly ReverseOutcome[], holds: (one: ReverseOutcome) => boolean): number =>
    of.filter(holds).length;
  const first = count(outcomes, ({ candidates }) => candidates[0]?.exact === true);
  const any = count(outcomes, ({ candidates }) => candidates.some(({ exact }) => exact));
  const decided = outcomes.filter(({ candidates: [best] }) => best !== undefined && best.valid !== null);
  const validTop = count(decided, ({ candidates }) => candidates[0]?.valid === true);
  const massWhere = (valid: boolean | null): number =>
    mean(outcomes.map(({ candidates }) => massOf(candidates.filter((one) => one.valid === valid))));
  return {
    n,
    exact_at_1: share(first, n),
    exact_at_1_interval: wilson(first, n),
    exact_at_n: share(any, n),
    exact_at_n_interval: wilson(any, n),
    candidates: mean(outcomes.map(({ candidates }) => candidates.length)),
    mass: mean(outcomes.map(({ candidates }) => massOf(candidates))),
    decided_n: decided.length,
    valid_top: share(validTop, decided.length),
    valid_top_interval: wilson(validTop, decided.length),
    valid_any: share(
      count(outcomes, ({ candidates }) => candidates.some(({ valid }) => valid === true)),
      n,
    ),
    valid_mass: massWhere(true),
    undecided_mass: massWhere(null),
    consistent: validityShare(outcomes, true),
    inconsistent: validityShare(outcomes, false),
  };
}

function validityShare(outcomes: readonly ReverseOutcome[], consistent: boolean): ValidityShare {
  const candidates = outcomes.flatMap((outcome) =>
    outcome.candidates.filter((one) => one.consistent === consistent && one.valid !== null),
  );
  return {
    n: candidates.length,
    valid: share(candidates.filter(({ valid }) => valid === true).length, candidates.length),
  };
}

export interface ReverseReport {
  /** Candidates asked for. */
  readonly asked: number;
  /** What puts a candidate first: that the model comes back from it, or its probability alone. */
  readonly ranked_by: 'consistency' | 'probability';
  readonly all: ReverseRow;
  readonly actions: Readonly<Partial<Record<ActionKind, ReverseRow>>>;
}

export function reverseReport(outcomes: readonly ReverseOutcome[], asked: number): ReverseReport {
  const present = actionKinds.filter((kind) => outcomes.some(({ action }) => action === kind));
  const actions = present.map((kind) => [kind, reverseRow(outcomes.filter(({ action }) => action === kind))]);
  const isChecked = outcomes.some(({ candidates }) =>
    candidates.some(({ consistent }) => consistent !== null),
  );
  return {
    asked,
    ranked_by: isChecked ? 'consistency' : 'probability',
    all: reverseRow(outcomes),
    actions: Object.fromEntries(actions),
  };
}
