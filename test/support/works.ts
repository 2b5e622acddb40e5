/** Values that plans are made from. */
import {
  accountOf,
  freshFairness,
  type Queues,
  type RunningWork,
  type WaitingWork,
  type Work,
} from '../../src/scheduler/work.js';

export const pageTokens = 4;

/** What waiting and running requests have in common. */
function workOf(id: number, { client = 'a', priority = 'interactive' }: Partial<Work>, pages: number): Work {
  return {
    id,
    client,
    priority,
    account: accountOf(priority, client),
    arrival: id,
    pages,
    prefixKey: 0,
    deadline: Number.POSITIVE_INFINITY,
  };
}

export function waitingWork(id: number, changes: Partial<WaitingWork> = {}): WaitingWork {
  const { knownTokens = 10 } = changes;
  const pages = Math.ceil((knownTokens + 8) / pageTokens);
  return { ...workOf(id, changes, pages), queuedAtStep: 0, knownTokens, sharedTokens: 0, ...changes };
}

export function runningWork(id: number, changes: Partial<RunningWork> = {}): RunningWork {
  return {
    ...workOf(id, changes, 4),
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
