/** What all plots share: look, points, series. Pure. */
import type { Interval } from './statistics.js';
import type { StepsReport } from './steps-report.js';

/** A Vega-Lite specification as plain data: the library's own type cannot be built in parts. */
export type PlotSpec = Readonly<Record<string, unknown>>;

/** One point: a share with the ends of its interval, in percent. */
export interface Point {
  readonly label: string;
  readonly series: string;
  readonly share: number;
  readonly low: number | null;
  readonly high: number | null;
}

const percent = (share: number): number => share * 100;
export const point = (label: string, series: string, share: number, interval?: Interval): Point => ({
  label,
  series,
  share: percent(share),
  low: interval ? percent(interval[0]) : null,
  high: interval ? percent(interval[1]) : null,
});

export const palette: Readonly<Record<string, string>> = {
  model: '#1f5fa8',
  'rule: next line, nothing changes': '#8a9099',
  'value stands in the state before': '#d9822b',
};
export const [modelSeries, ruleSeries, copySeries] = Object.keys(palette) as [string, string, string];
export const percentScale = { domain: [0, 100], nice: false } as const;

export const look = {
  background: 'white',
  padding: 16,
  config: {
    font: 'Open Sans, DejaVu Sans, Helvetica, Arial, sans-serif',
    title: {
      fontSize: 16,
      fontWeight: 600,
      subtitleFontSize: 12,
      subtitleColor: '#555',
      anchor: 'start',
      offset: 14,
    },
    axis: {
      labelFlush: false,
      labelFontSize: 12,
      titleFontSize: 13,
      titleFontWeight: 600,
      gridColor: '#e6e8eb',
      domainColor: '#9aa0a6',
      tickColor: '#9aa0a6',
      titlePadding: 10,
    },
    legend: { labelFontSize: 12, symbolSize: 90, labelLimit: 400, rowPadding: 4 },
    view: { stroke: null },
  },
} as const;

/** Color of each series, with a legend above the plot. */
export const colorOf = (series: readonly string[]): object => ({
  ...seriesField,
  scale: { domain: series, range: series.map((name) => palette[name] ?? '#333') },
});

/** Shape of each series; the legend is the one of the colors. */
export const shapeOf = (series: readonly string[]): object => ({
  ...seriesField,
  scale: { domain: series, range: ['circle', 'square', 'diamond'].slice(0, series.length) },
});

const seriesField = {
  field: 'series',
  type: 'nominal',
  title: null,
  legend: {
    orient: 'top',
    direction: 'horizontal',
    symbolStrokeWidth: 0,
    symbolOpacity: 1,
    columnPadding: 24,
  },
} as const;

export const subtitleOf = ({ subject, n, programs }: StepsReport): string =>
  `${subject.model.name} on ${subject.data.name}: ${n} questions about ${programs} programs; bars: Wilson 95 % intervals`;
