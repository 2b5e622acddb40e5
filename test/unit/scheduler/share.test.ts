import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { resolveOptions } from '../../../src/scheduler/options.js';
import { RecentCosts } from '../../../src/scheduler/recent-costs.js';
import { allot, type Demands, fairRows, leastRows } from '../../../src/scheduler/share.js';

const demandsOf = (wanted: readonly number[], changes: Partial<Demands> = {}): Demands => ({
  interactive: new Map(wanted.map((rows, index) => [`interactive:${index}`, rows])),
  batch: new Map(),
  awaited: new Set(),
  absent: Number.POSITIVE_INFINITY,
  ...changes,
});
const wants = fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 12 });
const budget = resolveOptions({ rows: 128, fixedRows: 16, slowdown: 0.5 });

describe('shares of a pass', () => {
  it('never exceed the rows nor what is wanted, and leave over only what cannot be divided', () => {
    fc.assert(
      fc.property(wants, fc.integer({ min: 4, max: 256 }), (wanted, rows) => {
        const shares = [...allot(demandsOf(wanted).interactive, rows, 0.5)];
        const given = shares.reduce((sum, [, share]) => sum + share, 0);
        expect(given).toBeLessThanOrEqual(rows);
        for (const [account, share] of shares)
          expect(share).toBeLessThanOrEqual(demandsOf(wanted).interactive.get(account) as number);
        const all = wanted.reduce((sum, one) => sum + one, 0);
        expect(given).toBeGreaterThan(Math.min(all, rows) - wanted.length);
      }),
    );
  });

  it('are equal where the same is wanted, and nobody gets less than a sixth of what another gets if it wants more', () => {
    const equal = [...allot(demandsOf([50, 50, 50]).interactive, 90, 0.5).values()];
    expect(equal).toEqual([30, 30, 30]);
    fc.assert(
      fc.property(wants, fc.integer({ min: 24, max: 256 }), (wanted, rows) => {
        const demands = demandsOf(wanted).interactive;
        const shares = allot(demands, rows, 0.5);
        for (const [account, share] of shares) {
          if (share === demands.get(account)) continue;
          for (const other of shares.values())
            expect(share).toBeGreaterThanOrEqual(Math.floor(other / 6) - 1);
        }
      }),
    );
  });

  it('give who wants least all it wants in the pass that was cut for it', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 49 }), (least, others) => {
        const demands = demandsOf([least, ...Array.from({ length: others }, () => 128)]);
        const rows = fairRows(demands, budget);
        const share = allot(demands.interactive, rows, budget.slowdown).get('interactive:0');
        if (rows < budget.rows) expect(share).toBe(least);
        else expect(share).toBeGreaterThanOrEqual(Math.min(least, Math.floor(rows / (others + 1))));
      }),
    );
  });
});

describe('rows of a pass', () => {
  const cost = (rows: number) => budget.fixedRows + rows;

  it('slow the one who wants least down by no more than its others may', () => {
    fc.assert(
      fc.property(wants, (wanted) => {
        const rows = fairRows(demandsOf(wanted), budget);
        const least = Math.min(budget.rows, ...wanted);
        const others = wanted.length - 1;
        const bearable = (1 + (0.5 * others * others) / (others + 2)) * cost(least);
        if (wanted.length > 1) expect(cost(rows)).toBeLessThanOrEqual(Math.max(bearable, cost(leastRows)));
        else expect(rows).toBe(budget.rows);
      }),
    );
  });

  it('are not cut for batch accounts beside interactive ones', () => {
    const batch = new Map([['batch:b', 1]]);
    expect(fairRows(demandsOf([128], { batch }), budget)).toBe(budget.rows);
    expect(fairRows(demandsOf([128, 1]), budget)).toBeLessThan(budget.rows);
  });

  it('leave room for who asked lately, the less the more others there are', () => {
    expect(fairRows(demandsOf([128], { absent: 300 }), budget)).toBe(300 / 12 - 16);
    expect(fairRows(demandsOf([128, 128], { absent: 300 }), budget)).toBe(300 / 4 - 16);
    expect(fairRows(demandsOf([128], { absent: 1 }), budget)).toBe(leastRows);
  });
});

describe('what answers cost the clients that asked lately', () => {
  it('is a mean in which the latest count most, and is forgotten after a while', () => {
    const costs = new RecentCosts();
    costs.note('a', 100, 0);
    costs.note('a', 200, 1_000);
    costs.note('b', 40, 6_000);
    expect([...costs.view(7_000)].sort()).toEqual([
      ['a', 125],
      ['b', 40],
    ]);
    expect([...costs.view(11_001)]).toEqual([['b', 40]]);
    expect(costs.view(16_001).size).toBe(0);
  });
});
