/** The report of `bench walk`: numbers by number of clients, and the tables people read. Pure. */
import { percentilesOf } from '../agents/statistics.js';
import { tableLines } from '../engine-report.js';
import type { ReportHead } from '../report-head.js';

/** What one round of one engine has cost. */
export interface Round {
  /** Every step of every walk. */
  readonly stepMillis: readonly number[];
  /** Those for which something was asked of the model. */
  readonly askedMillis: readonly number[];
  readonly wallMillis: number;
  /** Time within the engine. */
  readonly nativeMillis: number;
  /** Calls of the engine, and the forward passes in them. */
  readonly calls: number;
  readonly passes: number;
  readonly rows: number;
  readonly generated: number;
  readonly forced: number;
  readonly drafted: number;
  readonly accepted: number;
}

export interface Rounds {
  readonly on: readonly Round[];
  readonly off: readonly Round[];
}

export interface WalkFigures {
  readonly steps: number;
  readonly step_ms: { readonly p50: number; readonly p95: number; readonly mean: number };
  /** Part of the steps for which something was asked of the model, 0..1; of the others all is told. */
  readonly asked_share: number;
  /** Median of those. */
  readonly asked_ms: number;
  readonly steps_per_s: number;
  readonly passes_per_step: number;
  readonly rows_per_pass: number;
  readonly native_ms_per_pass: number;
  readonly tokens_per_step: number;
  readonly forced_share: number;
  readonly drafted_per_step: number;
  readonly accepted_share: number;
}

export interface WalkRow {
  readonly clients: number;
  readonly drafts: WalkFigures;
  readonly no_drafts: WalkFigures;
  /** Without drafts by with drafts, of the medians over all steps. */
  readonly latency_ratio: number;
  /** The same of each round by itself. */
  readonly latency_ratio_by_round: readonly number[];
  /** The same of the medians over the steps for which something was asked. */
  readonly asked_ratio: number;
  /** With drafts by without. */
  readonly throughput_ratio: number;
  readonly throughput_ratio_by_round: readonly number[];
}

export interface GenerationFigures {
  readonly tokens_per_s: number;
  readonly passes_per_call: number;
  /** Milliseconds on the wall of one forward pass. */
  readonly pass_ms: number;
  /** Part of the time on the wall that is not spent in the engine, 0..1. */
  readonly javascript_share: number;
}

export interface GenerationRow {
  readonly sequences: number;
  readonly drafts: GenerationFigures;
  readonly no_drafts: GenerationFigures;
}

export interface WalkReport extends ReportHead {
  readonly machine: { readonly cpu: string; readonly cores: number; readonly node: string };
  readonly engine: Readonly<Record<string, unknown>>;
  readonly rounds: number;
  readonly walks: readonly WalkRow[];
  readonly generation: readonly GenerationRow[];
}

const rounded = (value: number, digits: number): number => Number(value.toFixed(digits));
const sumOf = (rounds: readonly Round[], read: (round: Round) => number): number =>
  rounds.reduce((sum, round) => sum + read(round), 0);
const median = (round: Round): number => percentilesOf(round.stepMillis).p50;
const speed = (round: Round): number => (1000 * round.stepMillis.length) / round.wallMillis;

function walkFigures(rounds: readonly Round[]): WalkFigures {
  const { n, p50, p95, mean } = percentilesOf(rounds.flatMap((round) => round.stepMillis));
  const asked = percentilesOf(rounds.flatMap((round) => round.askedMillis));
  const passes = sumOf(rounds, (round) => round.passes);
  const generated = sumOf(rounds, (round) => round.generated);
  const drafted = sumOf(rounds, (round) => round.drafted);
  return {
    steps: n,
    step_ms: { p50: rounded(p50, 3), p95: rounded(p95, 3), mean: rounded(mean, 3) },
    asked_share: rounded(asked.n / n, 3),
    asked_ms: rounded(asked.p50, 3),
    steps_per_s: rounded((1000 * n) / sumOf(rounds, (round) => round.wallMillis), 1),
    passes_per_step: rounded(passes / n, 2),
    rows_per_pass: rounded(sumOf(rounds, (round) => round.rows) / passes, 2),
    native_ms_per_pass: rounded(sumOf(rounds, (round) => round.nativeMillis) / passes, 4),
    tokens_per_step: rounded(generated / n, 2),
    forced_share: rounded(sumOf(rounds, (round) => round.forced) / generated, 3),
    drafted_per_step: rounded(drafted / n, 2),
    accepted_share: drafted === 0 ? 0 : rounded(sumOf(rounds, (round) => round.accepted) / drafted, 3),
  };
}

export function walkRow(clients: number, { on, off }: Rounds): WalkRow {
  const [drafts, plain] = [walkFigures(on), walkFigures(off)];
  const byRound = (read: (a: Round, b: Round) => number): number[] =>
    on.map((round, index) => rounded(read(round, off[index] as Round), 3));
  return {
    clients,
    drafts,
    no_drafts: plain,
    latency_ratio: rounded(plain.step_ms.p50 / drafts.step_ms.p50, 3),
    latency_ratio_by_round: byRound((a, b) => median(b) / median(a)),
    asked_ratio: rounded(plain.asked_ms / drafts.asked_ms, 3),
    throughput_ratio: rounded(drafts.steps_per_s / plain.steps_per_s, 3),
    throughput_ratio_by_round: byRound((a, b) => speed(a) / speed(b)),
  };
}

function generationFigures(rounds: readonly Round[]): GenerationFigures {
  const wall = sumOf(rounds, (round) => round.wallMillis);
  const passes = sumOf(rounds, (round) => round.passes);
  return {
    tokens_per_s: rounded((1000 * sumOf(rounds, (round) => round.generated)) / wall, 0),
    passes_per_call: rounded(passes / sumOf(rounds, (round) => round.calls), 1),
    pass_ms: rounded(wall / passes, 4),
    javascript_share: rounded(1 - sumOf(rounds, (round) => round.nativeMillis) / wall, 4),
  };
}

export const generationRow = (sequences: number, { on, off }: Rounds): GenerationRow => ({
  sequences,
  drafts: generationFigures(on),
  no_drafts: generationFigures(off),
});

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;

const walkColumns: readonly [title: string, text: (figures: WalkFigures) => string][] = [
  ['median ms', ({ step_ms }) => step_ms.p50.toFixed(3)],
  ['p95 ms', ({ step_ms }) => step_ms.p95.toFixed(3)],
  ['asked', (figures) => percent(figures.asked_share)],
  ['their median ms', (figures) => figures.asked_ms.toFixed(3)],
  ['steps/s', ({ steps_per_s }) => steps_per_s.toFixed(0)],
  ['passes/step', (figures) => figures.passes_per_step.toFixed(2)],
  ['rows/pass', (figures) => figures.rows_per_pass.toFixed(1)],
  ['tokens/step', (figures) => figures.tokens_per_step.toFixed(1)],
  ['drafted/step', (figures) => figures.drafted_per_step.toFixed(1)],
  ['right', (figures) => percent(figures.accepted_share)],
];

/** What people read. */
export function walkLines({ walks, generation }: WalkReport): string[] {
  const steps = tableLines(
    ['clients', 'drafts', ...walkColumns.map(([title]) => title)],
    walks.flatMap(({ clients, drafts, no_drafts }) =>
      (
        [
          ['on', drafts],
          ['off', no_drafts],
        ] as const
      ).map(([name, figures]) => [`${clients}`, name, ...walkColumns.map(([, text]) => text(figures))]),
    ),
  );
  const ratios = walks.map(
    (row) =>
      `${row.clients} client${row.clients === 1 ? '' : 's'}: drafts make the median step ${row.latency_ratio.toFixed(2)}x as fast ` +
      `(by round ${row.latency_ratio_by_round.join(', ')}), that of steps which ask ${row.asked_ratio.toFixed(2)}x, throughput ${row.throughput_ratio.toFixed(2)}x ` +
      `(by round ${row.throughput_ratio_by_round.join(', ')})`,
  );
  const shares = tableLines(
    ['sequences', 'drafts', 'tokens/s', 'passes/call', 'ms/pass', 'JavaScript'],
    generation.flatMap(({ sequences, drafts, no_drafts }) =>
      (
        [
          ['on', drafts],
          ['off', no_drafts],
        ] as const
      ).map(([name, figures]) => [
        `${sequences}`,
        name,
        figures.tokens_per_s.toFixed(0),
        figures.passes_per_call.toFixed(1),
        figures.pass_ms.toFixed(3),
        percent(figures.javascript_share),
      ]),
    ),
  );
  return ['walks:', ...steps, '', ...ratios, '', 'generation alone:', ...shares];
}
