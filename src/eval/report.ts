/** The report of `eval steps` as a table for the terminal. Pure. */

import type { Row } from './breakdown.js';
import { bucketName } from './buckets.js';
import type { StepsReport } from './steps-report.js';

const percent = (share: number): string => (share * 100).toFixed(1).padStart(6);
const head = (name: string): string =>
  `${name.padEnd(16)}${'n'.padStart(6)} ${'exact'.padStart(6)} ${'95 %'.padStart(13)} ${'event'.padStart(6)} ${'line'.padStart(6)} ${'locals'.padStart(6)} ${'chang.'.padStart(6)}   ${'rule'.padStart(6)} ${'chang.'.padStart(6)}`;

function line(name: string, row: Row): string {
  const [low, high] = row.exact_interval;
  const shares = [row.event, row.line, row.locals, row.changed].map(percent).join(' ');
  const baseline = `${percent(row.baseline_exact)} ${percent(row.baseline_changed)}`;
  return `${name.padEnd(16)}${String(row.n).padStart(6)} ${percent(row.exact)} ${percent(low)}-${percent(high).trim().padEnd(6)} ${shares}   ${baseline}`;
}

export function stepsTable(report: StepsReport): string {
  const actions = Object.entries(report.actions).map(([kind, row]) => line(kind, row));
  const horizon = report.horizon.filter(({ n }) => n > 0).map((row) => line(bucketName(row), row));
  const types = report.breakdowns.type.map(
    ({ name, n, model, rule, known }) =>
      `${name.padEnd(16)}${String(n).padStart(6)} ${percent(model)} ${percent(rule)} ${percent(known)}`,
  );
  const calibration = Object.entries(report.calibration).map(
    ([field, { n, ece, brier }]) =>
      `${field.padEnd(16)}${String(n).padStart(6)} ${ece.toFixed(3)}  ${brier.toFixed(3)}`,
  );
  const reasons = Object.entries(report.left_out_reasons).map(([reason, count]) => `  ${count}: ${reason}`);
  return [
    `${report.n} transitions in ${report.cases} cases of ${report.programs} programs, ${report.left_out} left out; shares in percent`,
    head('action'),
    line('all', report.all),
    ...actions,
    ...(horizon.length > 0 ? [head('jump over'), ...horizon] : []),
    ...(types.length > 0
      ? [`${'changed values'.padEnd(16)}${'n'.padStart(6)}  right   rule copied`, ...types]
      : []),
    `${'calibration'.padEnd(16)}${'n'.padStart(6)}   ECE  Brier`,
    ...calibration,
    ...selective(report),
    ...reverse(report),
    ...(reasons.length > 0 ? ['left out', ...reasons] : []),
  ].join('\n');
}

const selective = ({ selective: rows }: StepsReport): string[] =>
  rows
    .filter(({ coverage }) => coverage < 1)
    .map(
      ({ coverage, n, exact }) =>
        `${`best ${Math.round(coverage * 100)} %`.padEnd(16)}${String(n).padStart(6)} ${percent(exact)}`,
    );

function reverse({ reverse: report }: StepsReport): string[] {
  if (!report) return [];
  const { all, asked } = report;
  return [
    `reverse, ${asked} candidates: exact@1 ${percent(all.exact_at_1).trim()}, exact@${asked} ${percent(all.exact_at_n).trim()}; ` +
      `of ${all.decided_n} whose best could be judged valid ${percent(all.valid_top).trim()}, valid mass ${percent(all.valid_mass).trim()}`,
  ];
}
