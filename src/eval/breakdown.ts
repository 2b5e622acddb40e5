/** Outcomes added up by a property of the question, beside both baselines. Pure. */
import { type ActionKind, actionKinds, isReverse } from '../debugger/action.js';
import {
  type Bucket,
  bucketIndex,
  bucketName,
  horizonBuckets,
  localCountBuckets,
  programLengthBuckets,
  promptTokenBuckets,
} from './buckets.js';
import { type ChangeOutcome, isJump, type Outcome } from './outcome.js';
import { lineKinds } from './program-facts.js';
import { type Summary, Tally } from './score.js';
import { type Interval, wilson } from './statistics.js';
import { valueTypes } from './value-type.js';

/** Shares of right values, over all changes of one kind; the baselines are those of baseline.ts and copying.ts. */
export interface ChangeShares {
  readonly n: number;
  readonly model: number;
  readonly model_interval: Interval;
  readonly rule: number;
  readonly argument: number;
  readonly known: number;
}

export interface Row extends Summary {
  readonly baseline_exact: number;
  readonly baseline_changed: number;
  /** Values of returns and exceptions; `argument`: the value is one of the frame's arguments. */
  readonly values: ChangeShares;
}

export interface NamedRow extends Row {
  readonly name: string;
}

export interface TypeRow extends ChangeShares {
  readonly name: string;
}

export interface HorizonRow extends Bucket, Row {}

/** A property and its classes; of an outcome with several (tags) each counts. */
export interface Breakdowns {
  readonly direction: readonly NamedRow[];
  /** Single steps and jumps. */
  readonly reach: readonly NamedRow[];
  readonly horizon_forward: readonly HorizonRow[];
  readonly horizon_reverse: readonly HorizonRow[];
  readonly program_lines: readonly NamedRow[];
  readonly prompt_tokens: readonly NamedRow[];
  readonly locals: readonly NamedRow[];
  readonly statement: readonly NamedRow[];
  readonly tag: readonly NamedRow[];
  /** Changed locals and values by the type of the true value. */
  readonly type: readonly TypeRow[];
}

export function rowOf(outcomes: readonly Outcome[]): Row {
  const model = new Tally();
  const rule = new Tally();
  for (const outcome of outcomes) {
    model.add(outcome.model);
    rule.add(outcome.rule);
  }
  const baseline = rule.summary();
  const values = outcomes.flatMap(({ changes }) => changes.filter(({ isValue }) => isValue));
  return {
    ...model.summary(),
    baseline_exact: baseline.exact,
    baseline_changed: baseline.changed,
    values: sharesOf(values),
  };
}

export function sharesOf(changes: readonly ChangeOutcome[]): ChangeShares {
  const n = changes.length;
  const hits = (who: 'model' | 'rule' | 'argument' | 'known'): number =>
    changes.filter((change) => change[who]).length;
  const share = (count: number): number => (n === 0 ? 0 : count / n);
  return {
    n,
    model: share(hits('model')),
    model_interval: wilson(hits('model'), n),
    rule: share(hits('rule')),
    argument: share(hits('argument')),
    known: share(hits('known')),
  };
}

/** Items by name; names as `order` has them, then others by number of items. */
function grouped<Item>(
  items: readonly Item[],
  namesOf: (item: Item) => readonly string[],
  order: readonly string[],
): [string, Item[]][] {
  const groups = new Map<string, Item[]>(order.map((name) => [name, []]));
  for (const item of items) {
    for (const name of namesOf(item)) {
      const group = groups.get(name);
      if (group) group.push(item);
      else groups.set(name, [item]);
    }
  }
  const known = [...groups].slice(0, order.length);
  const others = [...groups].slice(order.length);
  others.sort(([nameA, a], [nameB, b]) => b.length - a.length || (nameA < nameB ? -1 : 1));
  return [...known, ...others].filter(([, group]) => group.length > 0);
}

const rowsBy = (
  outcomes: readonly Outcome[],
  namesOf: (outcome: Outcome) => readonly string[],
  order: readonly string[] = [],
): NamedRow[] => grouped(outcomes, namesOf, order).map(([name, group]) => ({ name, ...rowOf(group) }));

function bucketRows(
  outcomes: readonly Outcome[],
  buckets: readonly Bucket[],
  numberOf: (outcome: Outcome) => number,
): NamedRow[] {
  const names = buckets.map(bucketName);
  return rowsBy(
    outcomes,
    (outcome) => names.slice(bucketIndex(buckets, numberOf(outcome))).slice(0, 1),
    names,
  );
}

export function breakdownsOf(outcomes: readonly Outcome[]): Breakdowns {
  const statements = [...lineKinds, 'call event', 'return event', 'exception event'];
  const changes = outcomes.flatMap((outcome) => outcome.changes);
  return {
    direction: rowsBy(outcomes, ({ action }) => [isReverse(action.kind) ? 'reverse' : 'forward'], [
      'forward',
      'reverse',
    ]),
    reach: rowsBy(outcomes, ({ action }) => [isJump(action.kind) ? 'jump' : 'single step'], [
      'single step',
      'jump',
    ]),
    horizon_forward: horizonRows(outcomes.filter(({ action }) => !isReverse(action.kind))),
    horizon_reverse: horizonRows(outcomes.filter(({ action }) => isReverse(action.kind))),
    program_lines: bucketRows(outcomes, programLengthBuckets, ({ codeLines }) => codeLines),
    prompt_tokens: bucketRows(outcomes, promptTokenBuckets, ({ promptTokens }) => promptTokens),
    locals: bucketRows(outcomes, localCountBuckets, ({ localCount }) => localCount),
    statement: rowsBy(outcomes, ({ statement }) => (statement === undefined ? [] : [statement]), statements),
    tag: rowsBy(outcomes, ({ tags }) => tags),
    type: grouped(changes, ({ type }) => [type], valueTypes).map(([name, group]) => ({
      name,
      ...sharesOf(group),
    })),
  };
}

export function rowsByAction(outcomes: readonly Outcome[]): Partial<Record<ActionKind, Row>> {
  const rows = rowsBy(outcomes, ({ action }) => [action.kind], actionKinds);
  return Object.fromEntries(rows.map(({ name, ...row }) => [name, row]));
}

/** Jumps by the real steps they skip; all classes, empty ones too. */
export function horizonRows(outcomes: readonly Outcome[]): HorizonRow[] {
  const jumps = outcomes.filter(({ action }) => isJump(action.kind));
  return horizonBuckets.map((bucket, index) => ({
    ...bucket,
    ...rowOf(jumps.filter(({ horizon }) => bucketIndex(horizonBuckets, horizon) === index)),
  }));
}
