/** The report of `bench compare`, and the tables people read. */
import type { WeightFormat } from '../../native/addon-types.js';
import type { Agreement } from '../agreement.js';
import { tableLines } from '../engine-report.js';
import type { ReportHead } from '../report-head.js';
import type { Workload } from '../workloads.js';
import type { Clock } from './clock.js';
import type { PeerFacts } from './peer.js';

/** Over the rounds. */
export interface Spread {
  median: number;
  least: number;
  most: number;
}

export interface CompareRow extends Workload {
  shape: string;
  threads: number;
  dtype: WeightFormat;
  peer_weights: string;
  tokens_per_s: Spread;
  peer_tokens_per_s: Spread;
  /** Of the speeds, round by round; above 1 this engine is faster. */
  ratio: Spread;
  rounds: number;
}

/** How close both engines' predictions are on the same tokens. */
export interface AgreementRow extends Agreement {
  shape: string;
  dtype: WeightFormat;
  peer_weights: string;
}

export interface CompareReport extends ReportHead {
  isa: string;
  threads: number;
  clock: Clock;
  peer: PeerFacts & { flash_attention: true };
  rows: CompareRow[];
  agreement: AgreementRow[];
}

const rounded = (spread: Spread, digits: number): Spread => ({
  median: Number(spread.median.toFixed(digits)),
  least: Number(spread.least.toFixed(digits)),
  most: Number(spread.most.toFixed(digits)),
});

/** The same report with as many digits as mean something. */
export function readableRows(rows: readonly CompareRow[]): CompareRow[] {
  return rows.map((row) => ({
    ...row,
    tokens_per_s: rounded(row.tokens_per_s, 1),
    peer_tokens_per_s: rounded(row.peer_tokens_per_s, 1),
    ratio: rounded(row.ratio, 3),
  }));
}

const columns: readonly [title: string, text: (row: CompareRow) => string][] = [
  ['shape', (row) => row.shape],
  ['weights', (row) => `${row.dtype} / ${row.peer_weights}`],
  ['phase', (row) => row.phase],
  ['batch', (row) => `${row.batch}`],
  ['context', (row) => `${row.context}`],
  ['tokens/s', (row) => row.tokens_per_s.median.toFixed(0)],
  ['peer', (row) => row.peer_tokens_per_s.median.toFixed(0)],
  ['ratio', (row) => row.ratio.median.toFixed(2)],
  ['least', (row) => row.ratio.least.toFixed(2)],
  ['most', (row) => row.ratio.most.toFixed(2)],
];

const agreementColumns: readonly [title: string, text: (row: AgreementRow) => string][] = [
  ['shape', (row) => row.shape],
  ['weights', (row) => `${row.dtype} / ${row.peer_weights}`],
  ['positions', (row) => `${row.positions}`],
  ['KL', (row) => row.kl.toExponential(1)],
  ['same top token', (row) => `${(row.top1 * 100).toFixed(0)} %`],
];

export function compareLines(report: CompareReport): string[] {
  const { peer, isa, threads, clock } = report;
  const table = tableLines(
    columns.map(([title]) => title),
    report.rows.map((row) => columns.map(([, text]) => text(row))),
  );
  const agreement = tableLines(
    agreementColumns.map(([title]) => title),
    report.agreement.map((row) => agreementColumns.map(([, text]) => text(row))),
  );
  return [
    `${peer.name} ${peer.version} (${peer.llama_cpp}, ${peer.build}); here ${isa}; ${threads} thread${threads === 1 ? '' : 's'} each, ${clock} time`,
    '',
    ...table,
    '',
    'predictions of both for the same tokens:',
    ...agreement,
  ];
}
