/** The pictures of a report, as Vega-Lite specifications. Pure. */
import { calibrationPlot } from './calibration-plot.js';
import { horizonPlot } from './horizon-plot.js';
import {
  colorOf,
  copySeries,
  look,
  modelSeries,
  type PlotSpec,
  type Point,
  percentScale,
  point,
  ruleSeries,
  shapeOf,
  subtitleOf,
} from './plot-look.js';
import type { StepsReport } from './steps-report.js';

interface DotPlot {
  readonly title: string;
  readonly subtitle: string;
  readonly xTitle: string;
  readonly yTitle: string;
  readonly series: readonly string[];
  readonly values: readonly Point[];
}

/** Shares by class: a row a class, the series side by side in it. */
function dotPlot({ title, subtitle, xTitle, yTitle, series, values }: DotPlot): PlotSpec {
  const y = {
    field: 'label',
    type: 'nominal',
    sort: null,
    title: yTitle,
    axis: { grid: true, labelPadding: 8, labelLimit: 300 },
  };
  const yOffset = { field: 'series', type: 'nominal', sort: series };
  const share = { field: 'share', type: 'quantitative', scale: percentScale, title: xTitle };
  return {
    ...look,
    title: { text: title, subtitle },
    width: 560,
    height: { step: 11 },
    data: { values },
    encoding: { y, yOffset, color: colorOf(series) },
    layer: [
      {
        transform: [{ filter: 'datum.low !== null' }],
        mark: { type: 'rule', strokeWidth: 2, opacity: 0.55 },
        encoding: { x: { ...share, field: 'low' }, x2: { field: 'high' } },
      },
      {
        mark: { type: 'point', filled: true, size: 70, opacity: 1 },
        encoding: {
          x: share,
          shape: shapeOf(series),
        },
      },
    ],
  };
}

/** Changed values by their type. */
export const typePlot = (report: StepsReport): PlotSpec =>
  dotPlot({
    title: 'Changed values by type',
    subtitle: subtitleOf(report),
    xTitle: 'changed locals and values right, %',
    yTitle: 'type of the true value',
    series: [modelSeries, ruleSeries, copySeries],
    values: report.breakdowns.type.flatMap(({ name, n, model, model_interval, rule, known }) => {
      const label = `${name} (n = ${n})`;
      return [
        point(label, modelSeries, model, model_interval),
        point(label, ruleSeries, rule),
        point(label, copySeries, known),
      ];
    }),
  });

/** Whole states by action. */
export const actionPlot = (report: StepsReport): PlotSpec =>
  dotPlot({
    title: 'Whole states by action',
    subtitle: subtitleOf(report),
    xTitle: 'whole state exact, %',
    yTitle: 'action',
    series: [modelSeries, ruleSeries],
    values: Object.entries(report.actions).flatMap(([kind, row]) => {
      const label = `${kind} (n = ${row.n})`;
      return [
        point(label, modelSeries, row.exact, row.exact_interval),
        point(label, ruleSeries, row.baseline_exact),
      ];
    }),
  });

/** Every picture by the name of its file. */
export const plotsOf = (report: StepsReport): Readonly<Record<string, PlotSpec>> => ({
  horizon: horizonPlot(report),
  calibration: calibrationPlot(report),
  'by-type': typePlot(report),
  'by-action': actionPlot(report),
});
