/** Two evaluations beside each other, by action; question by question where both answered the same ones. Pure. */
import { type ActionKind, actionKinds, isReverse } from '../debugger/action.js';
import type { ComparedResult } from './results.js';
import { differenceInterval, type Interval, pairedInterval, signTest } from './statistics.js';

/** What a report says about one kind of question. */
export interface ComparedRow {
  readonly n: number;
  readonly exact: number;
}

/** The parts of a report that are compared. */
export interface ComparedReport {
  /** What was measured on what; older reports do not say. */
  readonly subject?: { readonly model: { readonly name: string }; readonly data: { readonly name: string } };
  readonly all: ComparedRow;
  readonly actions: Readonly<Partial<Record<ActionKind, ComparedRow>>>;
}

export interface PairedRow {
  /** Questions that both answered. */
  readonly n: number;
  readonly exact_a: number;
  readonly exact_b: number;
  readonly both: number;
  readonly only_a: number;
  readonly only_b: number;
  readonly neither: number;
  /** B less A. */
  readonly difference: number;
  readonly interval: Interval;
  /** Two-sided, of McNemar's exact test. */
  readonly p: number;
}

export interface DifferenceRow {
  readonly name: string;
  readonly a: ComparedRow;
  readonly b: ComparedRow;
  /** B less A, as if the questions were independent samples. */
  readonly difference: number;
  readonly interval: Interval;
  /** Only where single results of both are at hand and have questions in common. */
  readonly paired?: PairedRow;
}

export interface Comparison {
  /** `MODEL on DATA`. */
  readonly a: string;
  readonly b: string;
  readonly rows: readonly DifferenceRow[];
  /** Questions of single results that both have; null: single results are missing. */
  readonly paired_n: number | null;
}

interface Pair {
  readonly action: ActionKind;
  readonly a: boolean;
  readonly b: boolean;
}

/** Results by question; the same question a second time gets a number of its own. */
function byQuestion(results: readonly ComparedResult[]): Map<string, ComparedResult> {
  const found = new Map<string, ComparedResult>();
  for (const result of results) {
    const key = JSON.stringify([result.id, result.program, result.position, result.action, result.lines]);
    let repeat = 0;
    while (found.has(`${key} ${repeat}`)) repeat += 1;
    found.set(`${key} ${repeat}`, result);
  }
  return found;
}

function pairsOf(a: readonly ComparedResult[], b: readonly ComparedResult[]): Pair[] {
  const others = byQuestion(b);
  return [...byQuestion(a)].flatMap(([key, { action, exact }]) => {
    const other = others.get(key);
    return other ? [{ action, a: exact, b: other.exact }] : [];
  });
}

export function pairedRow(pairs: readonly Pick<Pair, 'a' | 'b'>[]): PairedRow {
  const count = (a: boolean, b: boolean): number =>
    pairs.filter((pair) => pair.a === a && pair.b === b).length;
  const n = pairs.length;
  const both = count(true, true);
  const onlyA = count(true, false);
  const onlyB = count(false, true);
  const share = (hits: number): number => (n === 0 ? 0 : hits / n);
  return {
    n,
    exact_a: share(both + onlyA),
    exact_b: share(both + onlyB),
    both,
    only_a: onlyA,
    only_b: onlyB,
    neither: count(false, false),
    difference: share(onlyB - onlyA),
    interval: pairedInterval(onlyA, onlyB, n),
    p: signTest(onlyA, onlyB),
  };
}

function sumOf(report: ComparedReport, kinds: readonly ActionKind[]): ComparedRow {
  const rows = kinds.map((kind) => report.actions[kind]).filter((row) => row !== undefined);
  const n = rows.reduce((sum, row) => sum + row.n, 0);
  const hits = rows.reduce((sum, row) => sum + row.exact * row.n, 0);
  return { n, exact: n === 0 ? 0 : hits / n };
}

const nameOf = ({ subject }: ComparedReport): string =>
  subject ? `${subject.model.name} on ${subject.data.name}` : 'a report without a subject';

/** `results`: the single results behind both reports, if they were kept. */
export function compareReports(
  a: ComparedReport,
  b: ComparedReport,
  results?: { readonly a: readonly ComparedResult[]; readonly b: readonly ComparedResult[] },
): Comparison {
  const pairs = results ? pairsOf(results.a, results.b) : [];
  const rowOf = (
    name: string,
    rowA: ComparedRow,
    rowB: ComparedRow,
    kinds: readonly ActionKind[],
  ): DifferenceRow => {
    const shared = pairs.filter(({ action }) => kinds.includes(action));
    const hits = ({ n, exact }: ComparedRow): number => Math.round(n * exact);
    return {
      name,
      a: { n: rowA.n, exact: rowA.exact },
      b: { n: rowB.n, exact: rowB.exact },
      difference: rowB.exact - rowA.exact,
      interval: differenceInterval(hits(rowA), rowA.n, hits(rowB), rowB.n),
      ...(shared.length > 0 ? { paired: pairedRow(shared) } : {}),
    };
  };
  const groups: [string, readonly ActionKind[]][] = [
    ['forward', actionKinds.filter((kind) => !isReverse(kind))],
    ['reverse', actionKinds.filter(isReverse)],
    ...actionKinds.map((kind): [string, readonly ActionKind[]] => [kind, [kind]]),
  ];
  const rows = groups
    .map(([name, kinds]) => rowOf(name, sumOf(a, kinds), sumOf(b, kinds), kinds))
    .filter((row) => row.a.n + row.b.n > 0);
  return {
    a: nameOf(a),
    b: nameOf(b),
    rows: [rowOf('all', a.all, b.all, actionKinds), ...rows],
    paired_n: results ? pairs.length : null,
  };
}
