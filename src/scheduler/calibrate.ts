/**
 * How many rows a pass may have: the cost of a pass is measured for some numbers of rows, fitted by a line, and the line read backwards. The budget decides
 * how fast answers come, never what they are.
 */
import type { NativeEngine } from '../native/addon-types.js';
import { leastRows } from './share.js';
import type { Budget } from './work.js';

/** Time of one pass with so many rows. */
export interface PassSample {
  readonly rows: number;
  readonly micros: number;
}

/** A pass of r rows takes about `fixedMicros + r * rowMicros`. */
export interface PassCost {
  readonly fixedMicros: number;
  readonly rowMicros: number;
  /** Largest deviation of a sample from the line, as a share of the sample. */
  readonly worstError: number;
}

export interface Calibration extends Pick<Budget, 'rows' | 'fixedRows'> {
  readonly samples: readonly PassSample[];
  readonly cost: PassCost;
  /** Time the passes have taken together, milliseconds. */
  readonly millis: number;
}

/** The line with the least relative error (weights 1 / micros²), of which neither part is negative. */
export function fitPassCost(samples: readonly PassSample[]): PassCost {
  let weight = 0;
  let sumRows = 0;
  let sumMicros = 0;
  let sumRowsRows = 0;
  let sumRowsMicros = 0;
  for (const { rows, micros } of samples) {
    const w = 1 / micros ** 2;
    weight += w;
    sumRows += w * rows;
    sumMicros += w * micros;
    sumRowsRows += w * rows * rows;
    sumRowsMicros += w * rows * micros;
  }
  const spread = weight * sumRowsRows - sumRows ** 2;
  const slope = spread > 0 ? (weight * sumRowsMicros - sumRows * sumMicros) / spread : 0;
  let rowMicros = Math.max(0, slope);
  let fixedMicros = (sumMicros - rowMicros * sumRows) / weight;
  if (fixedMicros < 0) {
    fixedMicros = 0;
    rowMicros = sumRowsMicros / sumRowsRows;
  }
  const worstError = Math.max(
    ...samples.map(({ rows, micros }) => Math.abs(fixedMicros + rows * rowMicros - micros) / micros),
  );
  return { fixedMicros, rowMicros, worstError };
}

/** The most rows whose pass stays within `micros`, from `leastRows` to `most`. */
export function rowsWithin({ fixedMicros, rowMicros }: PassCost, micros: number, most: number): number {
  const rows = rowMicros > 0 ? Math.floor((micros - fixedMicros) / rowMicros) : most;
  return Math.max(leastRows, Math.min(most, rows));
}

/** What a pass costs by itself, in rows: at most `most`, which stands for "rows cost nothing". */
export const fixedRowsOf = ({ fixedMicros, rowMicros }: PassCost, most: number): number =>
  rowMicros > 0 ? Math.min(most, fixedMicros / rowMicros) : most;

const sampledRows = [1, 2, 4, 8, 16, 32, 64, 96, 128, 192, 256, 384, 512];
/** Most passes timed for each number of rows, and after how many microseconds of them no more are; the fastest counts, because the engine tries several
 * ways to divide a pass over its threads, and whatever else the machine does only makes it longer. */
const repetitions = 16;
const leastRepetitions = 3;
const enoughMicros = 40_000;
/** Largest `fixedRows`: beyond it every budget is fair. */
const mostFixedRows = 1024;

/**
 * Measures the engine, which must have nothing open, with prompts of arbitrary tokens; its prefix cache is empty afterwards. Numbers of rows are tried upwards
 * until a pass takes twice the bound. Blocks the thread for some tenths of a second.
 * @param boundMicros longest pass wanted: what a sequence that generates waits for its next token
 * @param mostRows the engine's own limit
 */
export function calibrate(engine: NativeEngine, boundMicros: number, mostRows: number): Calibration {
  const began = performance.now();
  const most = Math.min(mostRows, engine.info.maxContext - 1);
  const samples: PassSample[] = [];
  const timer = new PassTimer(engine);
  timer.time(Math.min(8, most));
  for (const rows of sampledRows.filter((count) => count <= most)) {
    const micros = timer.fastest(rows);
    samples.push({ rows, micros });
    if (micros > 2 * boundMicros && samples.length >= 3) break;
  }
  engine.clearCache();
  const cost = fitPassCost(samples);
  return {
    rows: rowsWithin(cost, boundMicros, Math.min(mostRows, (samples.at(-1) as PassSample).rows)),
    fixedRows: fixedRowsOf(cost, mostFixedRows),
    samples,
    cost,
    millis: performance.now() - began,
  };
}

/** Times passes over prompts that have nothing in common. */
class PassTimer {
  private readonly request = new Int32Array(3);
  private count = 0;

  private readonly engine: NativeEngine;

  constructor(engine: NativeEngine) {
    this.engine = engine;
    engine.attach(this.request, new Int32Array(64), new Float32Array(16));
  }

  /** Microseconds of the fastest of some passes. */
  fastest(rows: number): number {
    let least = Number.POSITIVE_INFINITY;
    let total = 0;
    for (let pass = 0; pass < repetitions && (pass < leastRepetitions || total < enoughMicros); pass += 1) {
      const micros = this.time(rows);
      total += micros;
      least = Math.min(least, micros);
    }
    return least;
  }

  /** Microseconds of one pass with so many rows, at least 1. */
  time(rows: number): number {
    const { request } = this;
    this.count += 1;
    const { vocabSize } = this.engine.info;
    const tokens = Int32Array.from({ length: rows + 1 }, (_, at) => (this.count * 31 + at * 7) % vocabSize);
    this.engine.clearCache();
    const { sequence } = this.engine.open(tokens, 1);
    try {
      request.set([sequence, rows, 0]);
      const { computeMicros } = this.engine.stepSync({
        words: request.length,
        maxIterations: 1,
        deadlineMicros: 0,
        returnOnFinish: true,
      });
      return Math.max(1, computeMicros);
    } finally {
      this.engine.close(sequence);
    }
  }
}
