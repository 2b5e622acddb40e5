/** Options of the scheduler: one place for every default, checked once. */
import { ForetraceError } from '../errors.js';
import type { NativeEngine } from '../native/addon-types.js';
import { leastRows } from './share.js';
import type { Budget, Queues, StepPlan } from './work.js';

export interface SchedulerOptions extends Partial<Budget> {
  /** Requests that may wait; more are `overloaded`. One client may have no more waiting than there are places left. */
  readonly maxQueued?: number;
  /** Requests of one client that may wait. */
  readonly maxQueuedPerClient?: number;
  /** A request that would wait longer than this, by the rate at which requests are answered, is `overloaded`. */
  readonly maxQueueMillis?: number;
  /** `ahead` requests that may wait and run. */
  readonly maxAhead?: number;
  /** Bytes of the trajectory store; 0 = off. */
  readonly storeBytes?: number;
  /** Grammars kept in the engine although no request uses them. */
  readonly maxUnusedGrammars?: number;
  /** Shared beginnings remembered. */
  readonly maxPrefixes?: number;
  /** Microseconds after which a call of several passes returns while somebody watches the tokens; 0 = never. */
  readonly streamMicros?: number;
  /** Longest engine call, in microseconds, that is made on the JavaScript thread (in-place.ts); 0 = none. */
  readonly inPlaceMicros?: number;
  /** Whether there are more processors than the engine has threads. */
  readonly spareProcessors?: boolean;
  /** Milliseconds of a clock that never goes back. */
  readonly now?: () => number;
  /** Calls back once after so many milliseconds of that clock, unless the returned function is called before. */
  readonly setTimer?: (callback: () => void, millis: number) => () => void;
  /** Tests check invariants here: after every step and when nothing is left to do, between engine calls; and what was planned from what. */
  readonly afterStep?: (engine: NativeEngine) => void;
  readonly onIdle?: (engine: NativeEngine) => void;
  readonly onPlan?: (queues: Queues, plan: StepPlan) => void;
}

type Hooks = 'afterStep' | 'onIdle' | 'onPlan';
export type ResolvedOptions = Required<Omit<SchedulerOptions, Hooks>> & Pick<SchedulerOptions, Hooks>;

/** Longest delay that Node.js takes. */
const mostTimerMillis = 2 ** 31 - 1;

function setTimer(callback: () => void, millis: number): () => void {
  const timer = setTimeout(callback, Math.min(mostTimerMillis, Math.max(0, millis)));
  return () => clearTimeout(timer);
}

const defaults = {
  rows: 64,
  fixedRows: 16,
  slowdown: 0.5,
  aheadRows: 16,
  maxRunning: 64,
  reserveShare: 0.125,
  prefillShare: 0.25,
  batchShare: 0.125,
  shortExtend: 64,
  quantum: 256,
  ageTokens: 8,
  urgentTokens: 512,
  urgentMillis: 1_000,
  patience: 128,
  overdueEvery: 4,
  maxPreemptions: 4,
  maxIterations: 16,
  maxQueued: 1024,
  maxQueuedPerClient: 1024,
  maxQueueMillis: 30_000,
  maxAhead: 16,
  storeBytes: 64 * 1024 * 1024,
  maxUnusedGrammars: 256,
  maxPrefixes: 4096,
  streamMicros: 20_000,
  inPlaceMicros: 0,
  spareProcessors: false,
  now: () => performance.now(),
  setTimer,
} satisfies SchedulerOptions;

/** Smallest value of every whole number. */
const minimums: Readonly<Record<string, number>> = {
  rows: leastRows,
  aheadRows: leastRows,
  maxRunning: 1,
  shortExtend: 1,
  quantum: 1,
  ageTokens: 1,
  urgentTokens: 0,
  urgentMillis: 1,
  patience: 1,
  overdueEvery: 2,
  maxPreemptions: 0,
  maxIterations: 1,
  maxQueued: 1,
  maxQueuedPerClient: 1,
  maxQueueMillis: 1,
  maxAhead: 0,
  storeBytes: 0,
  maxUnusedGrammars: 0,
  maxPrefixes: 1,
  streamMicros: 0,
  inPlaceMicros: 0,
};

/** @throws ForetraceError `invalid_argument` naming the option, what it may be and what it is. */
export function resolveOptions(options: SchedulerOptions): ResolvedOptions {
  const resolved: ResolvedOptions = { ...defaults, ...options };
  for (const [name, minimum] of Object.entries(minimums)) {
    const value = resolved[name as keyof ResolvedOptions];
    if (Number.isInteger(value) && (value as number) >= minimum) continue;
    throw wrong(name, `an integer of at least ${minimum}`, String(value));
  }
  for (const name of ['prefillShare', 'batchShare'] as const) {
    const share = resolved[name];
    if (!(share > 0 && share < 1)) throw wrong(name, 'a number between 0 and 1', String(share));
  }
  const { reserveShare } = resolved;
  if (!(reserveShare >= 0 && reserveShare <= 0.5))
    throw wrong('reserveShare', 'a number from 0 to 0.5', String(reserveShare));
  for (const name of ['fixedRows', 'slowdown'] as const) {
    const value = resolved[name];
    if (!(value >= 0)) throw wrong(name, 'a number of at least 0', String(value));
  }
  return resolved;
}

function wrong(name: string, expected: string, actual: string): ForetraceError {
  return new ForetraceError('invalid_argument', `Scheduler option ${name}`, { expected, actual });
}
