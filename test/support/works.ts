/** Values that plans are made from. */
import {
  accountOf,
  freshFairness,
  type Queues,
  type RunningWork,
  type WaitingWork,
} from '../../src/scheduler/work.js';

export const pageTokens = 4;

export function waitingWork(id: number, changes: Partial<WaitingWork> = {}): WaitingWork {
  const { client = 'a', priority = 'interactive', knownTokens = 10 } = changes;
  return {
    id,
    client,
    priority,
    account: accountOf(priority, client),
    arrival: id,
    pages: Math.ceil((knownTokens + 8) / pageTokens),
    prefixKey: 0,
    deadline: Number.POSITIVE_INFINITY,
    queuedAtStep: 0,
    knownTokens,
    sharedTokens: 0,
    ...changes,
  };
}

export function runningWork(id: number, changes: Partial<RunningWork> = {}): RunningWork {
  const { client = 'a', priority = 'interactive' } = changes;
  return {
    id,
    client,
    priority,
    account: accountOf(priority, client),
    arrival: id,
    pages: 4,
    prefixKey: 0,
    deadline: Number.POSITIVE_INFINITY,
    admission: id,
    pendingTokens: 0,
    generatingRows: 1,
    lastStep: 0,
    preemptions: 0,
    ...changes,
  };
}

export function queuesOf(changes: Partial<Queues> = {}): Queues {
  return {
    waiting: [],
    running: [],
    prefixes: new Map(),
    fairness: freshFairness,
    recent: new Map(),
    step: 0,
    now: 0,
    ...changes,
  };
}
