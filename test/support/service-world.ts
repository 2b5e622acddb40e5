/** The whole service over a fake (or any) engine, on a real socket of the loopback interface. */
import { ForetraceClient } from '../../src/client/client.js';
import { ForetraceError } from '../../src/errors.js';
import type { NativeEngine } from '../../src/native/addon-types.js';
import { createScheduler, type Scheduler, type SchedulerOptions } from '../../src/scheduler/index.js';
import { buildApp, type ServerApp } from '../../src/server/app.js';
import type { ServiceLimits } from '../../src/server/limits.js';
import { schedulerFigures, trajectoryFigures } from '../../src/server/scheduler-figures.js';
import { StateStore } from '../../src/trajectory/index.js';
import { FakeEngine, type FakeEngineOptions } from './fake-engine.js';

export const source = `def double(n):
    result = n * 2
    return result


def total(numbers):
    found = 0
    for number in numbers:
        found += double(number)
    return found
`;
export const call = 'total([1, 2])';

export interface WorldOptions {
  readonly engine?: NativeEngine;
  readonly fake?: FakeEngineOptions;
  readonly limits?: Partial<ServiceLimits>;
  readonly apiKeys?: readonly string[];
  readonly scheduler?: SchedulerOptions;
  /** Short, so that answers of random content stay short. */
  readonly maxAnswerTokens?: number;
  /** Bytes of the trajectory store. */
  readonly trajectoryBytes?: number;
  /** A store that holds something already. */
  readonly trajectory?: StateStore;
  /** Lets raw token turns in. */
  readonly raw?: boolean;
}

/** Holds the fake engine between two passes while closed. */
export class Gate {
  private waiting: (() => void)[] = [];
  private isOpen = true;

  readonly pass = (): Promise<void> =>
    this.isOpen
      ? new Promise((resolve) => setImmediate(resolve))
      : new Promise((resolve) => this.waiting.push(resolve));

  close(): void {
    this.isOpen = false;
  }

  open(): void {
    this.isOpen = true;
    for (const resolve of this.waiting.splice(0)) resolve();
  }

  /** Passes that are held now. */
  get held(): number {
    return this.waiting.length;
  }
}

export class ServiceWorld {
  private readonly clients: ForetraceClient[] = [];

  private constructor(
    readonly engine: NativeEngine,
    readonly scheduler: Scheduler,
    readonly server: ServerApp,
    readonly url: string,
  ) {}

  static async start(options: WorldOptions = {}): Promise<ServiceWorld> {
    const engine =
      options.engine ?? new FakeEngine({ pages: 2048, pageTokens: 16, maxContext: 2048, ...options.fake });
    const scheduler = createScheduler(engine, options.scheduler);
    const trajectory = options.trajectory ?? new StateStore(options.trajectoryBytes ?? 16 * 1024 * 1024);
    const server = await buildApp({
      access: {
        service: scheduler,
        modelDigest: engine.info.modelDigest,
        maxContext: engine.info.maxContext,
        maxAnswerTokens: options.maxAnswerTokens ?? 64,
        trajectory,
      },
      info: engine.info,
      version: '0.0.0',
      pool: () => engine.stats(),
      scheduler: () => schedulerFigures(scheduler.stats()),
      trajectory: () => trajectoryFigures(trajectory.stats()),
      limits: { closeMillis: 100, ...options.limits },
      raw: options.raw ?? false,
      ...(options.apiKeys ? { apiKeys: options.apiKeys } : {}),
    });
    const url = await server.app.listen({ host: '127.0.0.1', port: 0 });
    return new ServiceWorld(engine, scheduler, server, url);
  }

  get socketUrl(): string {
    return `${this.url.replace('http', 'ws')}/v1/socket`;
  }

  async connect(apiKey?: string): Promise<ForetraceClient> {
    const client = await ForetraceClient.connect(this.socketUrl, apiKey === undefined ? {} : { apiKey });
    this.clients.push(client);
    return client;
  }

  /** Resolves when the scheduler has nothing left to do; then every page must be free or cached. */
  async assertNothingLeaked(): Promise<void> {
    await until(() => {
      const { running, queued } = this.scheduler.stats();
      return running === 0 && queued === 0 && this.engine.stats().openSequences === 0;
    });
    this.engine.checkInvariants();
    const { totalPages, freePages, cachedPages, usedPages } = this.engine.stats();
    if (usedPages !== 0 || freePages + cachedPages !== totalPages) {
      throw new Error(`pages leaked: ${JSON.stringify(this.engine.stats())}`);
    }
  }

  async stop(): Promise<void> {
    for (const client of this.clients) client.terminate();
    await this.server.drain(0);
    await this.scheduler.close();
  }
}

/** Turns the event loop until `condition` holds; the test's own time limit ends a wait for what never comes. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 1));
}

/** The code of the ForetraceError that the promise is rejected with; anything else fails. */
export async function codeOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof ForetraceError) return error.code;
    throw error;
  }
  throw new Error('the promise was not rejected');
}
