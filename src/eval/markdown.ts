/** Markdown tables. Pure. */
import type { Interval } from './statistics.js';

/** A share in percent, one decimal. */
export const percent = (share: number): string => (share * 100).toFixed(1);

/** A share with its interval: `61.2 (57.0-65.3)`. */
export const withInterval = (share: number, [low, high]: Interval): string =>
  `${percent(share)} (${percent(low)}-${percent(high)})`;

/** A difference of shares in percent points, signed. */
export const points = (difference: number): string =>
  `${difference < 0 ? '-' : '+'}${Math.abs(difference * 100).toFixed(1)}`;

/** Cells may hold anything; what would end a cell is escaped. */
const cell = (text: string): string =>
  text.replaceAll('\\', '\\\\').replaceAll('|', '\\|').replaceAll('\n', ' ');

/** A table; the first column is text, the others are numbers. */
export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |`;
  const rule = `| ${heads.map((_, index) => (index === 0 ? '---' : '---:')).join(' | ')} |`;
  return [line(heads), rule, ...rows.map(line)].join('\n');
}
