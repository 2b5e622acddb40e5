/** The sessions of an agent: those that it has named, and those of single questions. */
import { LRUCache } from 'lru-cache';
import pLimit from 'p-limit';
import type { ForetraceClient } from '../client/client.js';
import { ForetraceError } from '../errors.js';
import { Debugged, type ProgramText } from './debugged.js';

/** An agent that ends none of its sessions keeps the last ones. */
const mostSessions = 64;

export interface SessionsOptions {
  /** Sessions that are kept. */
  readonly most?: number;
  /** The name of the next session; who knows it may use it. */
  readonly newName?: () => string;
}

/** A service takes 64 of one connection; others wait here. */
const mostRequests = 48;

export class Sessions {
  private readonly named: LRUCache<string, Debugged>;
  private readonly opening = new Set<Promise<Debugged>>();
  /** All that are open. */
  private readonly open = new Set<Debugged>();
  private readonly request = pLimit(mostRequests);
  private started = 0;
  private readonly newName: () => string;

  constructor(
    private readonly connect: () => Promise<ForetraceClient>,
    { most = mostSessions, newName }: SessionsOptions = {},
  ) {
    this.named = new LRUCache({
      max: most,
      dispose: (debugged, _name, reason) => {
        if (reason === 'evict') void this.close(debugged);
      },
    });
    this.newName = newName ?? (() => `s${++this.started}`);
  }

  /** Requests that wait for others. */
  get waiting(): number {
    return this.request.pendingCount;
  }

  /** @throws ForetraceError invalid_python, invalid_entry, .. */
  async start(program: ProgramText, signal: AbortSignal): Promise<{ name: string; debugged: Debugged }> {
    const debugged = await this.begin(program, signal);
    const name = this.newName();
    this.named.set(name, debugged);
    return { name, debugged };
  }

  /** Debugs a program for as long as `work` takes. */
  async during<Result>(
    program: ProgramText,
    signal: AbortSignal,
    work: (debugged: Debugged) => Promise<Result>,
  ): Promise<Result> {
    const debugged = await this.begin(program, signal);
    try {
      return await work(debugged);
    } finally {
      await this.close(debugged);
    }
  }

  /** @throws ForetraceError unknown_session */
  find(name: string): Debugged {
    const debugged = this.named.get(name);
    if (debugged !== undefined) return debugged;
    throw new ForetraceError('unknown_session', 'there is no such session', {
      expected: `a session that start_debugging has named, of which the last ${this.named.max} are kept until they are ended`,
      actual: name,
    });
  }

  /** @throws ForetraceError unknown_session */
  async end(name: string): Promise<void> {
    await this.close(this.find(name));
    this.named.delete(name);
  }

  /** Gives all of them back, those too that are just being opened. */
  async endAll(): Promise<void> {
    await Promise.allSettled(this.opening);
    await Promise.all([...this.open].map((debugged) => this.close(debugged)));
    this.named.clear();
  }

  private async begin(program: ProgramText, signal: AbortSignal): Promise<Debugged> {
    const opening = this.connect().then((client) =>
      Debugged.open({ client, request: this.request }, program, signal),
    );
    this.opening.add(opening);
    try {
      const debugged = await opening;
      this.open.add(debugged);
      if (!signal.aborted) return debugged;
      // It was faster than its cancellation: nobody would ever hear of it.
      await this.close(debugged);
      throw new ForetraceError('cancelled', 'the request was cancelled');
    } finally {
      this.opening.delete(opening);
    }
  }

  private async close(debugged: Debugged): Promise<void> {
    this.open.delete(debugged);
    await debugged.close();
  }
}
