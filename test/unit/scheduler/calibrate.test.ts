import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { calibrate, fitPassCost, fixedRowsOf, rowsWithin } from '../../../src/scheduler/calibrate.js';
import { leastRows } from '../../../src/scheduler/share.js';
import { FakeEngine } from '../../support/fake-engine.js';

/** An engine whose passes cost `fixed + rows * row` microseconds. */
function engineOf(fixed: number, row: number): FakeEngine {
  const engine = new FakeEngine({ maxContext: 2048, pages: 1024, pageTokens: 4 });
  const step = engine.stepSync.bind(engine);
  engine.stepSync = (options) => {
    const summary = step(options);
    return { ...summary, computeMicros: fixed + row * summary.rows };
  };
  return engine;
}

describe('the row budget', () => {
  it('is the most rows whose pass stays within the bound, for slow engines and fast ones', () => {
    for (const [fixed, row, bound, rows] of [
      [1000, 100, 10_000, 90],
      [500, 20, 4_020, 176],
      // Beyond what was tried nothing is known: no more than the most that was measured.
      [100, 1, 10_000, 256],
      [9_000, 5_000, 10_000, leastRows],
    ] as const) {
      const engine = engineOf(fixed, row);
      const found = calibrate(engine, bound, 256);
      expect(found.rows).toBe(rows);
      expect(found.fixedRows).toBeCloseTo(fixed / row, 6);
      expect(found.cost.worstError).toBeLessThan(1e-9);
      expect(engine.stats()).toMatchObject({ openSequences: 0, usedPages: 0, cachedPages: 0 });
    }
  });

  it('closes what it opened when a pass fails', () => {
    const engine = engineOf(1, 1);
    engine.failures = { step: () => new Error('broken') };
    expect(() => calibrate(engine, 1000, 256)).toThrow('broken');
    expect(engine.stats()).toMatchObject({ openSequences: 0, usedPages: 0 });
  });
});

describe('the cost of a pass', () => {
  it('is fitted by a line of which no part is negative, whatever was measured', () => {
    const sample = fc.record({
      rows: fc.integer({ min: 1, max: 512 }),
      micros: fc.integer({ min: 1, max: 1e6 }),
    });
    fc.assert(
      fc.property(fc.array(sample, { minLength: 1, maxLength: 12 }), fc.nat(100_000), (samples, bound) => {
        const cost = fitPassCost(samples);
        expect(cost.fixedMicros).toBeGreaterThanOrEqual(0);
        expect(cost.rowMicros).toBeGreaterThanOrEqual(0);
        const rows = rowsWithin(cost, bound, 512);
        expect(rows).toBeGreaterThanOrEqual(leastRows);
        expect(rows).toBeLessThanOrEqual(512);
        expect(fixedRowsOf(cost, 1024)).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});
