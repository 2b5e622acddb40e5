/** The figures of `eval cruxeval` (DESIGN section 9, and more beside it). Pure. */
import { type Calibration, calibrationOf, type SelectiveRow, selectiveAccuracy } from './calibration.js';
import { type BatchResult, byLength, countBy, shareOf } from './cruxeval-batch.js';
import type { InputMethod } from './cruxeval-candidates.js';
import {
  type ForwardCheck,
  type InputResult,
  type Proposal,
  type Proposals,
  reranked,
} from './cruxeval-input.js';
import type { MethodResult, OutputMethod, OutputMode, OutputResult } from './cruxeval-output.js';
import type { WalkTruth } from './cruxeval-truth.js';
import { isCut, valuesEqual } from './cruxeval-value.js';
import { type Interval, wilson } from './statistics.js';

/** Shares are in 0..1. */
interface CommonReport {
  /** Problems that were asked; those left out are not among them. */
  readonly n: number;
  readonly pass_at_1: number;
  readonly pass_at_1_interval: Interval;
  /** The method that `pass_at_1` is of. */
  readonly method: string;
  readonly left_out: number;
  readonly left_out_reasons: Readonly<Record<string, number>>;
  /** The same with every problem left out counted as wrong. */
  readonly pass_at_1_of_all: number;
}

export interface OutputMethodReport {
  readonly n: number;
  readonly pass_at_1: number;
  readonly pass_at_1_interval: Interval;
  /** How the attempts ended; only `reached` has a value. */
  readonly ended: Readonly<Record<string, number>>;
  readonly mean_steps: number;
}

export interface TruthReport {
  /** Walks with a real run to hold them against. */
  readonly n: number;
  readonly no_run: Readonly<Record<string, number>>;
  /** Real runs whose value is not the problem's output. */
  readonly output_disagrees: number;
  /** Share of walks whose every state is right, to the return. */
  readonly right_to_return: number;
  readonly right_to_return_interval: Interval;
  /** Of the walks that went wrong; 0: the predicted start was. null: none went wrong. */
  readonly median_first_wrong: number | null;
  /** By steps of the real run. */
  readonly by_length: readonly {
    readonly from: number;
    readonly to: number | null;
    readonly n: number;
    readonly right_to_return: number;
    readonly median_first_wrong: number | null;
  }[];
}

export interface OutputReport extends CommonReport {
  readonly task: 'output';
  readonly mode: OutputMode;
  readonly methods: Readonly<Partial<Record<OutputMethod, OutputMethodReport>>>;
  readonly baseline: {
    readonly first_argument: number;
    readonly any_argument: number;
    readonly rule: number;
  };
  /** Whether the main method's probabilities mean what they say; attempts without a value are wrong. */
  readonly calibration: Calibration;
  readonly selective: readonly SelectiveRow[];
  /** Problems whose output is longer than a value of the trace language can be: nothing predicted is right. */
  readonly output_too_long: number;
  /** null: real runs were not asked for, or nothing was walked. */
  readonly truth: TruthReport | null;
}

export interface RankingReport {
  readonly pass_at_1: number;
  /** k -> share of problems with a right one among the first k candidates. */
  readonly pass_at: Readonly<Record<string, number>>;
}

export interface InputMethodReport extends RankingReport {
  readonly n: number;
  readonly pass_at_1_interval: Interval;
  /** Problems without any candidate that binds the parameters. */
  readonly without_candidate: number;
  /** Predicted `call` states, over all problems, that leave a parameter without a value. */
  readonly unbound: number;
  readonly mean_candidates: number;
  /** With the candidates first from which the known output is predicted again. */
  readonly reranked: Readonly<Partial<Record<ForwardCheck, RankingReport>>>;
}

export interface InputReport extends CommonReport {
  readonly task: 'input';
  readonly mode: 'jump' | 'walk';
  /** Distinct candidates wanted of each problem. */
  readonly candidates: number;
  readonly methods: Readonly<Partial<Record<InputMethod, InputMethodReport>>>;
  readonly baseline: { readonly output: number };
}

const calibrationBins = 10;

function common(batch: BatchResult<unknown>, method: string, right: number): CommonReport {
  const n = batch.results.length;
  const all = n + batch.leftOut.length;
  return {
    n,
    pass_at_1: n === 0 ? 0 : right / n,
    pass_at_1_interval: wilson(right, n),
    method,
    left_out: batch.leftOut.length,
    left_out_reasons: countBy(batch.leftOut, ({ reason }) => reason),
    pass_at_1_of_all: all === 0 ? 0 : right / all,
  };
}

const count = <Item>(items: readonly Item[], holds: (item: Item) => boolean): number =>
  items.filter(holds).length;
const mean = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
/** The lower one of two in the middle. */
const median = (values: readonly number[]): number | null =>
  [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? null;

export function outputReport(
  batch: BatchResult<OutputResult>,
  mode: OutputMode,
  method: OutputMethod,
): OutputReport {
  const { results } = batch;
  const names = Object.keys(results[0]?.methods ?? {}) as OutputMethod[];
  const ofMethod = (name: OutputMethod): MethodResult[] =>
    results.flatMap(({ methods }) => methods[name] ?? []);
  return {
    ...common(
      batch,
      method,
      count(ofMethod(method), ({ right }) => right),
    ),
    task: 'output',
    mode,
    methods: Object.fromEntries(names.map((name) => [name, methodReport(ofMethod(name))])),
    baseline: {
      first_argument: shareOf(results, ({ baseline }) => baseline.first_argument),
      any_argument: shareOf(results, ({ baseline }) => baseline.any_argument),
      rule: shareOf(results, ({ baseline }) => baseline.rule),
    },
    calibration: calibrationOf(ofMethod(method), calibrationBins),
    selective: selectiveAccuracy(ofMethod(method)),
    output_too_long: count(results, ({ canonical }) => isCut(canonical)),
    truth: truthReport(results),
  };
}

function methodReport(attempts: readonly MethodResult[]): OutputMethodReport {
  const right = count(attempts, (attempt) => attempt.right);
  return {
    n: attempts.length,
    pass_at_1: attempts.length === 0 ? 0 : right / attempts.length,
    pass_at_1_interval: wilson(right, attempts.length),
    ended: countBy(attempts, ({ end }) => end),
    mean_steps: mean(attempts.map(({ steps }) => steps)),
  };
}

type Compared = Exclude<WalkTruth, { failed: string }>;

function truthReport(results: readonly OutputResult[]): TruthReport | null {
  const asked = results.flatMap(({ truth, output }) => (truth ? [{ truth, output }] : []));
  if (asked.length === 0) return null;
  const failed = asked.flatMap(({ truth }) => ('failed' in truth ? [truth.failed] : []));
  const runs = asked.flatMap(({ truth, output }) => ('failed' in truth ? [] : [{ ...truth, output }]));
  const disagrees = ({ raised, value, output }: (typeof runs)[number]): boolean =>
    raised || value === null || (!isCut(value) && !valuesEqual(value, output));
  const isRight = ({ first_wrong }: Compared): boolean => first_wrong === null;
  const firstWrong = (some: readonly Compared[]): number | null =>
    median(some.flatMap(({ first_wrong }) => first_wrong ?? []));
  return {
    n: runs.length,
    no_run: countBy(failed, (reason) => reason),
    output_disagrees: count(runs, disagrees),
    right_to_return: shareOf(runs, isRight),
    right_to_return_interval: wilson(count(runs, isRight), runs.length),
    median_first_wrong: firstWrong(runs),
    by_length: byLength(runs, ({ length }) => length).map(({ from, to, items }) => ({
      from,
      to,
      n: items.length,
      right_to_return: shareOf(items, isRight),
      median_first_wrong: firstWrong(items),
    })),
  };
}

export function inputReport(
  batch: BatchResult<InputResult>,
  mode: 'jump' | 'walk',
  method: InputMethod,
  candidates: number,
): InputReport {
  const { results } = batch;
  const names = Object.keys(results[0]?.methods ?? {}) as InputMethod[];
  const ofMethod = (name: InputMethod): Proposals[] =>
    results.map(({ methods }) => methods[name] ?? { candidates: [], unbound: 0 });
  return {
    ...common(
      batch,
      method,
      count(ofMethod(method), (found) => found.candidates[0]?.right === true),
    ),
    task: 'input',
    mode,
    candidates,
    methods: Object.fromEntries(names.map((name) => [name, proposalsReport(ofMethod(name), candidates)])),
    baseline: { output: shareOf(results, ({ baseline }) => baseline.output) },
  };
}

function proposalsReport(found: readonly Proposals[], candidates: number): InputMethodReport {
  const problems = found.map((proposals) => proposals.candidates);
  const checks = Object.keys(problems.flat()[0]?.forward ?? {}) as ForwardCheck[];
  const plain = ranking(problems, candidates);
  return {
    n: problems.length,
    ...plain,
    pass_at_1_interval: wilson(
      count(problems, ([first]) => first?.right === true),
      problems.length,
    ),
    without_candidate: count(problems, ({ length }) => length === 0),
    unbound: found.reduce((sum, { unbound }) => sum + unbound, 0),
    mean_candidates: mean(problems.map(({ length }) => length)),
    reranked: Object.fromEntries(
      checks.map((check) => {
        const ranked = problems.map((proposals) => reranked(proposals, check));
        return [check, ranking(ranked, candidates)];
      }),
    ),
  };
}

function ranking(problems: readonly (readonly Proposal[])[], candidates: number): RankingReport {
  const within = (k: number): number =>
    shareOf(problems, (proposals) => proposals.slice(0, k).some(({ right }) => right));
  const ks = [1, 2, 3, 5, 10].filter((k) => k < candidates);
  return {
    pass_at_1: within(1),
    pass_at: Object.fromEntries([...ks, candidates].map((k) => [String(k), within(k)])),
  };
}
