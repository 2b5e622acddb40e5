/**
 * Policies: pure functions over work and a budget. Who is admitted (classes, fairness between clients, longest cached
 * prefix first with ageing), and who gives way when pages run out.
 */
import type { Budget, Fairness, PrefixKey, Queues, RunningWork, WaitingWork } from './work.js';

/** Stands in for the length of an answer, which nobody knows in advance, in a client's account. */
const nominalAnswerTokens = 16;

/** What is left to give away while requests are being chosen. */
export interface Room {
  slots: number;
  rows: number;
  pages: number;
}

export interface Admissions {
  readonly admitted: readonly WaitingWork[];
  /** Rows granted to each admitted request, in the same order. */
  readonly rows: readonly number[];
  readonly preempted: readonly RunningWork[];
  readonly fairness: Fairness;
  /** True if more could start after one more pass (rows ran out, or a prefix is being computed). */
  readonly moreSoon: boolean;
}

/** Known tokens that will probably be found in the prefix cache. */
function expectedCachedTokens(work: WaitingWork, queues: Queues): number {
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

/** A `batch` request that has waited long enough ranks as `interactive`, so that neither class starves the other. */
function ranksInteractive(work: WaitingWork, step: number, budget: Budget): boolean {
  return work.priority === 'interactive' || step - work.queuedAtStep >= budget.patience;
}

/**
 * Order within one client: longest cached prefix first, every step of waiting worth `ageTokens` cached tokens. A newcomer can lead by
 * its cached tokens only, which the context bounds, so everybody's turn comes.
 */
function compareCandidates(a: WaitingWork, b: WaitingWork, queues: Queues, budget: Budget): number {
  const score = (work: WaitingWork) =>
    expectedCachedTokens(work, queues) + (queues.step - work.queuedAtStep) * budget.ageTokens;
  return score(b) - score(a) || a.arrival - b.arrival;
}

/** Running request that gives way: `batch` before `interactive`, then the youngest. */
export function chooseVictim<T extends RunningWork>(running: readonly T[]): T | undefined {
  let victim: T | undefined;
  for (const work of running) if (victim === undefined || givesWayBefore(work, victim)) victim = work;
  return victim;
}

function givesWayBefore(a: RunningWork, b: RunningWork): boolean {
  if (a.priority !== b.priority) return a.priority === 'batch';
  return a.admission > b.admission;
}

/** The youngest `batch` requests whose pages together make room for `missing` pages; none if they do not suffice. */
function chooseVictims(running: readonly RunningWork[], missing: number, budget: Budget): RunningWork[] {
  const candidates = running
    .filter((work) => work.priority === 'batch' && work.preemptions < budget.maxPreemptions)
    .sort((a, b) => b.admission - a.admission);
  const victims: RunningWork[] = [];
  let freed = 0;
  for (const work of candidates) {
    if (freed >= missing) break;
    victims.push(work);
    freed += work.pages;
  }
  return freed >= missing ? victims : [];
}

/** Chooses whom to open with the room that is left. `room` is not changed. */
export function chooseAdmissions(queues: Queues, budget: Budget, room: Room, pageTokens: number): Admissions {
  if (queues.waiting.length === 0 || room.slots <= 0 || room.rows <= 0) {
    // Nothing can be chosen: not even worth looking at a long queue.
    const moreSoon = queues.waiting.length > 0 && room.slots > 0;
    return { admitted: [], rows: [], preempted: [], fairness: queues.fairness, moreSoon };
  }
  const round = new AdmissionRound(queues, budget, { ...room }, pageTokens);
  const interactive: WaitingWork[] = [];
  const batch: WaitingWork[] = [];
  for (const work of queues.waiting) {
    (ranksInteractive(work, queues.step, budget) ? interactive : batch).push(work);
  }
  round.serve(interactive);
  round.preemptForUrgent();
  round.serve(batch);
  return round.result();
}

/** One round of choosing; mutable only inside `chooseAdmissions`. */
class AdmissionRound {
  private readonly admitted: WaitingWork[] = [];
  private readonly rows: number[] = [];
  private readonly started = new Set<PrefixKey>();
  private readonly deficits: Map<string, number>;
  private preempted: readonly RunningWork[] = [];
  private urgent: WaitingWork | undefined;
  private next: string | null;
  private opened: boolean;
  private moreSoon = false;
  /** Set when an aged request lacks pages: nobody may pass it, so that pages gather for it. */
  private closed = false;

  constructor(
    private readonly queues: Queues,
    private readonly budget: Budget,
    private readonly room: Room,
    private readonly pageTokens: number,
  ) {
    this.deficits = new Map(queues.fairness.deficits);
    this.next = queues.fairness.next;
    this.opened = queues.fairness.opened;
  }

  /** Deficit round robin over the clients that wait in one class. */
  serve(candidates: readonly WaitingWork[]): void {
    const lines = this.linesOfClients(candidates);
    const names = [...lines.keys()].sort();
    if (names.length === 0) return;
    let turn = Math.max(
      0,
      names.findIndex((name) => this.next !== null && name >= this.next),
    );
    let left = names.length;
    while (left > 0 && this.hasRoom()) {
      const name = names[turn] as string;
      const line = lines.get(name) as WaitingWork[];
      if (this.next !== name) {
        this.next = name;
        this.opened = false;
      }
      if (line.length > 0) {
        this.serveClient(name, line);
        if (line.length === 0) left -= 1;
        else if (!this.hasRoom()) break;
      }
      turn = (turn + 1) % names.length;
      this.next = names[turn] as string;
      this.opened = false;
    }
    if (left > 0 && this.room.rows <= 0) this.moreSoon = true;
  }

  /** Makes room for the first urgent request that lacks pages by taking them from `batch` requests. */
  preemptForUrgent(): void {
    const work = this.urgent;
    if (work === undefined || this.room.slots <= 0 || this.room.rows <= 0) return;
    const missing = expectedPages(work, this.queues, this.pageTokens) - this.room.pages;
    const victims = chooseVictims(this.queues.running, missing, this.budget);
    if (victims.length === 0) return;
    this.preempted = victims;
    for (const victim of victims) this.room.pages += victim.pages;
    this.room.slots += victims.length;
    this.admit(work);
  }

  result(): Admissions {
    const waits = new Set(this.queues.waiting.map((work) => work.client));
    for (const name of this.deficits.keys()) if (!waits.has(name)) this.deficits.delete(name);
    return {
      admitted: this.admitted,
      rows: this.rows,
      preempted: this.preempted,
      fairness: { deficits: this.deficits, next: this.next, opened: this.opened },
      moreSoon: this.moreSoon,
    };
  }

  private hasRoom(): boolean {
    return !this.closed && this.room.slots > 0 && this.room.rows > 0;
  }

  private linesOfClients(candidates: readonly WaitingWork[]): Map<string, WaitingWork[]> {
    const lines = new Map<string, WaitingWork[]>();
    for (const work of candidates) {
      if (this.waitsForPrefix(work)) {
        this.moreSoon = true;
        continue;
      }
      const line = lines.get(work.client);
      if (line === undefined) lines.set(work.client, [work]);
      else line.push(work);
    }
    for (const line of lines.values()) {
      line.sort((a, b) => compareCandidates(a, b, this.queues, this.budget));
    }
    return lines;
  }

  private serveClient(name: string, line: WaitingWork[]): void {
    let deficit = this.deficits.get(name) ?? 0;
    if (!this.opened) deficit += this.budget.quantum;
    this.opened = true;
    while (line.length > 0 && this.hasRoom()) {
      const work = line[0] as WaitingWork;
      const cost = expectedUncachedTokens(work, this.queues) + nominalAnswerTokens;
      if (cost > deficit) break;
      line.shift();
      if (this.tryAdmit(work)) deficit -= cost;
    }
    if (line.length === 0) this.deficits.delete(name);
    else this.deficits.set(name, deficit);
  }

  private tryAdmit(work: WaitingWork): boolean {
    if (this.waitsForPrefix(work)) {
      this.moreSoon = true;
      return false;
    }
    if (expectedPages(work, this.queues, this.pageTokens) <= this.room.pages) {
      this.admit(work);
      return true;
    }
    if (work.priority === 'interactive') this.urgent ??= work;
    if (this.queues.step - work.queuedAtStep >= this.budget.patience) this.closed = true;
    return false;
  }

  private waitsForPrefix(work: WaitingWork): boolean {
    if (work.prefixKey === 0) return false;
    if (this.queues.prefixes.get(work.prefixKey)?.status === 'computing') return true;
    return this.started.has(work.prefixKey);
  }

  private admit(work: WaitingWork): void {
    const rows = Math.min(this.room.rows, this.budget.shortExtend, expectedUncachedTokens(work, this.queues));
    this.admitted.push(work);
    this.rows.push(rows);
    this.room.rows -= rows;
    this.room.slots -= 1;
    this.room.pages -= expectedPages(work, this.queues, this.pageTokens);
    if (work.prefixKey !== 0 && !this.queues.prefixes.has(work.prefixKey)) this.started.add(work.prefixKey);
  }
}
