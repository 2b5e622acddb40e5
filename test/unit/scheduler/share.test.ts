import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { resolveOptions } from '../../../src/scheduler/options.js';
import { RecentAccounts } from '../../../src/scheduler/recent-accounts.js';
import {
  allot,
  type Demands,
  demandsOf as demandsOfQueues,
  fairRows,
  inTurns,
  leastRows,
} from '../../../src/scheduler/share.js';
import type { RecentAccount } from '../../../src/scheduler/work.js';
import { queuesOf, runningWork, waitingWork } from '../../support/works.js';

const demandsOf = (wanted: readonly number[], changes: Partial<Demands> = {}): Demands => ({
  interactive: new Map(wanted.map((rows, index) => [`interactive:${index}`, rows])),
  batch: new Map(),
  awaited: new Set(),
  begun: new Map(),
  recent: new Map(),
  busiest: Number.POSITIVE_INFINITY,
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

describe('turns', () => {
  const rowsOf = (shares: ReadonlyMap<string, number>): number =>
    [...shares.values()].reduce((sum, rows) => sum + rows, 0);

  it('divide the same rows, and give nobody more than it wants or than a turn, but who has more anyway', () => {
    const served = fc.array(fc.nat(1000), { minLength: 12, maxLength: 12 });
    const begun = fc.array(fc.nat(64), { minLength: 12, maxLength: 12 });
    fc.assert(
      fc.property(wants, served, begun, fc.integer({ min: 4, max: 512 }), (wanted, lately, started, rows) => {
        const demands = demandsOf(wanted).interactive;
        const shares = allot(demands, rows, 0.5);
        const at = (account: string): number => Number(account.split(':')[1]);
        const given = inTurns(shares, demands, {
          rows: 64,
          recent: new Map(
            [...demands.keys()].map((account) => {
              const served = lately[at(account)] as number;
              return [account, { served, servedBefore: served / 2 }];
            }),
          ),
          begun: new Map([...demands.keys()].map((account) => [account, started[at(account)] as number])),
        });
        expect(rowsOf(given)).toBe(rowsOf(shares));
        for (const [account, share] of shares) {
          const wantedRows = demands.get(account) as number;
          const got = given.get(account) as number;
          if (share >= Math.min(16, wantedRows)) expect(got).toBe(share);
          else expect(got).toBeLessThanOrEqual(Math.min(64, wantedRows));
        }
      }),
    );
  });

  it('come to who was served least, what is begun as if nothing had been served since the last answer', () => {
    const { interactive } = demandsOf([40, 40, 200, 1]);
    const accounts = [...interactive.keys()];
    const shares = new Map(accounts.map((account, index) => [account, [14, 14, 14, 1][index] as number]));
    const given = (begun: number, servedBefore: number): number[] => {
      const recent = new Map(
        accounts.map((account, index) => [account, { served: [5, 9, 7, 3][index] as number, servedBefore }]),
      );
      const turns = { rows: 64, recent, begun: new Map([['interactive:2', begun]]) };
      return [...inTurns(shares, interactive, turns).values()];
    };
    expect(given(0, 4)).toEqual([40, 0, 2, 1]);
    expect(given(30, 4)).toEqual([12, 0, 30, 1]);
    expect(given(30, 6)).toEqual([40, 0, 2, 1]);
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

describe('accounts that ask about as much as each other', () => {
  const served = (...rows: number[]): Map<string, RecentAccount> =>
    new Map(
      rows.map((one, index) => [
        `interactive:${'abc'[index]}`,
        { answerRows: 100, served: one, servedBefore: one, expectedUntil: 10 },
      ]),
    );
  const rowsFor = (changes: Parameters<typeof queuesOf>[0]): number =>
    fairRows(demandsOfQueues(queuesOf(changes), budget), budget);
  const generating = runningWork(1, { client: 'a' });
  const prompt = waitingWork(2, { client: 'b', knownTokens: 60 });

  it('fill passes together', () => {
    expect(rowsFor({ running: [generating], waiting: [prompt], recent: served(1000, 1400) })).toBe(
      budget.rows,
    );
    // Who asks more is not protected from who asks less, and the other way round.
    expect(rowsFor({ running: [generating], waiting: [prompt], recent: served(1000, 100) })).toBeGreaterThan(
      60,
    );
  });

  it('are cut for one that asks less, or has not been served yet', () => {
    for (const recent of [served(1000, 1600), served(), served(0, 1)])
      expect(rowsFor({ running: [generating], waiting: [prompt], recent })).toBeLessThan(10);
  });

  it('are cut where one of them has several requests, or is batch', () => {
    const recent = served(1000, 1000);
    const another = waitingWork(3, { client: 'b', knownTokens: 60 });
    expect(rowsFor({ running: [generating], waiting: [prompt, another], recent })).toBeLessThan(10);
    const batch = runningWork(3, { client: 'b', priority: 'batch', pendingTokens: 60 });
    expect(rowsFor({ running: [generating, batch], recent })).toBeLessThan(10);
  });

  it('are not cut for each other while one of them wants nothing', () => {
    const rowsBeside = (other: number): number => rowsFor({ waiting: [prompt], recent: served(other, 1000) });
    expect(rowsBeside(1000)).toBe(budget.rows);
    expect(rowsBeside(600)).toBeLessThan(10);
    expect(rowsFor({ waiting: [prompt], recent: served(600, 1000), now: 11 })).toBe(budget.rows);
  });
});

describe('accounts that were served lately', () => {
  it('have a mean cost of an answer in which the latest count most, and are forgotten after a while', () => {
    const accounts = new RecentAccounts();
    accounts.answer('a', 100, 0);
    accounts.answer('a', 200, 1_000);
    accounts.answer('b', 40, 6_000);
    const costs = (now: number) =>
      [...accounts.view(now)].map(([account, { answerRows }]) => [account, answerRows]);
    expect(costs(7_000).sort()).toEqual([
      ['a', 125],
      ['b', 40],
    ]);
    expect(costs(11_001)).toEqual([['b', 40]]);
    expect(costs(16_001)).toEqual([]);
    accounts.answer('a', 10, 16_002);
    expect(costs(16_002)).toEqual([['a', 10]]);
  });

  it('are expected back within four of their usual pauses', () => {
    const accounts = new RecentAccounts();
    const expectedIn = (now: number) => (accounts.view(now).get('a') as RecentAccount).expectedUntil - now;
    accounts.answer('a', 10, 0);
    expect(expectedIn(0)).toBe(10_000);
    accounts.serve('a', 10, 100);
    expect(expectedIn(100)).toBe(400);
    // Nothing but a first pass behind an answer ends a pause.
    accounts.serve('a', 10, 150);
    accounts.answer('a', 10, 200);
    expect(expectedIn(200)).toBe(400);
    accounts.serve('a', 10, 500);
    expect(expectedIn(500)).toBe(4 * (100 + 200 / 4));
    for (let now = 1000; now < 1100; now += 2) {
      accounts.answer('a', 10, now);
      accounts.serve('a', 10, now + 1);
    }
    expect(expectedIn(1099)).toBe(20);
  });

  it('are compared by what they were served, of which earlier rows count less and less', () => {
    const accounts = new RecentAccounts();
    const ratio = (now: number): number => {
      const view = accounts.view(now);
      return (view.get('late')?.served as number) / (view.get('early')?.served as number);
    };
    // Longer than the largest number has room for without a new landmark.
    for (const start of [0, 20_000, 40_000_000]) {
      accounts.serve('early', 100, start);
      accounts.serve('late', 100, start + 1_500);
      expect(ratio(start + 1_500)).toBeCloseTo(2, 1);
      accounts.serve('early', 300, start + 1_500);
      expect(ratio(start + 1_500)).toBeCloseTo(100 / 350, 1);
    }
    expect(accounts.view(40_002_000).get('late')?.answerRows).toBe(Number.POSITIVE_INFINITY);
  });
});
