/** What requests cost, what ranks before what, and who gives way: pure functions that admission and planning share. */
import type { Budget, Queues, RunningWork, WaitingWork } from './work.js';

/** Known tokens that will probably be found in the prefix cache. */
export function expectedCachedTokens(work: WaitingWork, queues: Queues): number {
  return queues.prefixes.get(work.prefixKey)?.status === 'computed' ? work.sharedTokens : 0;
}

/** Tokens to compute for its known tokens; the last one always is. */
export function expectedUncachedTokens(work: WaitingWork, queues: Queues): number {
  return Math.max(1, work.knownTokens - expectedCachedTokens(work, queues));
}

/** Pages that opening it takes from the pool; pages that an open sequence holds already cost nothing. */
export function expectedPages(work: WaitingWork, queues: Queues, pageTokens: number): number {
  const prefix = queues.prefixes.get(work.prefixKey);
  const held = prefix?.status === 'computed' && prefix.holders > 0;
  return work.pages - (held ? Math.floor(work.sharedTokens / pageTokens) : 0);
}

export const isOverdue = (work: WaitingWork, queues: Queues, budget: Budget): boolean =>
  queues.step - work.queuedAtStep >= budget.patience;

/** A `batch` request that has waited long enough ranks as `interactive`, so that neither class starves the other. */
export const ranksInteractive = (work: WaitingWork, queues: Queues, budget: Budget): boolean =>
  work.priority === 'interactive' || (work.priority === 'batch' && isOverdue(work, queues, budget));

/** Score of a near deadline, 0..urgentTokens: nothing until `urgentMillis` before it, then more from millisecond to millisecond. */
function urgency({ deadline }: WaitingWork, { now }: Queues, budget: Budget): number {
  if (deadline === Number.POSITIVE_INFINITY) return 0;
  const closeness = 1 - (deadline - now) / budget.urgentMillis;
  return budget.urgentTokens * Math.min(1, Math.max(0, closeness));
}

/**
 * Order within one client: longest cached prefix first, a near deadline worth up to `urgentTokens` and every step of waiting `ageTokens` cached tokens.
 * A newcomer can lead by its cached tokens and its deadline only, which are bounded, so everybody's turn comes.
 */
export function compareCandidates(a: WaitingWork, b: WaitingWork, queues: Queues, budget: Budget): number {
  const score = (work: WaitingWork) =>
    expectedCachedTokens(work, queues) +
    urgency(work, queues, budget) +
    (queues.step - work.queuedAtStep) * budget.ageTokens;
  return score(b) - score(a) || a.arrival - b.arrival;
}

/** Running request that gives way: `ahead`, then `batch`, then `interactive`; of these the youngest. */
export function chooseVictim<T extends RunningWork>(running: readonly T[]): T | undefined {
  let victim: T | undefined;
  for (const work of running) if (victim === undefined || givesWayBefore(work, victim)) victim = work;
  return victim;
}

const rank = { ahead: 0, batch: 1, interactive: 2 } as const;

function givesWayBefore(a: RunningWork, b: RunningWork): boolean {
  if (a.priority !== b.priority) return rank[a.priority] < rank[b.priority];
  return a.admission > b.admission;
}

/** The youngest `batch` requests whose pages together make room for `missing` pages, at least `count` of them; none if they do not suffice. */
export function chooseVictims(
  running: readonly RunningWork[],
  missing: number,
  count: number,
  budget: Budget,
): RunningWork[] {
  const candidates = running
    .filter((work) => work.priority === 'batch' && work.preemptions < budget.maxPreemptions)
    .sort((a, b) => b.admission - a.admission);
  const victims: RunningWork[] = [];
  let freed = 0;
  for (const work of candidates) {
    if (freed >= missing && victims.length >= count) break;
    victims.push(work);
    freed += work.pages;
  }
  return freed >= missing && victims.length >= count ? victims : [];
}
