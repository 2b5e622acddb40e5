/**
 * Who is opened next: classes, deficit round robin between clients, longest cached prefix first with ageing, one computation for a prefix that several
 * lack, a lane for the overdue, and room kept for clients that have little. Pure.
 */
import {
  chooseVictims,
  compareCandidates,
  expectedPages,
  expectedUncachedTokens,
  isOverdue,
  ranksInteractive,
} from './policy.js';
import type {
  Account,
  Budget,
  Fairness,
  Memory,
  PrefixKey,
  Queues,
  RunningWork,
  WaitingWork,
  Work,
} from './work.js';

/** Stands in for the length of an answer, which nobody knows in advance, in a client's account. */
const nominalAnswerTokens = 16;

/** What is left to give away while requests are being chosen. */
export interface Room {
  slots: number;
  rows: number;
  pages: number;
  /** Rows that each account may still take while others want some. */
  readonly shares: ReadonlyMap<Account, number>;
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

/** Chooses whom to open with the room that is left. `room` is not changed. */
export function chooseAdmissions(queues: Queues, budget: Budget, room: Room, memory: Memory): Admissions {
  const slotVictim = room.slots > 0 ? undefined : victimForSlot(queues, budget);
  if (queues.waiting.length === 0 || room.rows <= 0 || (room.slots <= 0 && slotVictim === undefined)) {
    // Nothing can be chosen: not even worth looking at a long queue.
    const moreSoon = queues.waiting.length > 0 && room.slots > 0;
    return { admitted: [], rows: [], preempted: [], fairness: queues.fairness, moreSoon };
  }
  const round = new AdmissionRound(queues, budget, room, memory);
  const interactive: WaitingWork[] = [];
  const others: WaitingWork[] = [];
  for (const work of queues.waiting) {
    (ranksInteractive(work, queues, budget) ? interactive : others).push(work);
  }
  if (slotVictim !== undefined) round.takeSlotOf(slotVictim);
  round.serve(interactive);
  round.preemptForUrgent();
  if (slotVictim === undefined) round.serve(others);
  return round.result();
}

/** All slots are taken and an `interactive` request waits: the `batch` request that gives way, if there is one. */
function victimForSlot(queues: Queues, budget: Budget): RunningWork | undefined {
  const isUrgent = queues.waiting.some(
    (work) => work.priority === 'interactive' && queues.prefixes.get(work.prefixKey)?.status !== 'computing',
  );
  return isUrgent ? chooseVictims(queues.running, 0, 1, budget)[0] : undefined;
}

/** Slots and pages of one client. */
interface Holding {
  readonly slots: number;
  readonly pages: number;
}

/** One round of choosing; mutable only inside `chooseAdmissions`. */
class AdmissionRound {
  private readonly admitted: WaitingWork[] = [];
  private readonly rows: number[] = [];
  private readonly started = new Set<PrefixKey>();
  private readonly deficits: Map<string, number>;
  private readonly holdings = new Map<string, Holding>();
  private readonly shares: Map<Account, number>;
  private readonly room: { slots: number; rows: number; pages: number };
  private readonly overdue: WaitingWork[];
  private readonly preempted: RunningWork[] = [];
  private urgent: WaitingWork | undefined;
  private next: string | null;
  private opened: boolean;
  private passedOverdue: number;
  private moreSoon = false;
  /** An overdue request that lacks pages: nobody may pass it, so that pages gather for it. */
  private gathering: WaitingWork | undefined;

  constructor(
    private readonly queues: Queues,
    private readonly budget: Budget,
    { slots, rows, pages, shares }: Room,
    private readonly memory: Memory,
  ) {
    this.room = { slots, rows, pages };
    this.shares = new Map(shares);
    this.deficits = new Map(queues.fairness.deficits);
    this.next = queues.fairness.next;
    this.opened = queues.fairness.opened;
    this.passedOverdue = queues.fairness.passedOverdue;
    for (const work of queues.running) this.holds(work, 1);
    this.overdue = queues.waiting.filter((work) => isOverdue(work, queues, budget));
  }

  /** The victim's slot and pages are free. */
  takeSlotOf(victim: RunningWork): void {
    this.preempted.push(victim);
    this.room.slots += 1;
    this.room.pages += victim.pages;
    this.holds(victim, -1);
  }

  /** Everybody within its share first; then rows that are left over go to whoever wants more. */
  serve(candidates: readonly WaitingWork[]): void {
    const lines = this.linesOfClients(candidates);
    this.serveLines(lines, true);
    this.serveLines(lines, false);
    if (this.room.rows <= 0 && [...lines.values()].some((line) => line.length > 0)) this.moreSoon = true;
  }

  /** Makes room for the first urgent request that lacks pages by taking them from `batch` requests. */
  preemptForUrgent(): void {
    const { gathering } = this;
    const work = gathering?.priority === 'batch' ? undefined : (gathering ?? this.urgent);
    if (work === undefined || this.room.slots <= 0 || this.room.rows <= 0) return;
    if (this.admitted.includes(work) || this.waitsForPrefix(work)) return;
    const missing = expectedPages(work, this.queues, this.memory.pageTokens) - this.room.pages;
    const candidates = this.queues.running.filter((one) => !this.preempted.includes(one));
    const victims = missing > 0 ? chooseVictims(candidates, missing, 1, this.budget) : [];
    if (missing > 0 && victims.length === 0) return;
    for (const victim of victims) this.takeSlotOf(victim);
    this.admit(work);
  }

  result(): Admissions {
    const waits = new Set(this.queues.waiting.map((work) => work.client));
    for (const name of this.deficits.keys()) if (!waits.has(name)) this.deficits.delete(name);
    const { deficits, next, opened, passedOverdue } = this;
    return {
      admitted: this.admitted,
      rows: this.rows,
      preempted: this.admitted.length === 0 ? [] : this.preempted,
      fairness: { deficits, next, opened, passedOverdue },
      moreSoon: this.moreSoon,
    };
  }

  /** Deficit round robin over the clients that wait in one class. `isShared`: nobody takes more than its share of the rows. */
  private serveLines(lines: Map<string, WaitingWork[]>, isShared: boolean): void {
    const names = [...lines.keys()].sort();
    const active = new Set(names.filter((name) => (lines.get(name) as WaitingWork[]).length > 0));
    let turn = Math.max(
      0,
      names.findIndex((name) => this.next !== null && name >= this.next),
    );
    while (active.size > 0 && this.hasRoom()) {
      if (this.isOverdueTurn() && this.serveOverdue(lines)) continue;
      const name = names[turn] as string;
      if (active.has(name)) {
        if (this.next !== name) this.opened = false;
        this.next = name;
        const line = lines.get(name) as WaitingWork[];
        const goesOn = this.serveClient(name, line, isShared);
        if (line.length === 0 || !goesOn) active.delete(name);
        // Its turn was cut short, not used up: it goes on where it stopped.
        if (line.length > 0 && (!this.hasRoom() || (this.isOverdueTurn() && goesOn))) continue;
      }
      turn = (turn + 1) % names.length;
      this.next = names[turn] as string;
      this.opened = false;
    }
  }

  private hasRoom(): boolean {
    return this.gathering === undefined && this.room.slots > 0 && this.room.rows > 0;
  }

  /** True if the next admission is the overdue one's, whoever's turn it would be. */
  private isOverdueTurn(): boolean {
    return this.overdue.length > 0 && this.passedOverdue + 1 >= this.budget.overdueEvery;
  }

  /** Admits the overdue request that arrived first. False: there is none that could be admitted. */
  private serveOverdue(lines: Map<string, WaitingWork[]>): boolean {
    const work = this.overdue.find((one) => this.isEligible(one));
    if (work === undefined) {
      this.passedOverdue = 0;
      return false;
    }
    if (!this.tryAdmit(work, false)) return this.gathering !== undefined;
    const line = lines.get(work.client) ?? [];
    const place = line.indexOf(work);
    if (place >= 0) line.splice(place, 1);
    const deficit = this.deficits.get(work.client);
    if (deficit !== undefined) this.deficits.set(work.client, deficit - this.costOf(work));
    return true;
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

  /** One turn of a client. False: it can take nothing more in this pass over the lines. */
  private serveClient(name: string, line: WaitingWork[], isShared: boolean): boolean {
    let deficit = this.deficits.get(name) ?? 0;
    if (!this.opened) deficit += this.budget.quantum;
    this.opened = true;
    let goesOn = true;
    while (line.length > 0 && this.hasRoom() && !this.isOverdueTurn()) {
      const work = line[0] as WaitingWork;
      const cost = this.costOf(work);
      if (cost > deficit) break;
      goesOn = !(isShared && this.shareOf(work) <= 0) && !this.holdsEnough(work);
      if (!goesOn) break;
      line.shift();
      if (this.admitted.includes(work)) continue;
      if (this.tryAdmit(work, isShared)) deficit -= cost;
    }
    if (line.length === 0) this.deficits.delete(name);
    else this.deficits.set(name, deficit);
    return goesOn;
  }

  private costOf(work: WaitingWork): number {
    return expectedUncachedTokens(work, this.queues) + nominalAnswerTokens;
  }

  private shareOf(work: WaitingWork): number {
    return this.shares.get(work.account) ?? 0;
  }

  private isEligible(work: WaitingWork): boolean {
    return !this.waitsForPrefix(work) && !this.holdsEnough(work);
  }

  /** A client that holds half of all slots or pages leaves the last of them to others. What its `batch` requests hold does not count against its other ones. */
  private holdsEnough({ client, priority, account, pages }: WaitingWork): boolean {
    const { maxRunning, reserveShare } = this.budget;
    const { totalPages } = this.memory;
    const held = this.holdings.get(priority === 'interactive' ? account : client);
    if (held === undefined) return false;
    const slotsKept = Math.floor(maxRunning * reserveShare);
    const pagesKept = Math.floor(totalPages * reserveShare);
    const lacksSlots = 2 * held.slots >= maxRunning && this.room.slots <= slotsKept;
    const lacksPages = 2 * held.pages >= totalPages && this.room.pages - pages < pagesKept;
    return lacksSlots || lacksPages;
  }

  private tryAdmit(work: WaitingWork, isShared: boolean): boolean {
    if (this.waitsForPrefix(work)) {
      this.moreSoon = true;
      return false;
    }
    if (expectedPages(work, this.queues, this.memory.pageTokens) <= this.room.pages) {
      this.admit(work, isShared ? this.shareOf(work) : this.room.rows);
      return true;
    }
    if (work.priority === 'interactive') this.urgent ??= work;
    if (isOverdue(work, this.queues, this.budget)) this.gathering ??= work;
    return false;
  }

  private waitsForPrefix(work: WaitingWork): boolean {
    if (work.prefixKey === 0) return false;
    if (this.queues.prefixes.get(work.prefixKey)?.status === 'computing') return true;
    return this.started.has(work.prefixKey);
  }

  private admit(work: WaitingWork, most = this.room.rows): void {
    const wanted = Math.min(this.budget.shortExtend, expectedUncachedTokens(work, this.queues));
    const rows = Math.min(this.room.rows, Math.max(1, most), wanted);
    this.admitted.push(work);
    this.rows.push(rows);
    this.room.rows -= rows;
    this.room.slots -= 1;
    this.room.pages -= expectedPages(work, this.queues, this.memory.pageTokens);
    this.shares.set(work.account, this.shareOf(work) - rows);
    this.holds(work, 1);
    if (work.prefixKey !== 0 && !this.queues.prefixes.has(work.prefixKey)) this.started.add(work.prefixKey);
    this.noteOverdue(work);
  }

  /** Counts how long the overdue have been passed over. */
  private noteOverdue(work: WaitingWork): void {
    const eldest = this.overdue.find((one) => one === work || this.isEligible(one));
    this.passedOverdue = eldest === undefined || eldest === work ? 0 : this.passedOverdue + 1;
    const at = this.overdue.indexOf(work);
    if (at >= 0) this.overdue.splice(at, 1);
  }

  /** `sign` 1: the client holds a slot and the pages of `work`; -1: it does no more. */
  private holds({ client, priority, account, pages }: Work, sign: 1 | -1): void {
    for (const holder of priority === 'interactive' ? [client, account] : [client]) {
      const held = this.holdings.get(holder) ?? { slots: 0, pages: 0 };
      this.holdings.set(holder, { slots: held.slots + sign, pages: held.pages + sign * pages });
    }
  }
}
