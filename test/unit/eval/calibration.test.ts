import { describe, expect, it } from 'vitest';
import {
  brierScore,
  calibrationOf,
  equalMassBins,
  equalWidthBins,
  expectedCalibrationError,
  selectiveAccuracy,
} from '../../../src/eval/calibration.js';
import type { Forecast } from '../../../src/eval/outcome.js';

const forecasts = (...pairs: [number, boolean][]): Forecast[] =>
  pairs.map(([probability, right]) => ({ probability, right }));
const four = forecasts([0.15, false], [0.15, false], [0.95, true], [0.95, false]);

describe('bins', () => {
  it('of equal width hold their lower bound, the last one also 1', () => {
    const bins = equalWidthBins(
      forecasts([0, false], [0.5, true], [0.49, true], [1, true], [0.75, false]),
      2,
    );
    expect(bins.map(({ from, to, n }) => [from, to, n])).toEqual([
      [0, 0.5, 2],
      [0.5, 1, 3],
    ]);
    expect(bins[0]?.confidence).toBeCloseTo(0.245);
    expect(bins[0]?.accuracy).toBe(0.5);
    expect(bins[1]?.accuracy).toBeCloseTo(2 / 3);
  });

  it('keep probabilities that rounding pushed over the edge', () => {
    const [first, last] = equalWidthBins(forecasts([1 + 1e-12, true], [-1e-12, false]), 2);
    expect([first?.n, last?.n]).toEqual([1, 1]);
  });

  it('of equal mass share out what there is', () => {
    const bins = equalMassBins(
      forecasts([0.9, true], [0.1, false], [0.5, true], [0.3, false], [0.7, true]),
      2,
    );
    expect(bins.map(({ from, to, n, accuracy }) => [from, to, n, accuracy])).toEqual([
      [0.1, 0.5, 3, 1 / 3],
      [0.7, 0.9, 2, 1],
    ]);
    expect(equalMassBins(four, 10).map(({ n }) => n)).toEqual([1, 1, 1, 1]);
    expect(equalMassBins([], 10)).toEqual([]);
  });
});

describe('scores', () => {
  it('of four forecasts by hand', () => {
    // |0 - 0.15| * 2/4 + |0.5 - 0.95| * 2/4
    expect(expectedCalibrationError(equalWidthBins(four, 10))).toBeCloseTo(0.3);
    // (0.0225 + 0.0225 + 0.0025 + 0.9025) / 4
    expect(brierScore(four)).toBeCloseTo(0.2375);
    const calibration = calibrationOf(four, 10);
    expect(calibration).toMatchObject({ n: 4, accuracy: 0.25 });
    expect(calibration.confidence).toBeCloseTo(0.55);
    // Every forecast is a bin of its own: (0.15 + 0.15 + 0.05 + 0.95) / 4
    expect(calibration.ece_equal_mass).toBeCloseTo(0.325);
  });

  it('of sure and right forecasts are perfect, of none nothing', () => {
    expect(calibrationOf(forecasts([1, true], [0, false]), 5)).toMatchObject({ ece: 0, brier: 0 });
    expect(calibrationOf([], 5)).toMatchObject({ n: 0, ece: 0, brier: 0, mass_bins: [] });
  });
});

describe('selective accuracy', () => {
  it('is over the most confident answers', () => {
    const ten = forecasts(
      ...Array.from({ length: 10 }, (_, index): [number, boolean] => [(index + 1) / 10, index >= 4]),
    );
    expect(
      selectiveAccuracy(ten).map(({ coverage, n, exact, threshold }) => [coverage, n, exact, threshold]),
    ).toEqual([
      [0.5, 5, 1, 0.6],
      [0.8, 8, 0.75, 0.3],
      [0.9, 9, 6 / 9, 0.2],
      [1, 10, 0.6, 0.1],
    ]);
  });

  it('of nothing is 0 of 0', () => {
    expect(selectiveAccuracy([])[0]).toEqual({
      coverage: 0.5,
      n: 0,
      exact: 0,
      interval: [0, 1],
      threshold: 0,
    });
  });
});
