/** Accuracy of jumps against the real steps they skip, as a Vega-Lite specification. Pure. */
import type { HorizonRow } from './breakdown.js';
import { bucketName } from './buckets.js';
import {
  colorOf,
  look,
  modelSeries,
  type PlotSpec,
  percentScale,
  point,
  ruleSeries,
  subtitleOf,
} from './plot-look.js';
import type { StepsReport } from './steps-report.js';

/** Between the two parts of a label; the axis breaks the line there. */
const lineBreak = '|';

const x = {
  field: 'label',
  type: 'ordinal',
  sort: null,
  title: 'real steps skipped by the jump',
  axis: {
    labelAngle: 0,
    labelExpr: `split(datum.label, '${lineBreak}')`,
    labelPadding: 6,
    labelOverlap: false,
  },
} as const;
const share = {
  field: 'share',
  type: 'quantitative',
  scale: percentScale,
  title: 'whole state exact, %',
} as const;

function panel(title: string, rows: readonly HorizonRow[]): object {
  const values = rows.flatMap((row) => {
    const label = `${bucketName(row)}${lineBreak}n = ${row.n}`;
    return [
      point(label, modelSeries, row.exact, row.exact_interval),
      point(label, ruleSeries, row.baseline_exact),
    ];
  });
  return {
    title: { text: title, fontSize: 14, offset: 8 },
    width: 420,
    height: 300,
    data: { values },
    encoding: { x, color: colorOf([modelSeries, ruleSeries]) },
    layer: [
      { mark: { type: 'line', strokeWidth: 2 }, encoding: { y: share } },
      {
        transform: [{ filter: 'datum.low !== null' }],
        mark: { type: 'rule', strokeWidth: 2, opacity: 0.55 },
        encoding: { y: { ...share, field: 'low' }, y2: { field: 'high' } },
      },
      { mark: { type: 'point', filled: true, size: 80, opacity: 1 }, encoding: { y: share } },
    ],
  };
}

/** Forward and reverse jumps apart: how a run began is far easier to tell than how it ends. */
export function horizonPlot(report: StepsReport): PlotSpec {
  const { horizon_forward, horizon_reverse } = report.breakdowns;
  const panels: [string, readonly HorizonRow[]][] = [
    ['forward jumps', horizon_forward.filter(({ n }) => n > 0)],
    ['reverse jumps', horizon_reverse.filter(({ n }) => n > 0)],
  ];
  return {
    ...look,
    title: { text: 'Jumps by horizon', subtitle: subtitleOf(report), offset: 18 },
    spacing: 40,
    hconcat: panels.filter(([, rows]) => rows.length > 0).map(([title, rows]) => panel(title, rows)),
    resolve: { scale: { color: 'shared' } },
  };
}
