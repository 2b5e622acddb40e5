/**
 * `plan`: what the next engine call does. Pure: queues, budget and memory in, a `StepPlan` out.
 *
 * One ragged batch. How many rows it may have follows from who is in it, and each account gets a fair share of them (share.ts). In this order: running
 * sequences, then prompts with a guaranteed share (the oldest started prompt, then short ones, then newly admitted ones, then long ones); then whatever is
 * left goes to whoever can use it.
 */
import { type Admissions, chooseAdmissions } from './admission.js';
import { expectedUncachedTokens } from './policy.js';
import { batchRows, byTurns, type Demands, demandsOf, fairRows, sharesOf } from './share.js';
import type { Budget, Memory, PlannedBlock, Queues, RunningWork, StepPlan, Work } from './work.js';

/** Part of the prompt rows that the oldest started prompt gets, within the share of its account. */
const oldestShare = 0.25;
/** Steps without a row after which it gets one whatever the share of its account. */
const oldestPatience = 8;

/** Rows granted so far, in the order in which they were granted. */
class Grants {
  private readonly granted = new Map<number, number>();
  private readonly served = new Set<string>();

  /** @param shares rows that each account may still take while others want some. */
  constructor(
    public left: number,
    readonly shares: Map<string, number>,
  ) {}

  /** Grants up to `wanted` rows in all, within the rows left and `limit`; returns the number granted now. */
  give(work: Work, wanted: number, limit = this.left): number {
    const already = this.granted.get(work.id) ?? 0;
    const rows = Math.min(wanted - already, limit, this.left);
    if (rows <= 0) return 0;
    this.granted.set(work.id, already + rows);
    this.left -= rows;
    this.served.add(work.account);
    this.shares.set(work.account, this.shareOf(work) - rows);
    return rows;
  }

  shareOf(work: Work): number {
    return this.shares.get(work.account) ?? 0;
  }

  /** True if the account can take so many rows within its share, or has none yet. */
  fits(work: Work, rows: number): boolean {
    return rows <= this.shareOf(work) || !this.served.has(work.account);
  }

  has(id: number): boolean {
    return this.granted.has(id);
  }

  of(id: number): number {
    return this.granted.get(id) ?? 0;
  }

  blocks(): PlannedBlock[] {
    return Array.from(this.granted, ([id, rows]) => ({ id, rows }));
  }
}

/** Running work by what it does next. */
interface Running {
  readonly interactive: readonly RunningWork[];
  readonly batch: readonly RunningWork[];
  /** Most pressing first; the oldest is `oldest`. */
  readonly prompts: readonly RunningWork[];
  readonly oldest: RunningWork | undefined;
}

/** Plans one engine call. Never over `budget.rows`, `budget.maxRunning` or `memory.availablePages` (as far as the estimates tell). */
export function plan(all: Queues, whole: Budget, memory: Memory): StepPlan {
  const { queues, budget } = withoutAhead(all, whole);
  const demands = demandsOf(queues, budget);
  const rows = fairRows(demands, budget);
  const unhindered = everyoneGenerates(queues, rows, budget);
  if (unhindered !== undefined) return unhindered;
  const running = sortRunning(queues, demands);
  const grants = new Grants(rows, sharesOf(demands, rows, budget));
  giveShares(grants, running, demands, rows, queues, budget);

  const room = {
    slots: budget.maxRunning - queues.running.length,
    rows: grants.left,
    pages: memory.availablePages,
    shares: grants.shares,
  };
  const chosen = chooseAdmissions(queues, budget, room, memory);
  const preempted = new Set(chosen.preempted.map((work) => work.id));
  giveRest(grants, running, chosen, queues, preempted);

  const blocks = grants.blocks().filter((block) => !preempted.has(block.id));
  const everyoneGoesOn =
    queues.running.every((work) => preempted.has(work.id) || goesOn(work, grants)) &&
    preempted.size === 0 &&
    !chosen.moreSoon;
  return {
    preempt: [...preempted],
    admit: chosen.admitted.map((work) => work.id),
    blocks,
    maxIterations: everyoneGoesOn ? budget.maxIterations : 1,
    fairness: chosen.fairness,
  };
}

/** The plan of most calls: nobody waits, all generate and fit into the pass, so there is nothing to divide. */
function everyoneGenerates(
  { running, waiting, fairness }: Queues,
  rows: number,
  { maxIterations }: Budget,
): StepPlan | undefined {
  if (waiting.length > 0) return undefined;
  let left = rows;
  for (const { pendingTokens, generatingRows } of running) {
    if (pendingTokens > 0) return undefined;
    left -= generatingRows;
  }
  if (left < 0) return undefined;
  const blocks = running.map((work) => ({ id: work.id, rows: work.generatingRows }));
  return { preempt: [], admit: [], blocks, maxIterations, fairness };
}

/** While anything else is there, `ahead` work is not; alone it gets small passes, so that nobody who comes waits for a large one. */
function withoutAhead(queues: Queues, budget: Budget): { queues: Queues; budget: Budget } {
  const isAhead = (work: Work): boolean => work.priority === 'ahead';
  const ahead = queues.running.filter(isAhead).length + queues.waiting.filter(isAhead).length;
  if (ahead === 0) return { queues, budget };
  if (ahead === queues.running.length + queues.waiting.length) {
    return { queues, budget: { ...budget, rows: Math.min(budget.rows, budget.aheadRows) } };
  }
  const real = <W extends Work>(works: readonly W[]): W[] => works.filter((work) => !isAhead(work));
  const reserved = queues.running.length - real(queues.running).length;
  return {
    queues: { ...queues, waiting: real(queues.waiting), running: real(queues.running) },
    budget: { ...budget, maxRunning: Math.max(1, budget.maxRunning - reserved) },
  };
}

/** Prompts that an `interactive` request waits for count as such, whosever they are. */
function sortRunning({ running }: Queues, { awaited }: Demands): Running {
  const generating = running.filter((work) => work.pendingTokens === 0);
  const isBatch = (work: RunningWork): boolean => work.priority !== 'interactive';
  const prompts = running.filter((work) => work.pendingTokens > 0).sort((a, b) => a.admission - b.admission);
  const oldest = prompts[0];
  const rank = (work: RunningWork): number => (isBatch(work) && !awaited.has(work.prefixKey) ? 1 : 0);
  const pressing = byTurns(prompts).sort((a, b) => {
    if (rank(a) !== rank(b)) return rank(a) - rank(b);
    return a.deadline === b.deadline ? 0 : a.deadline - b.deadline;
  });
  return {
    interactive: byTurns(generating.filter((work) => !isBatch(work))),
    batch: byTurns(generating.filter(isBatch)),
    prompts: pressing,
    oldest,
  };
}

/** Rows within everybody's share, and within what classes and prompts have kept for them. */
function giveShares(
  grants: Grants,
  { interactive, batch, prompts, oldest }: Running,
  demands: Demands,
  rows: number,
  { waiting, step }: Queues,
  budget: Budget,
): void {
  const keptForPrompts =
    waiting.length > 0 || prompts.length > 0 ? Math.max(1, Math.floor(rows * budget.prefillShare)) : 0;
  const keptForBatch = batch.length > 0 && interactive.length > 0 ? batchRows(demands, rows, budget) : 0;
  giveGenerating(grants, interactive, Math.max(1, rows - keptForPrompts - keptForBatch), true);
  giveGenerating(grants, batch, Math.max(keptForBatch, grants.left - keptForPrompts), true);
  if (oldest !== undefined) {
    const limit = Math.max(1, Math.floor(grants.left * oldestShare));
    const isOverdue = step - oldest.lastStep >= oldestPatience;
    grants.give(oldest, oldest.pendingTokens, isOverdue ? limit : Math.min(limit, grants.shareOf(oldest)));
  }
  for (const work of prompts) {
    if (work.pendingTokens <= budget.shortExtend) grants.give(work, work.pendingTokens, grants.shareOf(work));
  }
}

/** Rows of the newly admitted, and what is left: to prompts, then to whoever generates. */
function giveRest(
  grants: Grants,
  { interactive, batch, prompts }: Running,
  { admitted, rows }: Admissions,
  queues: Queues,
  preempted: ReadonlySet<number>,
): void {
  admitted.forEach((work, index) => {
    grants.give(work, rows[index] as number);
  });
  for (const work of prompts)
    if (!preempted.has(work.id)) grants.give(work, work.pendingTokens, grants.shareOf(work));
  for (const work of prompts) if (!preempted.has(work.id)) grants.give(work, work.pendingTokens);
  for (const work of admitted) grants.give(work, expectedUncachedTokens(work, queues));
  for (const works of [interactive, batch]) {
    giveGenerating(
      grants,
      works.filter((work) => !preempted.has(work.id)),
      grants.left,
      false,
    );
  }
}

/** True if the sequence only generates after this pass, so that further passes need no planning. */
function goesOn(work: RunningWork, grants: Grants): boolean {
  return grants.has(work.id) && grants.of(work.id) >= work.pendingTokens;
}

/**
 * In the order given; whoever does not fit goes next time. A sequence with more forced rows than `limit` takes all of it. `isShared`: nobody takes more
 * than its share, but for the first sequence of an account, which could not go on otherwise.
 */
function giveGenerating(
  grants: Grants,
  generating: readonly RunningWork[],
  limit: number,
  isShared: boolean,
): void {
  let left = Math.min(limit, grants.left);
  const whole = left;
  for (const work of generating) {
    if (left <= 0) return;
    if (grants.has(work.id)) continue;
    const rows = Math.min(work.generatingRows, whole);
    if (rows > left || (isShared && !grants.fits(work, rows))) continue;
    left -= grants.give(work, rows);
  }
}
