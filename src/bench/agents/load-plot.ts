/** Latency against load, as a Vega-Lite specification. Pure. */
import { look, type PlotSpec } from '../../eval/plot-look.js';
import type { PhaseReport } from './phase.js';

const series = ['p50', 'p95', 'p99'] as const;
const colors = ['#1f5fa8', '#d9822b', '#b3261e'];

const field = {
  field: 'series',
  type: 'nominal',
  title: null,
  sort: null,
  legend: {
    orient: 'top',
    direction: 'horizontal',
    columnPadding: 24,
    symbolStrokeWidth: 0,
    symbolOpacity: 1,
  },
} as const;

/** @param points open-loop phases: offered load against percentiles of latency */
export function loadPlot(points: readonly PhaseReport[], subtitle: string): PlotSpec {
  const values = points.flatMap(({ rate, turns_per_s, latency_ms }) =>
    series.map((name) => ({
      load: rate ?? turns_per_s,
      done: turns_per_s,
      series: name,
      millis: latency_ms[name],
    })),
  );
  return {
    ...look,
    title: { text: 'Latency against load', subtitle },
    width: 560,
    height: 320,
    data: { values },
    encoding: {
      x: {
        field: 'load',
        type: 'quantitative',
        title: 'questions asked a second (open loop)',
        scale: { zero: true },
      },
      y: {
        field: 'millis',
        type: 'quantitative',
        title: 'milliseconds from intended question to answer',
        scale: { type: 'log' },
      },
      color: { ...field, scale: { domain: series, range: colors } },
    },
    layer: [
      { mark: { type: 'line', strokeWidth: 2 } },
      {
        mark: { type: 'point', filled: true, size: 70, opacity: 1 },
        encoding: { shape: { ...field, scale: { domain: series, range: ['circle', 'square', 'diamond'] } } },
      },
    ],
  };
}
