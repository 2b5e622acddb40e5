/** The scheduler: takes requests, joins equal ones, answers from the store, and keeps the loop running while there is work. */
import { asForetraceError, ForetraceError } from '../errors.js';
import type { NativeEngine, PoolStats } from '../native/addon-types.js';
import { answerFromStore, deliverTo, removeListener } from './answers.js';
import { Core } from './core.js';
import { ReturnTimes } from './drain-rate.js';
import { hopelessnessOf, misfitOf, overloadOf, returnAfter } from './gate.js';
import { longestAnswer } from './grammar-bound.js';
import { Job, type Listener } from './job.js';
import { runLoop } from './loop.js';
import type { MetricsSnapshot } from './metrics.js';
import { resolveOptions, type SchedulerOptions } from './options.js';
import { prefixKeyOf } from './prefix-ledger.js';
import type {
  GenerationRequest,
  GenerationResult,
  GenerationService,
  IdleSource,
  Priority,
} from './request.js';
import { Rings } from './rings.js';
import type { StoreStats } from './trajectory-store.js';
import { cancelled, tooLate } from './unwanted.js';

export interface SchedulerStats extends MetricsSnapshot {
  readonly queued: number;
  readonly queuedByPriority: Readonly<Record<Priority, number>>;
  /** Most rows of a pass. */
  readonly rowBudget: number;
  /** Rate of answers while there was work, lately. */
  readonly answersPerSecond: number;
  readonly running: number;
  readonly draining: boolean;
  readonly closed: boolean;
  readonly store: StoreStats;
  readonly grammars: { readonly registered: number; readonly unused: number; readonly uses: number };
  readonly pool: PoolStats;
}

export interface Scheduler extends GenerationService, IdleSource {
  stats(): SchedulerStats;
  /** Takes no more requests, answers those it has (waiting ones too), then resolves. */
  drain(): Promise<void>;
  /** Rejects everything with `engine_closed`, closes all sequences, removes all grammars. Does not dispose the engine. */
  close(): Promise<void>;
}

/** @throws ForetraceError `invalid_argument` for options out of range. */
export function createScheduler(engine: NativeEngine, options: SchedulerOptions = {}): Scheduler {
  return new SchedulerService(engine, options);
}

class SchedulerService implements Scheduler {
  private readonly core: Core;
  private readonly rings: Rings;
  private readonly returnTimes = new ReturnTimes();
  private loop: Promise<void> | null = null;
  private draining = false;
  private nextId = 1;

  constructor(
    private readonly engine: NativeEngine,
    options: SchedulerOptions,
  ) {
    this.core = new Core(engine, resolveOptions(options));
    this.rings = new Rings(engine, this.core.options.maxRunning);
  }

  submit(request: GenerationRequest): Promise<GenerationResult> {
    const { core } = this;
    core.metrics.submittedAs(request.priority);
    const refused = this.refusal(request);
    if (refused !== null) return this.refuse(request, refused);
    return this.fromStore(request) ?? this.compute(request);
  }

  get isIdle(): boolean {
    return this.core.isIdle;
  }

  onIdle(listener: () => void): () => void {
    this.core.idleListeners.add(listener);
    return () => this.core.idleListeners.delete(listener);
  }

  stats(): SchedulerStats {
    const { core } = this;
    const queuedByPriority = { interactive: 0, batch: 0, ahead: 0 };
    for (const job of core.waiting) queuedByPriority[job.priority] += 1;
    return {
      ...core.metrics.snapshot(),
      queued: core.waiting.length,
      queuedByPriority,
      rowBudget: core.options.rows,
      answersPerSecond: 1000 * core.drain.perMilli,
      running: core.running.length,
      draining: this.draining,
      closed: core.closed,
      store: core.store.stats(),
      grammars: core.grammars.stats(),
      pool: this.engine.stats(),
    };
  }

  async drain(): Promise<void> {
    this.draining = true;
    while (this.loop !== null) await this.loop;
  }

  async close(): Promise<void> {
    const { core } = this;
    if (!core.closed) {
      core.closed = true;
      if (core.stepping) this.engine.interrupt();
      core.failAll(new ForetraceError('engine_closed', 'The scheduler has been closed'));
    }
    while (this.loop !== null) await this.loop;
    try {
      core.grammars.clear();
    } catch (error) {
      if (asForetraceError(error).code !== 'engine_closed') throw error;
    }
  }

  /** Why the request cannot be taken whatever it asks, or null. */
  private refusal(request: GenerationRequest): ForetraceError | null {
    if (this.core.closed) return new ForetraceError('engine_closed', 'The scheduler has been closed');
    if (this.draining) return new ForetraceError('draining', 'The scheduler takes no more requests');
    if (request.signal?.aborted) return cancelled();
    return misfitOf(request, this.pagesOf(request), this.engine.info);
  }

  private refuse(request: GenerationRequest, error: ForetraceError): Promise<never> {
    const { metrics } = this.core;
    if (error.code === 'cancelled') metrics.ended(request.priority, 'cancelled');
    else if (error.code === 'deadline_exceeded') metrics.ended(request.priority, 'expired');
    else metrics.ended(request.priority, 'rejected');
    return Promise.reject(error);
  }

  /** Pages that hold the prompt and the longest answer that its grammar allows. */
  private pagesOf(request: GenerationRequest): number {
    return Math.ceil((request.prompt.length + mostTokensOf(request)) / this.engine.info.pageTokens);
  }

  private fromStore(request: GenerationRequest): Promise<GenerationResult> | null {
    const { core } = this;
    if (request.key === undefined || core.inFlight.has(request.key)) return null;
    const stored = core.store.get(request.key);
    if (stored === undefined) return null;
    try {
      const result = answerFromStore(request, stored);
      core.metrics.ended(request.priority, 'cache');
      core.metrics.storedTokens += stored.tokens.length;
      return Promise.resolve(result);
    } catch (error) {
      core.metrics.ended(request.priority, 'failed');
      return Promise.reject(asForetraceError(error));
    }
  }

  /** Joins the equal question in flight, or queues a new computation. */
  private compute(request: GenerationRequest): Promise<GenerationResult> {
    const { core } = this;
    const equal = request.key === undefined ? undefined : core.inFlight.get(request.key);
    const crowded = equal === undefined || request.priority === 'ahead' ? this.crowding(request) : null;
    const refused = crowded ?? (expired(request) ? tooLate() : null);
    if (refused !== null) return this.refuse(request, refused);
    return new Promise((resolve, reject) => {
      const job = equal ?? this.enqueue(request);
      if (equal !== undefined) this.join(equal, request);
      this.listen(job, request, resolve, reject);
    });
  }

  private join(job: Job, { client, priority }: GenerationRequest): void {
    const { core } = this;
    if (job.priority === 'ahead' && priority !== 'ahead') core.promote(job, client, priority);
    else if (priority !== 'ahead') core.metrics.joined += 1;
    if (priority === 'interactive') job.belongTo(job.client, 'interactive');
  }

  /** Why one more computation cannot be taken now, or null. */
  private crowding(request: GenerationRequest): ForetraceError | null {
    const { core } = this;
    const { client, priority } = request;
    if (priority === 'ahead') {
      if (core.isIdle && core.ahead < core.options.maxAhead) return null;
      return new ForetraceError('cancelled', 'There is something else to do');
    }
    const queuedOfClient = core.queuedOf(client);
    const clients = core.waitingClients + (queuedOfClient === 0 ? 1 : 0);
    const figures = { queued: core.waiting.length - core.waitingAhead, queuedOfClient, clients };
    const wait = () => returnAfter(this.returnTimes, client, core.options.now(), figures, core.drain);
    return (
      overloadOf(figures, core.drain, core.options, wait) ?? hopelessnessOf(request, figures, core.drain)
    );
  }

  private enqueue(request: GenerationRequest): Job {
    const { core } = this;
    const prefixKey = prefixKeyOf(request.prompt, request.sharedTokens, this.engine.info.pageTokens);
    const now = core.options.now();
    const mostTokens = mostTokensOf(request);
    const pages = this.pagesOf(request);
    const job = new Job(this.nextId, request, pages, prefixKey, core.step, mostTokens, now);
    this.nextId += 1;
    core.add(job);
    core.interrupt();
    this.wake();
    return job;
  }

  private listen(
    job: Job,
    request: GenerationRequest,
    resolve: (result: GenerationResult) => void,
    reject: (error: Error) => void,
  ): void {
    const { core } = this;
    const now = core.options.now();
    const { deadlineMillis = Number.POSITIVE_INFINITY } = request;
    let stopTimer = (): void => undefined;
    const listener: Listener = {
      request,
      submittedAt: now,
      waitedBefore: job.waited(now),
      deadline: now + deadlineMillis,
      resolve,
      reject,
      detach: () => {
        request.signal?.removeEventListener('abort', cancel);
        stopTimer();
      },
    };
    const leave = (ending: 'cancelled' | 'expired', error: ForetraceError): void => {
      if (!removeListener(job, listener)) return;
      core.metrics.ended(job.priority, ending);
      reject(error);
      if (job.listeners.length === 0) core.abandon(job);
    };
    const cancel = (): void => leave('cancelled', cancelled());
    if (deadlineMillis < Number.POSITIVE_INFINITY)
      stopTimer = core.options.setTimer(() => leave('expired', tooLate()), deadlineMillis);
    request.signal?.addEventListener('abort', cancel, { once: true });
    job.listeners.push(listener);
    if (job.generated.length > 0) deliverTo(job, listener, job.generated.copy(), core.metrics);
    if (job.listeners.length === 0) core.abandon(job);
  }

  /** Starts the loop after the current turn, so that requests submitted together are planned together. */
  private wake(): void {
    if (this.loop !== null) return;
    this.loop = Promise.resolve().then(() => this.work());
  }

  private async work(): Promise<void> {
    const { core } = this;
    try {
      while (core.hasWork) {
        try {
          await runLoop(core, this.rings);
        } catch (error) {
          // A defect of the scheduler itself: everybody is told, and the next request starts afresh.
          core.stepping = false;
          core.failAll(asForetraceError(error));
          core.closeEnded();
        }
      }
    } finally {
      this.loop = null;
    }
    // Also where everything was cancelled before the first step.
    core.noteIdle();
    core.options.onIdle?.(this.engine);
  }
}

const mostTokensOf = (request: GenerationRequest): number =>
  request.constraint === undefined
    ? request.maxNewTokens
    : Math.min(request.maxNewTokens, longestAnswer(request.constraint));

const expired = ({ deadlineMillis = 1 }: GenerationRequest): boolean => deadlineMillis <= 0;
