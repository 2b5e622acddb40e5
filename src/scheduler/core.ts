/** The scheduler's state: who waits, who runs, which questions are in flight; and the ways a job can end. */
import { asForetraceError, ForetraceError } from '../errors.js';
import type { NativeEngine } from '../native/addon-types.js';
import { rejectAll, resolveAll } from './answers.js';
import { DrainRate } from './drain-rate.js';
import { GrammarRegistry } from './grammar-registry.js';
import { InPlace } from './in-place.js';
import type { Job } from './job.js';
import { Metrics } from './metrics.js';
import type { ResolvedOptions } from './options.js';
import { PrefixLedger } from './prefix-ledger.js';
import { RecentAccounts } from './recent-accounts.js';
import type { Priority } from './request.js';
import { Sequences } from './sequences.js';
import { TrajectoryStore } from './trajectory-store.js';
import { type Fairness, freshFairness, type Memory, type Queues } from './work.js';

export class Core {
  /** In order of arrival. */
  readonly waiting: Job[] = [];
  /** Open in the engine. */
  readonly running: Job[] = [];
  /** Jobs by question key, so that equal questions join. */
  readonly inFlight = new Map<string, Job>();
  readonly metrics = new Metrics();
  readonly store: TrajectoryStore;
  readonly grammars: GrammarRegistry;
  readonly sequences: Sequences;
  readonly drain = new DrainRate();
  readonly inPlace: InPlace;
  readonly recent = new RecentAccounts();
  fairness: Fairness = freshFairness;
  step = 0;
  /** True while the engine works: its methods may not be called. */
  stepping = false;
  /** True if the step in flight may make several passes. */
  interruptible = false;
  closed = false;
  /** Jobs of priority `ahead`, waiting or running. */
  private aheadJobs = 0;
  /** True if something has been asked since idleness was last told. */
  private wasBusy = false;
  readonly idleListeners = new Set<() => void>();
  private readonly queuedByClient = new Map<string, number>();
  private readonly closeAfterStep: Job[] = [];

  constructor(
    readonly engine: NativeEngine,
    readonly options: ResolvedOptions,
  ) {
    this.store = new TrajectoryStore(options.storeBytes);
    this.grammars = new GrammarRegistry(engine, options.maxUnusedGrammars);
    const prefixes = new PrefixLedger(options.maxPrefixes);
    this.sequences = new Sequences(engine, this.grammars, prefixes, this.metrics);
    this.inPlace = new InPlace(options.inPlaceMicros, options.fixedRows, options.spareProcessors);
  }

  /** True while nothing but `ahead` work waits or runs. */
  get isIdle(): boolean {
    return this.waiting.length + this.running.length === this.aheadJobs;
  }

  get ahead(): number {
    return this.aheadJobs;
  }

  /** Jobs that look ahead and wait. */
  get waitingAhead(): number {
    return this.aheadJobs - this.running.filter((job) => job.priority === 'ahead').length;
  }

  /** Clients that wait. */
  get waitingClients(): number {
    return this.queuedByClient.size;
  }

  get hasWork(): boolean {
    return this.waiting.length > 0 || this.running.length > 0;
  }

  queues(): Queues {
    const now = this.options.now();
    return {
      waiting: this.waiting,
      running: this.running,
      prefixes: this.sequences.prefixes.view,
      fairness: this.fairness,
      recent: this.recent.view(now),
      step: this.step,
      now,
    };
  }

  memory(): Memory {
    const { pageTokens, pages: totalPages } = this.engine.info;
    if (this.waiting.length === 0) return { availablePages: 0, totalPages, pageTokens };
    const pool = this.engine.stats();
    return { availablePages: pool.freePages + pool.cachedPages, totalPages, pageTokens };
  }

  queuedOf(client: string): number {
    return this.queuedByClient.get(client) ?? 0;
  }

  /** Takes a new job. Whatever looks ahead gives way to one that somebody asked for. */
  add(job: Job): void {
    if (job.priority === 'ahead') this.aheadJobs += 1;
    else {
      this.wasBusy = true;
      this.giveWay();
    }
    this.enqueue(job);
    if (job.request.key !== undefined) this.inFlight.set(job.request.key, job);
  }

  /** Somebody asks for what is being computed ahead: it is a request like any other from now on, and nobody's who looked ahead. */
  promote(job: Job, client: string, priority: Priority): void {
    this.metrics.aheadJoined += 1;
    rejectAll(job, gaveWay(), this.metrics);
    this.giveWay(job);
    this.wasBusy = true;
    this.aheadJobs -= 1;
    const waits = job.state === 'waiting';
    if (waits) this.dequeue(job);
    job.belongTo(client, priority);
    if (waits) this.enqueue(job);
  }

  /** Tells those who wait for it that there is nothing to do any more. */
  noteIdle(): void {
    if (!this.wasBusy || !this.isIdle) return;
    this.wasBusy = false;
    for (const listener of [...this.idleListeners]) listener();
  }

  /** Ends all `ahead` work but `kept`, and the pass it may be in. */
  private giveWay(kept?: Job): void {
    if (this.aheadJobs === 0) return;
    for (const job of [...this.waiting, ...this.running])
      if (job.priority === 'ahead' && job !== kept) this.fail(job, gaveWay());
    this.interrupt();
  }

  /** The call in flight returns after its current pass. */
  interrupt(): void {
    if (this.stepping && this.interruptible) this.engine.interrupt();
  }

  /** Puts a job into the queue at the place of its arrival. */
  private enqueue(job: Job): void {
    let at = this.waiting.length;
    while (at > 0 && (this.waiting[at - 1] as Job).arrival > job.arrival) at -= 1;
    this.waiting.splice(at, 0, job);
    this.queuedByClient.set(job.client, this.queuedOf(job.client) + 1);
  }

  dequeue(job: Job): void {
    const at = this.waiting.indexOf(job);
    if (at < 0) return;
    this.waiting.splice(at, 1);
    const left = this.queuedOf(job.client) - 1;
    if (left > 0) this.queuedByClient.set(job.client, left);
    else this.queuedByClient.delete(job.client);
  }

  /** The running job gives its pages back and waits again. */
  preempt(job: Job): void {
    removeFrom(this.running, job);
    job.noteWaiting(this.options.now());
    try {
      this.sequences.preempt(job);
    } catch (error) {
      this.fail(job, asForetraceError(error));
      return;
    }
    this.enqueue(job);
  }

  finish(job: Job, finish: 'finished' | 'length'): void {
    const { key, isKept = true } = job.request;
    if (job.priority === 'interactive') this.recent.answer(job.account, job.costRows, this.options.now());
    this.retire(job);
    if (key !== undefined && isKept) this.store.set(key, { ...job.generated.copy(), finish });
    resolveAll(job, finish, this.options.now(), this.metrics);
  }

  fail(job: Job, error: ForetraceError): void {
    this.retire(job);
    rejectAll(job, error, this.metrics);
  }

  /** Nobody listens any more: the job ends at once, its sequence as soon as the engine may be called. */
  abandon(job: Job): void {
    if (job.state === 'done') return;
    this.retire(job);
    this.interrupt();
  }

  /** Ends every job with the same error. */
  failAll(error: ForetraceError): void {
    for (const job of [...this.waiting, ...this.running]) this.fail(job, error);
  }

  /** Closes what ended while the engine worked. */
  closeEnded(): void {
    for (const job of this.closeAfterStep.splice(0)) this.closeSequence(job);
  }

  private retire(job: Job): void {
    if (job.state === 'done') return;
    job.state = 'done';
    if (job.priority === 'ahead') this.aheadJobs -= 1;
    const { key } = job.request;
    if (key !== undefined && this.inFlight.get(key) === job) this.inFlight.delete(key);
    this.dequeue(job);
    removeFrom(this.running, job);
    if (this.stepping) this.closeAfterStep.push(job);
    else this.closeSequence(job);
  }

  private closeSequence(job: Job): void {
    try {
      this.sequences.close(job);
    } catch {
      // The job has ended either way; an engine that cannot close a sequence shows in the metrics and fails its next step.
      this.metrics.engineFailures += 1;
    }
  }
}

const gaveWay = (): ForetraceError =>
  new ForetraceError('cancelled', 'What was computed ahead gave way to a request');

function removeFrom(jobs: Job[], job: Job): void {
  const at = jobs.indexOf(job);
  if (at >= 0) jobs.splice(at, 1);
}
