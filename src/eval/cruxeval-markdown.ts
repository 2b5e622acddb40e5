/** The report of `eval cruxeval` for people, as Markdown that also reads well in a terminal; and a line a problem. Pure. */
import { bucketName } from './buckets.js';
import type { InputMethod } from './cruxeval-candidates.js';
import type { InputResult } from './cruxeval-input.js';
import type { OutputMethod, OutputResult } from './cruxeval-output.js';
import type { InputReport, OutputReport, TruthReport } from './cruxeval-report.js';
import type { Interval } from './statistics.js';

const percent = (share: number): string => (share * 100).toFixed(1);
const range = ([low, high]: Interval): string => `${percent(low)}-${percent(high)}`;

/** A Markdown table with columns of even width; the first is of text, the others of numbers. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = head.map((_, column) =>
    Math.max(3, ...[head, ...rows].map((row) => row[column]?.length ?? 0)),
  );
  const write = (row: readonly string[]): string =>
    `| ${widths
      .map((width, column) => {
        const cell = row[column] ?? '';
        return column === 0 ? cell.padEnd(width) : cell.padStart(width);
      })
      .join(' | ')} |`;
  const rule = `| ${widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)).join(' | ')} |`;
  return [write(head), rule, ...rows.map(write)];
}

function heading(report: OutputReport | InputReport): string[] {
  const { task, mode, n, left_out, method, pass_at_1, pass_at_1_interval, pass_at_1_of_all } = report;
  const reasons = Object.entries(report.left_out_reasons).map(
    ([reason, number]) => `- ${number} left out: ${reason}`,
  );
  return [
    `# CruxEval form: ${task} prediction, ${mode}`,
    '',
    `pass@1 ${percent(pass_at_1)} % (95 %: ${range(pass_at_1_interval)}) by \`${method}\` on ${n} problems; ` +
      `${left_out} left out, ${percent(pass_at_1_of_all)} % with those counted as wrong. Shares in percent.`,
    ...(reasons.length > 0 ? ['', ...reasons] : []),
    '',
  ];
}

const ruleNames = {
  first_argument: 'the first argument',
  any_argument: 'any of the arguments',
  rule: 'None, as of a function without `return`',
} as const satisfies Record<keyof OutputReport['baseline'], string>;

export function outputMarkdown(report: OutputReport): string {
  const { baseline, truth, output_too_long } = report;
  const methods = Object.entries(report.methods).map(([name, method]) => [
    name,
    String(method.n),
    percent(method.pass_at_1),
    range(method.pass_at_1_interval),
    method.mean_steps.toFixed(1),
    Object.entries(method.ended)
      .map(([end, number]) => `${end} ${number}`)
      .join(', '),
  ]);
  const rules = Object.entries(baseline).map(([name, share]) => [
    `rule: ${ruleNames[name as keyof typeof baseline]}`,
    String(report.n),
    percent(share),
  ]);
  const long =
    output_too_long > 0
      ? ['', `${output_too_long} outputs are longer than a value of the trace language can be.`]
      : [];
  return [
    ...heading(report),
    ...table(['method', 'n', 'pass@1', '95 %', 'steps', 'ended'], [...methods, ...rules]),
    ...sure(report),
    ...long,
    ...(truth ? truthLines(truth) : []),
  ].join('\n');
}

/** How much better the answers are that the model is sure of. */
function sure({ calibration, selective }: OutputReport): string[] {
  const rows = selective
    .filter(({ coverage }) => coverage < 1)
    .map(({ coverage, exact, threshold }) => {
      return `- the most probable ${Math.round(coverage * 100)} %: ${percent(exact)} % right, probability from ${threshold.toFixed(3)}`;
    });
  const { ece, confidence } = calibration;
  const summary = `- mean probability ${percent(confidence)} %, expected calibration error ${ece.toFixed(3)}`;
  return ['', ...rows, summary];
}

function truthLines(truth: TruthReport): string[] {
  const rows = truth.by_length
    .filter(({ n }) => n > 0)
    .map((row) => [
      `${bucketName(row)} steps`,
      String(row.n),
      percent(row.right_to_return),
      String(row.median_first_wrong ?? '-'),
    ]);
  const reasons = Object.entries(truth.no_run).map(
    ([reason, number]) => `- ${number} without a run: ${reason}`,
  );
  return [
    '',
    '## Walks beside real runs',
    '',
    `${percent(truth.right_to_return)} % (95 %: ${range(truth.right_to_return_interval)}) of ${truth.n} walks are right in every state, to the return.`,
    '',
    ...table(['real run', 'n', 'right', 'median first wrong step'], rows),
    ...(reasons.length > 0 ? ['', ...reasons] : []),
    ...(truth.output_disagrees > 0
      ? ['', `${truth.output_disagrees} real runs do not give the output that the problem states.`]
      : []),
  ];
}

export function inputMarkdown(report: InputReport): string {
  const rows = Object.entries(report.methods).flatMap(([name, method]) => {
    const rankings = [
      { label: name, ranking: method },
      ...Object.entries(method.reranked).map(([check, ranking]) => ({
        label: `${name}, re-ranked by ${check}`,
        ranking,
      })),
    ];
    return rankings.map(({ label, ranking }) => [
      label,
      String(method.n),
      ...Object.values(ranking.pass_at).map(percent),
    ]);
  });
  const ks = Object.keys(Object.values(report.methods)[0]?.pass_at ?? { 1: 0 });
  const methods = Object.entries(report.methods).map(
    ([name, { mean_candidates, without_candidate, unbound }]) =>
      `- ${name}: ${mean_candidates.toFixed(1)} distinct candidates a problem, none for ${without_candidate}; ${unbound} predictions leave a parameter unbound`,
  );
  return [
    ...heading(report),
    ...table(
      ['method', 'n', ...ks.map((k) => `pass@${k}`)],
      [...rows, ['rule: arguments equal the output', String(report.n), percent(report.baseline.output)]],
    ),
    '',
    ...methods,
  ].join('\n');
}

/** A problem as a line of results.jsonl: the main method's answer first, then all. */
export function outputLine(result: OutputResult, main: OutputMethod): object {
  const { predicted = null, right = false, steps = 0, probability = 0 } = result.methods[main] ?? {};
  const { id, ...rest } = result;
  return { id, predicted, right, steps, probability, ...rest };
}

export function inputLine(result: InputResult, main: InputMethod): object {
  const best = result.methods[main]?.candidates[0];
  const { arguments: predicted = null, right = false, steps = 0, probability = 0 } = best ?? {};
  const { id, ...rest } = result;
  return { id, predicted, right, steps, probability, ...rest };
}
