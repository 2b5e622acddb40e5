import { describe, expect, it } from 'vitest';
import { breakdownsOf, horizonRows, rowOf, rowsByAction } from '../../../src/eval/breakdown.js';
import { bucketIndex, bucketName, bucketsFrom } from '../../../src/eval/buckets.js';
import { exampleOutcome as example } from './example-outcomes.js';

describe('classes of numbers', () => {
  const buckets = bucketsFrom([1, 2, 4]);
  it.each([
    [0, undefined],
    [1, '1'],
    [2, '2-3'],
    [3, '2-3'],
    [4, '4 and more'],
    [400, '4 and more'],
  ])('%i', (value, expected) => {
    const bucket = buckets[bucketIndex(buckets, value)];
    expect(bucket && bucketName(bucket)).toBe(expected);
  });
});

const change = {
  type: 'int',
  isValue: false,
  model: true,
  rule: false,
  argument: false,
  known: false,
} as const;
const outcomes = [
  example({
    kind: 'step_into',
    exact: true,
    changes: [change],
    tags: ['a', 'b'],
    statement: 'return',
    codeLines: 3,
  }),
  example({
    kind: 'step_into',
    exact: false,
    ruleExact: true,
    tags: ['b'],
    statement: 'assignment',
    codeLines: 9,
  }),
  example({
    kind: 'continue',
    exact: true,
    horizon: 5,
    codeLines: 70,
    changes: [
      { ...change, type: 'str', isValue: true, argument: true, known: true },
      { ...change, model: false, known: true },
    ],
  }),
  example({ kind: 'inv_continue', exact: false, horizon: 40 }),
];

describe('rows', () => {
  it('add up questions, and values apart', () => {
    expect(rowOf(outcomes)).toMatchObject({
      n: 4,
      exact: 0.5,
      baseline_exact: 0.25,
      values: { n: 1, model: 1, rule: 0, argument: 1, known: 1 },
    });
  });

  it('by action, in the order of the actions', () => {
    expect(Object.entries(rowsByAction(outcomes)).map(([kind, { n, exact }]) => [kind, n, exact])).toEqual([
      ['step_into', 2, 0.5],
      ['continue', 1, 1],
      ['inv_continue', 1, 0],
    ]);
  });

  it('by horizon, of jumps alone', () => {
    const rows = horizonRows(outcomes).map(({ from, to, n, exact }) => [from, to, n, exact]);
    expect(rows).toEqual([
      [1, 1, 0, 0],
      [2, 3, 0, 0],
      [4, 7, 1, 1],
      [8, 15, 0, 0],
      [16, 31, 0, 0],
      [32, null, 1, 0],
    ]);
  });
});

describe('breakdowns', () => {
  const { direction, reach, tag, statement, program_lines, type } = breakdownsOf(outcomes);
  const counts = (rows: readonly { name: string; n: number }[]): [string, number][] =>
    rows.map(({ name, n }) => [name, n]);

  it('leave out what there is none of', () => {
    expect(counts(direction)).toEqual([
      ['forward', 3],
      ['reverse', 1],
    ]);
    expect(counts(reach)).toEqual([
      ['single step', 2],
      ['jump', 2],
    ]);
    expect(counts(program_lines)).toEqual([
      ['1-7', 2],
      ['8-15', 1],
      ['64 and more', 1],
    ]);
  });

  it('have forward and reverse jumps by horizon', () => {
    const { horizon_forward, horizon_reverse } = breakdownsOf(outcomes);
    expect(horizon_forward.map(({ n }) => n)).toEqual([0, 0, 1, 0, 0, 0]);
    expect(horizon_reverse.map(({ n }) => n)).toEqual([0, 0, 0, 0, 0, 1]);
  });

  it('count an outcome for each of its tags, the commonest first', () => {
    expect(counts(tag)).toEqual([
      ['b', 2],
      ['a', 1],
    ]);
  });

  it('have jumps without a statement', () => {
    expect(counts(statement)).toEqual([
      ['assignment', 1],
      ['return', 1],
    ]);
  });

  it('count changes by type, beside what could be copied', () => {
    expect(type.map(({ name, n, model, known }) => [name, n, model, known])).toEqual([
      ['int', 2, 0.5, 0.5],
      ['str', 1, 1, 1],
    ]);
  });
});
