import { describe, expect, it } from 'vitest';
import {
  differenceInterval,
  type Interval,
  pairedInterval,
  signTest,
  wilson,
} from '../../../src/eval/statistics.js';

const rounded = (interval: Interval, digits = 4): number[] =>
  interval.map((end) => Number(end.toFixed(digits)));

describe('the Wilson interval', () => {
  it.each<[number, number, number[]]>([
    [5, 10, [0.2366, 0.7634]],
    [0, 10, [0, 0.2775]],
    [10, 10, [0.7225, 1]],
    [81, 263, [0.2553, 0.3662]],
    [0, 0, [0, 1]],
  ])('of %i of %i', (hits, n, expected) => {
    expect(rounded(wilson(hits, n))).toEqual(expected);
  });

  it('holds the share and stays in 0..1 for every count', () => {
    for (let hits = 0; hits <= 60; hits++) {
      const [low, high] = wilson(hits, 60);
      expect(low).toBeGreaterThanOrEqual(0);
      expect(low).toBeLessThanOrEqual(hits / 60);
      expect(high).toBeGreaterThanOrEqual(hits / 60);
      expect(high).toBeLessThanOrEqual(1);
    }
  });
});

describe('differences', () => {
  it('of independent shares: an example of Newcombe 1998', () => {
    expect(rounded(differenceInterval(48, 80, 56, 70))).toEqual([0.0524, 0.3339]);
    expect(rounded(differenceInterval(56, 70, 48, 80))).toEqual([-0.3339, -0.0524]);
    expect(differenceInterval(0, 0, 1, 2)).toEqual([-1, 1]);
  });

  it('of paired shares', () => {
    // (2 - 6) / 52 = -0.0769; 1.96 * sqrt(9 - 16 / 52) / 52 = 0.1111
    expect(rounded(pairedInterval(6, 2, 50))).toEqual([-0.188, 0.0342]);
    // 1.96 * sqrt(1) / 6
    expect(rounded(pairedInterval(0, 0, 4))).toEqual([-0.3267, 0.3267]);
    expect(pairedInterval(0, 0, 0)).toEqual([-1, 1]);
  });
});

describe('the sign test', () => {
  it.each<[number, number, number]>([
    [0, 0, 1],
    [3, 3, 1],
    [0, 5, 2 / 32],
    [1, 9, (2 * (1 + 10)) / 1024],
    [9, 1, (2 * (1 + 10)) / 1024],
    [2, 6, (2 * (1 + 8 + 28)) / 256],
  ])('of %i against %i', (a, b, expected) => {
    expect(signTest(a, b)).toBeCloseTo(expected, 12);
  });

  it('does not underflow on many pairs', () => {
    // 2^-4000 is 0 in floating point; z = 200 / sqrt(4000) = 3.16.
    const p = signTest(1900, 2100);
    expect(p).toBeGreaterThan(0.001);
    expect(p).toBeLessThan(0.002);
  });
});
