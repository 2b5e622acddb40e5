/** The report of `eval steps`: everything that is measured, from the outcomes of single questions. Pure. */
import type { ActionKind } from '../debugger/action.js';
import type { Mode } from '../session/navigate.js';
import {
  type Breakdowns,
  breakdownsOf,
  type HorizonRow,
  horizonRows,
  type Row,
  rowOf,
  rowsByAction,
} from './breakdown.js';
import {
  type Calibration,
  calibrationsOf,
  type ForecastField,
  type SelectiveRow,
  selectiveAccuracy,
} from './calibration.js';
import type { EvaluationData } from './cases.js';
import type { Outcome } from './outcome.js';
import { type ReverseReport, reverseReport } from './reverse.js';
import { type Summary, Tally } from './score.js';
import type { StepsResult } from './steps.js';

/** What was measured on what. */
export interface Subject {
  /** Digest of the weights, and the directory they came from. */
  readonly model: { readonly name: string; readonly digest: string };
  readonly data: { readonly name: string; readonly sha256: string };
  readonly device: string;
  /** How actions were answered. */
  readonly mode: Mode;
}

/** DESIGN section 9, and more: both baselines, breakdowns, calibration. Shares are in 0..1, intervals are Wilson 95 %. */
export interface StepsReport {
  readonly subject: Subject;
  readonly n: number;
  readonly left_out: number;
  readonly left_out_reasons: Readonly<Record<string, number>>;
  readonly cases: number;
  readonly programs: number;
  readonly all: Row;
  readonly actions: Readonly<Partial<Record<ActionKind, Row>>>;
  readonly baseline: {
    readonly all: Summary;
    readonly actions: Readonly<Partial<Record<ActionKind, Summary>>>;
  };
  readonly horizon: readonly HorizonRow[];
  readonly breakdowns: Breakdowns;
  readonly calibration: Readonly<Record<ForecastField, Calibration>>;
  readonly selective: readonly SelectiveRow[];
  /** Only if candidates were asked for. */
  readonly reverse?: ReverseReport;
}

export interface ReportOptions {
  readonly subject: Subject;
  /** Bins of the reliability tables. */
  readonly bins: number;
  /** Candidates that reverse questions were asked for; 1: none. */
  readonly candidates: number;
}

function ruleSummaries(outcomes: readonly Outcome[]): StepsReport['baseline'] {
  const all = new Tally();
  const actions = new Map<ActionKind, Tally>();
  for (const { action, rule } of outcomes) {
    all.add(rule);
    const tally = actions.get(action.kind) ?? new Tally();
    actions.set(action.kind, tally);
    tally.add(rule);
  }
  const summaries = [...actions].map(([kind, tally]) => [kind, tally.summary()]);
  return { all: all.summary(), actions: Object.fromEntries(summaries) };
}

export function stepsReport(
  data: EvaluationData,
  { outcomes, reverse, leftOut }: StepsResult,
  { subject, bins, candidates }: ReportOptions,
): StepsReport {
  return {
    subject,
    n: outcomes.length,
    left_out: [...leftOut.values()].reduce((sum, count) => sum + count, 0),
    left_out_reasons: Object.fromEntries(leftOut),
    cases: data.cases.length,
    programs: new Set(data.cases.map(({ source }) => source)).size,
    all: rowOf(outcomes),
    actions: rowsByAction(outcomes),
    baseline: ruleSummaries(outcomes),
    horizon: horizonRows(outcomes),
    breakdowns: breakdownsOf(outcomes),
    calibration: calibrationsOf(outcomes, bins),
    selective: selectiveAccuracy(outcomes.map(({ answer }) => answer)),
    ...(candidates > 1 ? { reverse: reverseReport(reverse, candidates) } : {}),
  };
}
