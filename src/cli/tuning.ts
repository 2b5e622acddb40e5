/** Flags about speed and never about answers: how many rows a pass has, and whether to look ahead. */
import { availableParallelism } from 'node:os';
import { type Command, InvalidArgumentError } from 'commander';
import type { NativeEngine } from '../native/addon-types.js';
import { engineDefaults } from '../native/engine.js';
import { calibrate, type SchedulerOptions } from '../scheduler/index.js';
import { wholeNumber } from './engine-options.js';

export interface TuningFlags {
  /** Most rows of a pass; 0 = measured at start, absent = the scheduler's default. */
  readonly rows?: number;
  /** Longest pass, where rows are measured. */
  readonly stepMillis?: number;
  /** Whether to predict likely next questions while idle. */
  readonly ahead?: boolean;
}

const defaultStepMillis = 10;
/** Calls of the engine that are made in place: what a client may have to wait for because another one is served. */
const inPlaceMicros = 16_000;

export function addTuningOptions(command: Command): Command {
  return command
    .option('--rows <n>', 'most tokens of one pass of the model, 0 = measured at start', rowCount, 0)
    .option('--step-millis <ms>', 'longest pass, where --rows is measured', wholeNumber(1), defaultStepMillis)
    .option('--no-ahead', 'do not predict likely next questions while idle');
}

/** Rows of a pass and what a pass costs by itself, measured where the flags leave it open. */
export function schedulerOptions(engine: NativeEngine, flags: TuningFlags): SchedulerOptions {
  const { rows, stepMillis = defaultStepMillis } = flags;
  const places = { inPlaceMicros, spareProcessors: availableParallelism() > engine.info.threads };
  if (rows === undefined) return places;
  const { rows: measured, fixedRows } = calibrate(engine, 1000 * stepMillis, engineDefaults.maxRows);
  return { ...places, rows: rows === 0 ? measured : rows, fixedRows };
}

function rowCount(text: string): number {
  const value = wholeNumber(0)(text);
  if (value === 0 || (value >= 4 && value <= engineDefaults.maxRows)) return value;
  throw new InvalidArgumentError(`expected 0, or a whole number from 4 to ${engineDefaults.maxRows}`);
}
