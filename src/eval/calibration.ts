/** Whether probabilities mean what they say: reliability, expected calibration error, Brier score, selective accuracy. Pure. */
import type { Forecast, Outcome } from './outcome.js';
import { type Interval, wilson } from './statistics.js';

/** Forecasts of one bin. */
export interface ReliabilityBin {
  /** Bounds of the probabilities; of a bin of equal mass the least and greatest in it. */
  readonly from: number;
  readonly to: number;
  readonly n: number;
  /** Mean probability; 0 if the bin is empty. */
  readonly confidence: number;
  /** Share that was right; 0 if the bin is empty. */
  readonly accuracy: number;
  readonly interval: Interval;
}

export interface Calibration {
  readonly n: number;
  readonly confidence: number;
  readonly accuracy: number;
  /**
   * Expected calibration error: mean of |accuracy - confidence| over the bins, by their share of forecasts.
   * Guo et al., "On Calibration of Modern Neural Networks", ICML 2017.
   */
  readonly ece: number;
  readonly ece_equal_mass: number;
  /** Mean squared difference of probability and outcome. Brier, Monthly Weather Review 1950. */
  readonly brier: number;
  /** Of equal width over 0..1. */
  readonly bins: readonly ReliabilityBin[];
  /** Of equal mass: as many forecasts in each, as far as that goes. */
  readonly mass_bins: readonly ReliabilityBin[];
}

const mean = (numbers: readonly number[]): number =>
  numbers.length === 0 ? 0 : numbers.reduce((sum, value) => sum + value, 0) / numbers.length;
const asNumber = ({ right }: Forecast): number => Number(right);

function binOf(forecasts: readonly Forecast[], from: number, to: number): ReliabilityBin {
  const n = forecasts.length;
  const hits = forecasts.filter(({ right }) => right).length;
  const confidence = mean(forecasts.map(({ probability }) => probability));
  return { from, to, n, confidence, accuracy: n === 0 ? 0 : hits / n, interval: wilson(hits, n) };
}

/** `count` bins of equal width; a bin holds its lower bound, the last one also 1. */
export function equalWidthBins(forecasts: readonly Forecast[], count: number): ReliabilityBin[] {
  const members: Forecast[][] = Array.from({ length: count }, () => []);
  for (const forecast of forecasts) {
    const index = Math.floor(forecast.probability * count);
    members[Math.min(count - 1, Math.max(0, index))]?.push(forecast);
  }
  return members.map((group, index) => binOf(group, index / count, (index + 1) / count));
}

/** At most `count` bins of as equal size as possible, by ascending probability; none is empty. */
export function equalMassBins(forecasts: readonly Forecast[], count: number): ReliabilityBin[] {
  const sorted = [...forecasts].sort((a, b) => a.probability - b.probability);
  const used = Math.min(count, sorted.length);
  return Array.from({ length: used }, (_, index) => {
    const start = Math.round((index * sorted.length) / used);
    const end = Math.round(((index + 1) * sorted.length) / used);
    const group = sorted.slice(start, end);
    return binOf(group, group[0]?.probability ?? 0, group.at(-1)?.probability ?? 0);
  });
}

export function expectedCalibrationError(bins: readonly ReliabilityBin[]): number {
  const total = bins.reduce((sum, { n }) => sum + n, 0);
  if (total === 0) return 0;
  const error = bins.reduce(
    (sum, { n, accuracy, confidence }) => sum + n * Math.abs(accuracy - confidence),
    0,
  );
  return error / total;
}

export const brierScore = (forecasts: readonly Forecast[]): number =>
  mean(forecasts.map((forecast) => (forecast.probability - asNumber(forecast)) ** 2));

export function calibrationOf(forecasts: readonly Forecast[], binCount: number): Calibration {
  const bins = equalWidthBins(forecasts, binCount);
  const massBins = equalMassBins(forecasts, binCount);
  return {
    n: forecasts.length,
    confidence: mean(forecasts.map(({ probability }) => probability)),
    accuracy: mean(forecasts.map(asNumber)),
    ece: expectedCalibrationError(bins),
    ece_equal_mass: expectedCalibrationError(massBins),
    brier: brierScore(forecasts),
    bins,
    mass_bins: massBins,
  };
}

export const forecastFields = ['event', 'line', 'locals', 'value', 'answer'] as const;
export type ForecastField = (typeof forecastFields)[number];

/** Calibration of each field; one forecast for each local and value that an answer names, one a question for the others. */
export function calibrationsOf(
  outcomes: readonly Outcome[],
  binCount: number,
): Record<ForecastField, Calibration> {
  const forecasts: Record<ForecastField, readonly Forecast[]> = {
    event: outcomes.map(({ event }) => event),
    line: outcomes.map(({ line }) => line),
    locals: outcomes.flatMap(({ locals }) => locals),
    value: outcomes.flatMap(({ value }) => (value === undefined ? [] : [value])),
    answer: outcomes.map(({ answer }) => answer),
  };
  const entries = forecastFields.map((field) => [field, calibrationOf(forecasts[field], binCount)]);
  return Object.fromEntries(entries) as Record<ForecastField, Calibration>;
}

/** Accuracy of the most confident answers. */
export interface SelectiveRow {
  /** Share of the questions that are answered. */
  readonly coverage: number;
  readonly n: number;
  readonly exact: number;
  readonly interval: Interval;
  /** Least probability among them. */
  readonly threshold: number;
}

const coverages = [0.5, 0.8, 0.9, 1] as const;

/** Geifman and El-Yaniv, "Selective Classification for Deep Neural Networks", NeurIPS 2017. */
export function selectiveAccuracy(forecasts: readonly Forecast[]): SelectiveRow[] {
  const sorted = [...forecasts].sort((a, b) => b.probability - a.probability);
  return coverages.map((coverage) => {
    // Rounded up: 90 % of 10 are 9, although 0.9 * 10 may come out above it.
    const chosen = sorted.slice(0, Math.ceil(Number((coverage * sorted.length).toFixed(6))));
    const hits = chosen.filter(({ right }) => right).length;
    return {
      coverage,
      n: chosen.length,
      exact: chosen.length === 0 ? 0 : hits / chosen.length,
      interval: wilson(hits, chosen.length),
      threshold: chosen.at(-1)?.probability ?? 0,
    };
  });
}
