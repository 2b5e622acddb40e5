/** The sessions of an agent, by short names. */
import { LRUCache } from 'lru-cache';
import type { ForetraceClient } from '../client/client.js';
import { ForetraceError } from '../errors.js';
import { Debugged, type ProgramText } from './debugged.js';

/** An agent that ends none of its sessions keeps the last ones. */
const mostSessions = 64;

export class Sessions {
  private readonly open = new LRUCache<string, Debugged>({
    max: mostSessions,
    dispose: (debugged, _name, reason) => {
      if (reason === 'evict') void debugged.close();
    },
  });
  private started = 0;

  constructor(private readonly connect: () => Promise<ForetraceClient>) {}

  /** @throws ForetraceError invalid_python, invalid_entry, .. */
  async start(program: ProgramText, signal: AbortSignal): Promise<{ name: string; debugged: Debugged }> {
    const debugged = await Debugged.open(await this.connect(), program, signal);
    this.started += 1;
    const name = `s${this.started}`;
    this.open.set(name, debugged);
    return { name, debugged };
  }

  /** Debugs a program for as long as `work` takes. */
  async during<Result>(
    program: ProgramText,
    signal: AbortSignal,
    work: (debugged: Debugged) => Promise<Result>,
  ): Promise<Result> {
    const debugged = await Debugged.open(await this.connect(), program, signal);
    try {
      return await work(debugged);
    } finally {
      await debugged.close();
    }
  }

  /** @throws ForetraceError unknown_session */
  find(name: string): Debugged {
    const debugged = this.open.get(name);
    if (debugged !== undefined) return debugged;
    throw new ForetraceError('unknown_session', 'there is no such session', {
      expected: 'a session that start_debugging has named and that has not been ended',
      actual: name,
    });
  }

  /** @throws ForetraceError unknown_session */
  async end(name: string): Promise<void> {
    await this.find(name).close();
    this.open.delete(name);
  }

  async endAll(): Promise<void> {
    await Promise.all([...this.open.values()].map((debugged) => debugged.close()));
    this.open.clear();
  }
}
