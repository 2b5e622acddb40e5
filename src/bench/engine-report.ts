/** The report of `bench engine`: rows, and the table people read. */
import type { BenchMeasurement, MachineLimits, WeightFormat } from '../native/addon-types.js';
import type { ReportHead } from './report-head.js';
import type { Workload } from './workloads.js';

export interface EngineRow {
  shape: string;
  dtype: WeightFormat;
  phase: 'prefill' | 'decode';
  batch: number;
  context: number;
  shared: boolean;
  threads: number;
  tokens_per_s: number;
  /** Of the machine's read bandwidth: bytes a forward must read, by the time it takes. */
  bandwidth_share: number;
  /** Of the peak of this number format's instruction. */
  peak_share: number;
  /** One forward pass, milliseconds. */
  ms: number;
  gb_s: number;
  tops: number;
  repeats: number;
  /** Where the time of the threads goes, milliseconds of one forward pass; rest includes waiting. */
  time_ms: { matmul: number; attention: number; rest: number };
}

export interface MachineRow {
  isa: string;
  threads: number;
  read_gb_s: number;
  /** The highest peak among the number formats measured, in 10^12 operations a second. */
  peak_tops: number;
  peak_tops_by_dtype: Record<WeightFormat, number>;
  instructions: Record<WeightFormat, string>;
}

export interface EngineReport extends ReportHead {
  /** Of the first number of threads; every row's shares are of the limits for its own number. */
  machine: MachineRow;
  machines: MachineRow[];
  rows: EngineRow[];
  /** Workloads without a row, and why. */
  left_out: { shape: string; dtype: WeightFormat; workload: Workload; why: string }[];
}

const rounded = (value: number, digits: number): number => Number(value.toFixed(digits));

export function machineRow(limits: MachineLimits, dtypes: readonly WeightFormat[]): MachineRow {
  const tops = (dtype: WeightFormat): number => rounded(limits.operationsPerSecond[dtype] / 1e12, 4);
  return {
    isa: limits.isa,
    threads: limits.threads,
    read_gb_s: rounded(limits.readBytesPerSecond / 1e9, 2),
    peak_tops: Math.max(...dtypes.map(tops)),
    peak_tops_by_dtype: { fp32: tops('fp32'), bf16: tops('bf16'), int8: tops('int8') },
    instructions: limits.instructions,
  };
}

export function engineRow(
  shape: string,
  dtype: WeightFormat,
  workload: Workload,
  found: BenchMeasurement,
  limits: MachineLimits,
): EngineRow {
  const ms = found.seconds * 1e3;
  const bytesPerSecond = found.bytes / found.seconds;
  const operationsPerSecond = found.operations / found.seconds;
  const peak = limits.operationsPerSecond[dtype];
  return {
    shape,
    dtype,
    ...workload,
    threads: limits.threads,
    tokens_per_s: rounded(found.rows / found.seconds, 1),
    bandwidth_share: rounded(bytesPerSecond / limits.readBytesPerSecond, 4),
    peak_share: peak > 0 ? rounded(operationsPerSecond / peak, 4) : 0,
    ms: rounded(ms, 4),
    gb_s: rounded(bytesPerSecond / 1e9, 2),
    tops: rounded(operationsPerSecond / 1e12, 4),
    repeats: found.repeats,
    time_ms: {
      matmul: rounded(ms * found.productShare, 4),
      attention: rounded(ms * found.attentionShare, 4),
      rest: rounded(ms * Math.max(0, 1 - found.productShare - found.attentionShare), 4),
    },
  };
}

const percent = (share: number): string => `${(share * 100).toFixed(0)} %`;

const columns: readonly [title: string, text: (row: EngineRow) => string][] = [
  ['shape', (row) => row.shape],
  ['dtype', (row) => row.dtype],
  ['phase', (row) => row.phase],
  ['batch', (row) => `${row.batch}`],
  ['context', (row) => `${row.context}`],
  ['prefix', (row) => (row.batch === 1 ? '-' : row.shared ? 'shared' : 'separate')],
  ['threads', (row) => `${row.threads}`],
  ['tokens/s', (row) => row.tokens_per_s.toFixed(0)],
  ['ms', (row) => row.ms.toFixed(3)],
  ['bandwidth', (row) => percent(row.bandwidth_share)],
  ['peak', (row) => percent(row.peak_share)],
  ['matmul', (row) => percent(row.time_ms.matmul / row.ms)],
  ['attention', (row) => percent(row.time_ms.attention / row.ms)],
  ['rest', (row) => percent(row.time_ms.rest / row.ms)],
];

/** Lines of a table, columns aligned; words to the left, numbers to the right. */
export function tableLines(titles: readonly string[], cells: readonly (readonly string[])[]): string[] {
  const widths = titles.map((title, i) =>
    Math.max(title.length, ...cells.map((line) => line[i]?.length ?? 0)),
  );
  const isNumber = titles.map((_, i) => cells.every((line) => /^[-\d.]+( %|x)?$/.test(line[i] ?? '')));
  const format = (line: readonly string[]): string =>
    line
      .map((cell, i) => (isNumber[i] ? cell.padStart(widths[i] ?? 0) : cell.padEnd(widths[i] ?? 0)))
      .join('  ')
      .trimEnd();
  return [titles, ...cells].map(format);
}

/** What people read: the machine in a line for each number of threads, then the rows. */
export function engineLines(report: EngineReport): string[] {
  const machines = report.machines.map(
    ({ isa, threads, read_gb_s, peak_tops_by_dtype: peaks }) =>
      `${isa}, ${threads} thread${threads === 1 ? '' : 's'}: reads ${read_gb_s} GB/s; ` +
      `int8 ${peaks.int8}, bf16 ${peaks.bf16}, fp32 ${peaks.fp32} 10^12 operations/s`,
  );
  const table = tableLines(
    columns.map(([title]) => title),
    report.rows.map((row) => columns.map(([, text]) => text(row))),
  );
  const left = report.left_out.map(
    ({ shape, dtype, workload: { phase, batch, context, shared }, why }) =>
      `left out: ${shape} ${dtype} ${phase} batch ${batch} context ${context}${shared ? ' shared' : ''}: ${why}`,
  );
  return [...machines, '', ...table, ...(left.length > 0 ? ['', ...left] : [])];
}
