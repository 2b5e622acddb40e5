/** The scheduler: takes requests, joins equal ones, answers from the store, and keeps the loop running while there is work. */
import { asForetraceError, ForetraceError } from '../errors.js';
import type { NativeEngine, PoolStats } from '../native/addon-types.js';
import { answerFromStore, deliverTo, removeListener } from './answers.js';
import { Core } from './core.js';
import { Job, type Listener } from './job.js';
import { runLoop } from './loop.js';
import type { MetricsSnapshot } from './metrics.js';
import { resolveOptions, type SchedulerOptions } from './options.js';
import { prefixKeyOf } from './prefix-ledger.js';
import type { GenerationRequest, GenerationResult, GenerationService } from './request.js';
import { Rings } from './rings.js';
import type { StoreStats } from './trajectory-store.js';

export interface SchedulerStats extends MetricsSnapshot {
  readonly queued: number;
  readonly queuedByPriority: { readonly interactive: number; readonly batch: number };
  readonly running: number;
  readonly draining: boolean;
  readonly closed: boolean;
  readonly store: StoreStats;
  readonly grammars: { readonly registered: number; readonly unused: number; readonly uses: number };
  readonly pool: PoolStats;
}

export interface Scheduler extends GenerationService {
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
    core.metrics.submitted += 1;
    const refused = this.refusal(request);
    if (refused !== null) {
      if (refused.code === 'cancelled') core.metrics.endings.cancelled += 1;
      else core.metrics.endings.rejected += 1;
      return Promise.reject(refused);
    }
    return this.fromStore(request) ?? this.compute(request);
  }

  stats(): SchedulerStats {
    const { core } = this;
    const interactive = core.waiting.filter((job) => job.priority === 'interactive').length;
    return {
      ...core.metrics.snapshot(),
      queued: core.waiting.length,
      queuedByPriority: { interactive, batch: core.waiting.length - interactive },
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

  /** Why the request cannot be taken, or null. */
  private refusal(request: GenerationRequest): ForetraceError | null {
    if (this.core.closed) return new ForetraceError('engine_closed', 'The scheduler has been closed');
    if (this.draining) return new ForetraceError('draining', 'The scheduler takes no more requests');
    if (request.signal?.aborted) return cancelled();
    return checkShape(request) ?? this.checkSize(request);
  }

  private checkSize(request: GenerationRequest): ForetraceError | null {
    const { maxContext, pages } = this.engine.info;
    const tokens = request.prompt.length + request.maxNewTokens;
    if (tokens > maxContext) {
      return new ForetraceError(
        'context_too_long',
        'Prompt and answer do not fit into the context of the model',
        {
          expected: `at most ${maxContext} tokens`,
          actual: `${request.prompt.length} + ${request.maxNewTokens}`,
        },
      );
    }
    if (this.pagesOf(request) <= pages) return null;
    return new ForetraceError('out_of_pages', 'The request is larger than the KV pool', {
      expected: `at most ${pages} pages`,
      actual: `${this.pagesOf(request)}`,
    });
  }

  private pagesOf(request: GenerationRequest): number {
    return Math.ceil((request.prompt.length + request.maxNewTokens) / this.engine.info.pageTokens);
  }

  private fromStore(request: GenerationRequest): Promise<GenerationResult> | null {
    const { core } = this;
    if (request.key === undefined || core.inFlight.has(request.key)) return null;
    const stored = core.store.get(request.key);
    if (stored === undefined) return null;
    try {
      const result = answerFromStore(request, stored);
      core.metrics.endings.cache += 1;
      core.metrics.storedTokens += stored.tokens.length;
      return Promise.resolve(result);
    } catch (error) {
      core.metrics.endings.failed += 1;
      return Promise.reject(asForetraceError(error));
    }
  }

  /** Joins the equal question in flight, or queues a new computation. */
  private compute(request: GenerationRequest): Promise<GenerationResult> {
    const { core } = this;
    const equal = request.key === undefined ? undefined : core.inFlight.get(request.key);
    if (equal === undefined) {
      const full = this.overload(request);
      if (full !== null) {
        core.metrics.endings.rejected += 1;
        return Promise.reject(full);
      }
    }
    return new Promise((resolve, reject) => {
      const job = equal ?? this.enqueue(request);
      if (equal !== undefined) core.metrics.joined += 1;
      if (request.priority === 'interactive') job.priority = 'interactive';
      this.listen(job, request, resolve, reject);
    });
  }

  private overload(request: GenerationRequest): ForetraceError | null {
    const { maxQueued, maxQueuedPerClient } = this.core.options;
    const queued = this.core.waiting.length;
    const ofClient = this.core.queuedOf(request.client);
    if (queued < maxQueued && ofClient < maxQueuedPerClient) return null;
    const [limit, actual] = queued >= maxQueued ? [maxQueued, queued] : [maxQueuedPerClient, ofClient];
    return new ForetraceError('overloaded', 'Too many requests wait', {
      expected: `fewer than ${limit}`,
      actual: `${actual}`,
    });
  }

  private enqueue(request: GenerationRequest): Job {
    const { core } = this;
    const prefixKey = prefixKeyOf(request.prompt, request.sharedTokens, this.engine.info.pageTokens);
    const job = new Job(this.nextId, request, this.pagesOf(request), prefixKey, core.step);
    this.nextId += 1;
    core.enqueue(job);
    if (request.key !== undefined) core.inFlight.set(request.key, job);
    if (core.stepping && core.interruptible) this.engine.interrupt();
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
    const listener: Listener = {
      request,
      submittedAt: core.options.now(),
      resolve,
      reject,
      detach: () => request.signal?.removeEventListener('abort', cancel),
    };
    const cancel = (): void => {
      if (!removeListener(job, listener)) return;
      core.metrics.endings.cancelled += 1;
      reject(cancelled());
      if (job.listeners.length === 0) core.abandon(job);
    };
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
    core.options.onIdle?.(this.engine);
  }
}

function cancelled(): ForetraceError {
  return new ForetraceError('cancelled', 'The request was cancelled');
}

function checkShape(request: GenerationRequest): ForetraceError | null {
  const { prompt, sharedTokens, maxNewTokens } = request;
  if (prompt.length === 0) return wrong('prompt', 'at least one token', 'none');
  if (!Number.isInteger(maxNewTokens) || maxNewTokens < 1) {
    return wrong('maxNewTokens', 'a positive integer', String(maxNewTokens));
  }
  if (!Number.isInteger(sharedTokens) || sharedTokens < 0 || sharedTokens > prompt.length) {
    return wrong('sharedTokens', `an integer from 0 to ${prompt.length}`, String(sharedTokens));
  }
  return null;
}

function wrong(name: string, expected: string, actual: string): ForetraceError {
  return new ForetraceError('invalid_argument', `Generation request: ${name}`, { expected, actual });
}
