import { describe, expect, it } from 'vitest';
import { type ReverseOutcome, reverseOutcome, reverseReport, reverseRow } from '../../../src/eval/reverse.js';
import { stateAt as state } from '../../support/states.js';

type Judged = ReverseOutcome['candidates'][number];
const one = (
  probability: number,
  exact: boolean,
  valid: boolean | null,
  consistent: boolean | null = null,
): Judged => ({
  probability,
  exact,
  valid,
  consistent,
});
const action = 'inv_step_into';

describe('a reverse outcome', () => {
  it('compares every candidate with the truth and keeps their order', () => {
    const before = state('line', 3, { a: '1' });
    const truth = state('line', 2, { a: '0' });
    const other = state('line', 2, { a: '5' });
    const kind = { kind: action, lines: [] } as const;
    const candidates = [
      { state: other, probability: 0.2, consistent: true },
      { state: truth, probability: 0.6 },
    ];
    expect(reverseOutcome(kind, before, truth, candidates, [true])).toEqual({
      action,
      candidates: [one(0.2, false, true, true), one(0.6, true, null)],
    });
  });
});

describe('a reverse row', () => {
  const outcomes: ReverseOutcome[] = [
    { action, candidates: [one(0.6, true, true, true), one(0.2, false, true, false)] },
    { action, candidates: [one(0.5, false, false, false), one(0.25, true, true, true)] },
    { action: 'inv_continue', candidates: [one(0.9, true, null, true)] },
    { action: 'inv_continue', candidates: [one(0.4, false, false, true)] },
  ];

  it('by hand', () => {
    const row = reverseRow(outcomes);
    expect(row).toMatchObject({
      n: 4,
      exact_at_1: 2 / 4,
      exact_at_n: 3 / 4,
      candidates: 6 / 4,
      decided_n: 3,
      valid_top: 1 / 3,
      valid_any: 2 / 4,
      consistent: { n: 3, valid: 2 / 3 },
      inconsistent: { n: 2, valid: 1 / 2 },
    });
    expect(row.mass).toBeCloseTo((0.8 + 0.75 + 0.9 + 0.4) / 4);
    expect(row.valid_mass).toBeCloseTo((0.8 + 0.25 + 0 + 0) / 4);
    expect(row.undecided_mass).toBeCloseTo(0.9 / 4);
  });

  it('of nothing', () => {
    expect(reverseRow([])).toMatchObject({ n: 0, exact_at_1: 0, decided_n: 0, valid_mass: 0, mass: 0 });
  });

  it('a question without candidates is not decided, and wrong', () => {
    expect(reverseRow([{ action, candidates: [] }])).toMatchObject({ n: 1, exact_at_1: 0, decided_n: 0 });
  });

  it('by action, in the order of the actions', () => {
    const report = reverseReport(outcomes, 2);
    expect(report).toMatchObject({ asked: 2, ranked_by: 'consistency' });
    expect(reverseReport([{ action, candidates: [one(1, true, true)] }], 2).ranked_by).toBe('probability');
    expect(Object.entries(report.actions).map(([kind, { n }]) => [kind, n])).toEqual([
      ['inv_step_into', 2],
      ['inv_continue', 2],
    ]);
  });
});
