/** Options of the scheduler: one place for every default, checked once. */
import { ForetraceError } from '../errors.js';
import type { NativeEngine } from '../native/addon-types.js';
import type { Budget } from './work.js';

export interface SchedulerOptions extends Partial<Budget> {
  /** Requests that may wait; more are `overloaded`. */
  readonly maxQueued?: number;
  /** Requests of one client that may wait. */
  readonly maxQueuedPerClient?: number;
  /** Bytes of the trajectory store; 0 = off. */
  readonly storeBytes?: number;
  /** Grammars kept in the engine although no request uses them. */
  readonly maxUnusedGrammars?: number;
  /** Shared beginnings remembered. */
  readonly maxPrefixes?: number;
  /** Microseconds after which a call of several passes returns while somebody watches the tokens; 0 = never. */
  readonly streamMicros?: number;
  /** Milliseconds of a clock that never goes back. */
  readonly now?: () => number;
  /** Called after every step and when nothing is left to do, between engine calls; tests check invariants here. */
  readonly afterStep?: (engine: NativeEngine) => void;
  readonly onIdle?: (engine: NativeEngine) => void;
}

export type ResolvedOptions = Required<Omit<SchedulerOptions, 'afterStep' | 'onIdle'>> &
  Pick<SchedulerOptions, 'afterStep' | 'onIdle'>;

const defaults = {
  rows: 64,
  maxRunning: 64,
  prefillShare: 0.25,
  shortExtend: 64,
  quantum: 256,
  ageTokens: 8,
  patience: 128,
  maxPreemptions: 4,
  maxIterations: 16,
  maxQueued: 1024,
  maxQueuedPerClient: 1024,
  storeBytes: 64 * 1024 * 1024,
  maxUnusedGrammars: 256,
  maxPrefixes: 4096,
  streamMicros: 20_000,
  now: () => performance.now(),
} satisfies SchedulerOptions;

/** Smallest value of every number; the integers among them are checked to be integers. */
const minimums: Readonly<Record<string, number>> = {
  rows: 2,
  maxRunning: 1,
  shortExtend: 1,
  quantum: 1,
  ageTokens: 1,
  patience: 1,
  maxPreemptions: 0,
  maxIterations: 1,
  maxQueued: 1,
  maxQueuedPerClient: 1,
  storeBytes: 0,
  maxUnusedGrammars: 0,
  maxPrefixes: 1,
  streamMicros: 0,
};

/** @throws ForetraceError `invalid_argument` naming the option, what it may be and what it is. */
export function resolveOptions(options: SchedulerOptions): ResolvedOptions {
  const resolved: ResolvedOptions = { ...defaults, ...options };
  for (const [name, minimum] of Object.entries(minimums)) {
    const value = resolved[name as keyof ResolvedOptions];
    if (Number.isInteger(value) && (value as number) >= minimum) continue;
    throw wrong(name, `an integer of at least ${minimum}`, String(value));
  }
  const share = resolved.prefillShare;
  if (!(share > 0 && share < 1)) throw wrong('prefillShare', 'a number between 0 and 1', String(share));
  return resolved;
}

function wrong(name: string, expected: string, actual: string): ForetraceError {
  return new ForetraceError('invalid_argument', `Scheduler option ${name}`, { expected, actual });
}
