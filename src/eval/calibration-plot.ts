/** Reliability diagrams, as a Vega-Lite specification. Pure. */
import { type Calibration, forecastFields } from './calibration.js';
import { look, type PlotSpec, palette, subtitleOf } from './plot-look.js';
import type { StepsReport } from './steps-report.js';

const fieldTitles = {
  event: 'event',
  line: 'line',
  locals: 'local',
  value: 'value',
  answer: 'whole answer',
} as const;

function reliabilityPanel(field: keyof typeof fieldTitles, { n, ece, brier, bins }: Calibration): object {
  const axis = { values: [0, 0.2, 0.4, 0.6, 0.8, 1], format: '.1f', labelOverlap: false };
  const x = {
    field: 'confidence',
    type: 'quantitative',
    scale: { domain: [0, 1] },
    title: 'probability',
    axis,
  };
  const y = {
    field: 'accuracy',
    type: 'quantitative',
    scale: { domain: [0, 1] },
    title: 'share right',
    axis,
  };
  const filled = bins.filter((bin) => bin.n > 0);
  const values = filled.map((bin) => ({ ...bin, low: bin.interval[0], high: bin.interval[1] }));
  return {
    title: {
      text: fieldTitles[field],
      subtitle: `n = ${n}, ECE ${ece.toFixed(3)}, Brier ${brier.toFixed(3)}`,
      fontSize: 14,
      offset: 6,
    },
    width: 190,
    height: 190,
    layer: [
      {
        data: {
          values: [
            { confidence: 0, accuracy: 0 },
            { confidence: 1, accuracy: 1 },
          ],
        },
        mark: { type: 'line', strokeDash: [4, 4], color: '#9aa0a6', strokeWidth: 1.5 },
        encoding: { x, y },
      },
      {
        data: { values },
        mark: { type: 'rule', color: palette.model, opacity: 0.55, strokeWidth: 2 },
        encoding: { x, y: { ...y, field: 'low' }, y2: { field: 'high' } },
      },
      {
        data: { values },
        mark: { type: 'point', filled: true, color: palette.model, opacity: 1 },
        encoding: {
          x,
          y,
          size: {
            field: 'n',
            type: 'quantitative',
            scale: {
              type: 'sqrt',
              domain: [1, Math.max(2, ...filled.map((bin) => bin.n))],
              range: [18, 160],
            },
            legend: null,
          },
        },
      },
    ],
    resolve: { scale: { size: 'independent' } },
  };
}

/** Reliability diagrams of all fields; larger points stand for more forecasts. */
export function calibrationPlot(report: StepsReport): PlotSpec {
  const fields = forecastFields.filter((field) => report.calibration[field].n > 0);
  return {
    ...look,
    title: {
      text: 'Calibration: how often an answer given a probability is right',
      subtitle: `${subtitleOf(report)}; larger points: more forecasts`,
      offset: 20,
    },
    columns: 3,
    spacing: 36,
    concat: fields.map((field) => reliabilityPanel(field, report.calibration[field])),
  };
}
