/** Percentiles by nearest rank and Jain's index, against their definitions. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jainIndex, percentilesOf } from '../../../src/bench/agents/statistics.js';

describe('percentiles', () => {
  it('of 1..100 are the ranks themselves, in whatever order they come', () => {
    const samples = Array.from({ length: 100 }, (_, index) => ((index * 37) % 100) + 1);
    expect(percentilesOf(samples)).toEqual({ n: 100, p50: 50, p95: 95, p99: 99, mean: 50.5, max: 100 });
  });

  it('of one sample are that sample, of none 0', () => {
    expect(percentilesOf([7])).toEqual({ n: 1, p50: 7, p95: 7, p99: 7, mean: 7, max: 7 });
    expect(percentilesOf([])).toEqual({ n: 0, p50: 0, p95: 0, p99: 0, mean: 0, max: 0 });
  });

  it('are samples that at least their share of all samples does not exceed, and no smaller one', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 1e6, noNaN: true }), { minLength: 1 }), (samples) => {
        const { p50, p95, p99, max } = percentilesOf(samples);
        for (const [share, value] of [
          [0.5, p50],
          [0.95, p95],
          [0.99, p99],
          [1, max],
        ] as const) {
          expect(samples).toContain(value);
          expect(samples.filter((one) => one <= value).length).toBeGreaterThanOrEqual(share * samples.length);
          expect(samples.filter((one) => one < value).length).toBeLessThan(share * samples.length);
        }
      }),
    );
  });

  it('leave the samples as they are', () => {
    const samples = [3, 1, 2];
    percentilesOf(samples);
    expect(samples).toEqual([3, 1, 2]);
  });
});

describe("Jain's index", () => {
  it('is 1 where all have the same and 1 / n where one has all', () => {
    expect(jainIndex([5, 5, 5, 5])).toBe(1);
    expect(jainIndex([8, 0, 0, 0])).toBe(0.25);
    expect(jainIndex([])).toBe(1);
  });

  it('does not change with the unit, and lies between 1 / n and 1', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 1000 }), { minLength: 1 }), (shares) => {
        fc.pre(shares.some((one) => one > 0));
        const index = jainIndex(shares);
        expect(index).toBeGreaterThanOrEqual(1 / shares.length - 1e-12);
        expect(index).toBeLessThanOrEqual(1 + 1e-12);
        expect(jainIndex(shares.map((one) => one * 4))).toBeCloseTo(index, 12);
      }),
    );
  });
});
