/** A comparison as Markdown; people read it in the terminal as well. Pure. */
import type { Comparison } from './compare.js';
import { percent, points, table } from './markdown.js';
import type { Interval } from './statistics.js';

const range = ([low, high]: Interval): string => `${points(low)} to ${points(high)}`;
const chance = (p: number): string => (p < 0.0001 ? '< 0.0001' : p.toFixed(4));

export function comparisonMarkdown({ a: nameA, b: nameB, rows, paired_n }: Comparison): string {
  const all = `A: ${nameA}\n\nB: ${nameB}\n\n${differences(rows)}`;
  if (paired_n === null)
    return `${all}\n\nWithout results.jsonl beside both reports questions cannot be paired.`;
  if (paired_n === 0) return `${all}\n\nThe two evaluations have no question in common.`;
  const paired = table(
    ['same questions', 'n', 'exact A', 'exact B', 'only A', 'only B', 'B - A', '95 %', 'p (McNemar)'],
    rows.flatMap(({ name, paired: row }) =>
      row
        ? [
            [
              name,
              String(row.n),
              percent(row.exact_a),
              percent(row.exact_b),
              String(row.only_a),
              String(row.only_b),
              points(row.difference),
              range(row.interval),
              chance(row.p),
            ],
          ]
        : [],
    ),
  );
  return `${all}\n\n${paired}`;
}

const differences = (rows: Comparison['rows']): string =>
  table(
    ['action', 'n A', 'exact A', 'n B', 'exact B', 'B - A', '95 %'],
    rows.map(({ name, a, b, difference, interval }) => [
      name,
      String(a.n),
      percent(a.exact),
      String(b.n),
      percent(b.exact),
      points(difference),
      range(interval),
    ]),
  );
