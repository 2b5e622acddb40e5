/** The report of `eval steps` as a table for people. Pure. */
import type { Summary } from './score.js';
import type { StepsReport } from './steps.js';

const percent = (share: number): string => (share * 100).toFixed(1).padStart(6);
const row = (name: string, model: Summary, rule: Summary | undefined): string =>
  `${name.padEnd(16)}${String(model.n).padStart(6)} ${percent(model.exact)} ${percent(model.event)} ${percent(model.line)} ${percent(model.locals)} ${percent(model.changed)}   ${percent(rule?.exact ?? 0)} ${percent(rule?.changed ?? 0)}`;

export function stepsTable(report: StepsReport): string {
  const head = `${'action'.padEnd(16)}${'n'.padStart(6)} ${'exact'.padStart(6)} ${'event'.padStart(6)} ${'line'.padStart(6)} ${'locals'.padStart(6)} ${'chang.'.padStart(6)}   ${'rule'.padStart(6)} ${'chang.'.padStart(6)}`;
  const actions = Object.entries(report.actions).map(([kind, summary]) =>
    row(kind, summary, report.baseline.actions[kind as keyof typeof report.actions]),
  );
  const horizon = report.horizon
    .filter(({ n }) => n > 0)
    .map(({ from, to, n, exact, baseline_exact }) => {
      const range = to === null ? `${from} and more` : from === to ? `${from}` : `${from}-${to}`;
      return `${range.padEnd(16)}${String(n).padStart(6)} ${percent(exact)}${' '.repeat(30)} ${percent(baseline_exact)}`;
    });
  const reasons = Object.entries(report.left_out_reasons).map(([reason, count]) => `  ${count}: ${reason}`);
  return [
    `${report.n} transitions in ${report.cases} cases of ${report.programs} programs, ${report.left_out} left out; shares in percent`,
    head,
    row('all', report.all, report.baseline.all),
    ...actions,
    'jumps by real steps skipped',
    ...horizon,
    ...(reasons.length > 0 ? ['left out', ...reasons] : []),
  ].join('\n');
}
