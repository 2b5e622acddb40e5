/** What `eval operations` reports: how often each operation is right, by the size of the values. */
import type { OperationsRun } from './operations.js';

export interface OperationScore {
  readonly n: number;
  readonly right: number;
  readonly sizes: readonly { readonly size: number; readonly n: number; readonly right: number }[];
}

export interface OperationsReport {
  readonly n: number;
  readonly right: number;
  readonly left_out: Readonly<Record<string, number>>;
  readonly operations: Readonly<Record<string, OperationScore>>;
}

export function operationsReport({ results, leftOut }: OperationsRun): OperationsReport {
  const score = (chosen: typeof results) => ({
    n: chosen.length,
    right: chosen.filter(({ right }) => right).length,
  });
  const names = [...new Set(results.map(({ operation }) => operation))];
  const scored = names.map((name) => {
    const own = results.filter(({ operation }) => operation === name);
    const sizes = [...new Set(own.map(({ size }) => size))].sort((a, b) => a - b);
    const bySize = sizes.map((size) => ({ size, ...score(own.filter((result) => result.size === size)) }));
    return [name, { ...score(own), sizes: bySize }] as const;
  });
  return { ...score(results), left_out: Object.fromEntries(leftOut), operations: Object.fromEntries(scored) };
}

/** The report as a Markdown table: a row an operation, in percent, a column a size. */
export function operationsMarkdown(report: OperationsReport): string {
  const sizes = [
    ...new Set(Object.values(report.operations).flatMap((score) => score.sizes.map(({ size }) => size))),
  ].sort((a, b) => a - b);
  const percent = ({ right, n }: { right: number; n: number }): string => ((100 * right) / n).toFixed(0);
  const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const rows = Object.entries(report.operations).map(([name, score]) =>
    row([
      `\`${name}\``,
      ...sizes.map((size) => {
        const found = score.sizes.find((one) => one.size === size);
        return found === undefined ? '' : percent(found);
      }),
      percent(score),
    ]),
  );
  const head = row(['operation', ...sizes.map((size) => `size ${size}`), 'all']);
  const rule = row(['---', ...sizes.map(() => '---:'), '---:']);
  const share = report.n === 0 ? '' : `, ${percent(report)} % right`;
  const leftOut = Object.entries(report.left_out).map(
    ([reason, number]) => `- ${number} left out: ${reason}`,
  );
  const table = rows.length > 0 ? ['', head, rule, ...rows] : [];
  return [`${report.n} operations${share}`, ...table, ...(leftOut.length > 0 ? ['', ...leftOut] : [])].join(
    '\n',
  );
}
