/**
 * Follows every plan of a scheduler and throws when somebody is passed over for longer than docs/scheduler.md states. What is counted here is counted from
 * what goes into a plan and what comes out of it, not from how it is made.
 */
import type { Budget, Queues, RunningWork, StepPlan, WaitingWork } from '../../src/scheduler/work.js';

interface Overdue {
  /** Requests that arrived before it and may still go first. */
  readonly older: Set<number>;
  /** Admissions of younger requests that it may yet be passed by. */
  allowance: number;
  passed: number;
  wasEligible: boolean;
}

export class StarvationWatch {
  private readonly overdue = new Map<number, Overdue>();
  /** Most steps that a request has waited, and that a running one was not served. */
  mostWaited = 0;
  mostUnserved = 0;
  overdueSeen = 0;

  constructor(
    private readonly budget: Budget,
    private readonly totalPages: number,
    /** Most known tokens of a request. */
    private readonly maxKnownTokens: number,
  ) {}

  readonly onPlan = (queues: Queues, plan: StepPlan): void => {
    this.checkAhead(queues);
    this.checkRows(queues, plan);
    for (const work of queues.running) this.checkServed(work, queues);
    const admitted = queues.waiting.filter((work) => plan.admit.includes(work.id));
    const waiting = new Set(queues.waiting.map((work) => work.id));
    for (const id of this.overdue.keys()) if (!waiting.has(id)) this.overdue.delete(id);
    for (const work of queues.waiting) this.checkPassed(work, queues, admitted, plan);
  };

  /** Work ahead of need is there only while there is no other. */
  private checkAhead({ waiting, running }: Queues): void {
    const all = [...waiting, ...running];
    const ahead = all.filter(({ priority }) => priority === 'ahead').length;
    if (ahead > 0 && ahead < all.length) throw new Error(`${ahead} of ${all.length} requests look ahead`);
  }

  private checkRows({ running, waiting }: Queues, { blocks, admit, preempt }: StepPlan): void {
    const rows = blocks.reduce((sum, block) => sum + block.rows, 0);
    if (rows > this.budget.rows) throw new Error(`${rows} rows are planned`);
    const kept = running.length - preempt.length;
    if (kept + admit.length > this.budget.maxRunning)
      throw new Error(`${kept} go on running, ${admit.length} of ${waiting.length} are admitted`);
  }

  /** The sequence that was served the longest time ago comes next; a prompt also waits for those that started before it. */
  private checkServed(work: RunningWork, { step }: Queues): void {
    if (work.priority === 'ahead') return;
    const unserved = step - work.lastStep;
    const { maxRunning } = this.budget;
    const bound = work.pendingTokens > 0 ? maxRunning * this.maxKnownTokens : maxRunning;
    if (unserved > bound) throw new Error(`request ${work.id} was not served for ${unserved} steps`);
    this.mostUnserved = Math.max(this.mostUnserved, unserved);
  }

  private checkPassed(
    work: WaitingWork,
    queues: Queues,
    admitted: readonly WaitingWork[],
    plan: StepPlan,
  ): void {
    const age = queues.step - work.queuedAtStep;
    if (work.priority === 'ahead') return;
    this.mostWaited = Math.max(this.mostWaited, age);
    if (age < this.budget.patience) return;
    const state = this.stateOf(work, queues);
    // Whoever is admitted and cannot be opened, or is preempted later, gets another turn.
    for (const { id } of admitted)
      if (id < work.id && !state.older.delete(id)) state.allowance += this.budget.overdueEvery - 1;
    if (plan.admit.includes(work.id)) {
      state.allowance += this.budget.overdueEvery - 1;
      return;
    }
    const isEligible = this.isEligible(work, queues, admitted);
    const { overdueEvery } = this.budget;
    if (!isEligible) {
      if (state.wasEligible) state.allowance += overdueEvery - 1;
      state.wasEligible = false;
      return;
    }
    state.wasEligible = true;
    for (const { id } of queues.waiting) {
      if (id >= work.id) break;
      if (!state.older.has(id) && !plan.admit.includes(id)) {
        state.older.add(id);
        state.allowance += overdueEvery - 1;
      }
    }
    state.passed += admitted.filter(({ id }) => id > work.id).length;
    if (state.passed > state.allowance)
      throw new Error(
        `request ${work.id} was passed by ${state.passed} younger ones, ${state.allowance} may`,
      );
  }

  private stateOf(work: WaitingWork, { waiting }: Queues): Overdue {
    let state = this.overdue.get(work.id);
    if (state === undefined) {
      const older = new Set(waiting.filter(({ id }) => id < work.id).map(({ id }) => id));
      // One more round than there are older ones: its own.
      const allowance = (older.size + 1) * (this.budget.overdueEvery - 1);
      state = { older, allowance, passed: 0, wasEligible: true };
      this.overdue.set(work.id, state);
      this.overdueSeen += 1;
    }
    return state;
  }

  /** False while somebody computes its prefix, or its client holds half of everything. */
  private isEligible(
    work: WaitingWork,
    { prefixes, running }: Queues,
    admitted: readonly WaitingWork[],
  ): boolean {
    const { prefixKey, client } = work;
    if (prefixKey !== 0) {
      if (prefixes.get(prefixKey)?.status === 'computing') return false;
      if (admitted.some((other) => other.prefixKey === prefixKey)) return false;
    }
    const own = [...running, ...admitted].filter((other) => other.client === client);
    const pages = own.reduce((sum, other) => sum + other.pages, 0);
    return 2 * own.length < this.budget.maxRunning && 2 * pages < this.totalPages;
  }
}
