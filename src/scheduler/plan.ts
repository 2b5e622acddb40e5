/**
 * `plan`: what the next engine call does. Pure: queues, budget and memory in, a `StepPlan` out.
 *
 * Order of one ragged batch: running sequences first, then prompts with a guaranteed share (the oldest started prompt, then
 * short ones, then newly admitted ones, then whatever is left to long ones), and what prompts leave goes back to running sequences.
 */
import { chooseAdmissions, expectedUncachedTokens } from './policy.js';
import type { Budget, Memory, PlannedBlock, Queues, RunningWork, StepPlan } from './work.js';

/** Share of the prompt rows that the oldest started prompt always gets. */
const oldestShare = 0.25;

/** Rows granted so far, in the order in which they were granted. */
class Grants {
  private readonly granted = new Map<number, number>();
  constructor(public left: number) {}

  /** Grants up to `wanted` rows more, within the rows left and `limit`; returns the number granted. */
  give(id: number, wanted: number, limit = this.left): number {
    const already = this.granted.get(id) ?? 0;
    const rows = Math.min(wanted - already, limit, this.left);
    if (rows <= 0) return 0;
    this.granted.set(id, already + rows);
    this.left -= rows;
    return rows;
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

/** Plans one engine call. Never over `budget.rows`, `budget.maxRunning` or `memory.availablePages` (as far as the estimates tell). */
export function plan(queues: Queues, budget: Budget, memory: Memory): StepPlan {
  const generating = queues.running.filter((work) => work.pendingTokens === 0);
  const prompts = queues.running.filter((work) => work.pendingTokens > 0);
  generating.sort((a, b) => a.lastStep - b.lastStep || a.admission - b.admission);
  prompts.sort((a, b) => a.admission - b.admission);

  const promptWaits = prompts.length > 0 || queues.waiting.length > 0;
  const kept = promptWaits ? Math.max(1, Math.floor(budget.rows * budget.prefillShare)) : 0;
  const grants = new Grants(budget.rows);
  giveGenerating(grants, generating, budget.rows - kept);
  giveShortPrompts(grants, prompts, budget);

  const room = {
    slots: budget.maxRunning - queues.running.length,
    rows: grants.left,
    pages: memory.availablePages,
  };
  const chosen = chooseAdmissions(queues, budget, room, memory.pageTokens);
  const preempted = new Set(chosen.preempted.map((work) => work.id));
  chosen.admitted.forEach((work, index) => {
    grants.give(work.id, chosen.rows[index] as number);
  });
  for (const work of prompts) if (!preempted.has(work.id)) grants.give(work.id, work.pendingTokens);
  for (const work of chosen.admitted) grants.give(work.id, expectedUncachedTokens(work, queues));
  giveGenerating(grants, generating, grants.left);

  const blocks = grants.blocks().filter((block) => !preempted.has(block.id));
  const everyoneGoesOn =
    queues.running.every((work) => preempted.has(work.id) || goesOn(work, grants)) &&
    chosen.admitted.length === 0 &&
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

/** True if the sequence only generates after this pass, so that further passes need no planning. */
function goesOn(work: RunningWork, grants: Grants): boolean {
  return grants.has(work.id) && grants.of(work.id) >= work.pendingTokens;
}

/** Those who waited longest first; whoever does not fit goes next time. A sequence with more forced rows than `limit` takes all of it. */
function giveGenerating(grants: Grants, generating: readonly RunningWork[], limit: number): void {
  let left = Math.min(limit, grants.left);
  const whole = left;
  for (const work of generating) {
    if (left <= 0) return;
    if (grants.has(work.id)) continue;
    const rows = Math.min(work.generatingRows, whole);
    if (rows > left) continue;
    left -= grants.give(work.id, rows);
  }
}

function giveShortPrompts(grants: Grants, prompts: readonly RunningWork[], budget: Budget): void {
  const oldest = prompts[0];
  if (oldest === undefined) return;
  grants.give(oldest.id, oldest.pendingTokens, Math.max(1, Math.floor(grants.left * oldestShare)));
  const short = prompts.filter((work) => work.pendingTokens <= budget.shortExtend);
  for (const priority of ['interactive', 'batch'] as const) {
    for (const work of short) if (work.priority === priority) grants.give(work.id, work.pendingTokens);
  }
}
