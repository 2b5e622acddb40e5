/** The open sessions of a server: found by id, bounded in number and in bytes, closed when idle for too long. */
import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Program } from '../debugger/program.js';
import { ForetraceError } from '../errors.js';
import type { DebugSession } from './debug-session.js';
import { programBytes } from './program-library.js';

export interface SessionStoreOptions {
  readonly maxSessions: number;
  /** Milliseconds without any use after which a session is forgotten. */
  readonly idleMillis: number;
  /** Bytes of all sessions, their programs included, above which those unused longest are forgotten early; no bound if left out. */
  readonly maxBytes?: number;
  /** Sessions used within this time are never forgotten early. */
  readonly graceMillis?: number;
}

/** What the store knows of a session beside the session. */
interface Account {
  bytes: number;
  /** Calls that use it now. */
  uses: number;
}

export class SessionStore {
  private readonly sessions: LRUCache<string, DebugSession>;
  private readonly accounts = new Map<string, Account>();
  /** Programs of the sessions, each counted once, with the number of its sessions. */
  private readonly programs = new Map<Program, number>();
  private held = 0;

  constructor(private readonly options: SessionStoreOptions) {
    this.sessions = new LRUCache({
      // One more than the limit: the limit is refused by `assertRoom`, never met by evicting a live session.
      max: options.maxSessions + 1,
      ttl: options.idleMillis,
      ttlAutopurge: false,
      updateAgeOnGet: true,
      disposeAfter: (session) => this.release(session),
    });
  }

  get size(): number {
    return this.sessions.size;
  }

  /** Upper estimate of the memory all sessions take. */
  get bytes(): number {
    return this.held;
  }

  /** 122 random bits: who has an id was given it. */
  newId(): string {
    return randomUUID();
  }

  /** @throws ForetraceError too_many_sessions, after expired sessions and, where bytes are short, those unused longest have been dropped */
  assertRoom(): void {
    const { maxSessions, maxBytes = Number.POSITIVE_INFINITY } = this.options;
    if (this.sessions.size >= maxSessions) this.sessions.purgeStale();
    if (this.sessions.size >= maxSessions) {
      throw this.full(`at most ${maxSessions} sessions`, `${this.sessions.size} open`);
    }
    this.makeRoom();
    if (this.held > maxBytes) {
      throw this.full(`at most ${maxBytes} bytes in sessions`, `${this.held} bytes, all used a moment ago`);
    }
  }

  /** @throws ForetraceError too_many_sessions */
  add(session: DebugSession): void {
    this.assertRoom();
    this.accounts.set(session.settings.id, { bytes: 0, uses: 0 });
    const uses = this.programs.get(session.program) ?? 0;
    if (uses === 0) this.held += programBytes(session.program);
    this.programs.set(session.program, uses + 1);
    this.sessions.set(session.settings.id, session);
    this.measure(session);
  }

  /** The session of this client; another client's is as unknown as none. @throws ForetraceError unknown_session */
  get(id: string, client?: string): DebugSession {
    const session = this.sessions.get(id);
    if (session && (client === undefined || session.settings.client === client)) return session;
    throw new ForetraceError('unknown_session', `there is no session ${id}`, {
      expected: 'the id of an open session',
      actual: id,
    });
  }

  has(id: string): boolean {
    return this.sessions.has(id);
  }

  /** Runs a call that works on a session: it is in use until the call ends, and idle from then on. */
  async use<Result>(session: DebugSession, call: () => Promise<Result>): Promise<Result> {
    const account = this.accounts.get(session.settings.id);
    if (account) account.uses += 1;
    try {
      return await call();
    } finally {
      if (account) account.uses -= 1;
      this.sessions.get(session.settings.id);
      this.measure(session);
    }
  }

  /** Counts what the session holds now. */
  measure(session: DebugSession): void {
    const account = this.accounts.get(session.settings.id);
    if (account === undefined) return;
    this.held += session.bytes - account.bytes;
    account.bytes = session.bytes;
    this.makeRoom();
  }

  close(id: string, client?: string): void {
    this.get(id, client);
    this.sessions.delete(id);
  }

  /** Drops sessions whose idle time is over; returns how many are left. */
  purge(): number {
    this.sessions.purgeStale();
    return this.sessions.size;
  }

  /** While there are too many bytes, drops the session that was unused longest, but none in use and none used a moment ago. */
  private makeRoom(): void {
    const { maxBytes = Number.POSITIVE_INFINITY, graceMillis = 0, idleMillis } = this.options;
    let excess = this.held - maxBytes;
    const dropped: string[] = [];
    for (const id of this.sessions.rkeys()) {
      if (excess <= 0 || idleMillis - this.sessions.getRemainingTTL(id) < graceMillis) break;
      const account = this.accounts.get(id);
      if (account?.uses !== 0) continue;
      excess -= account.bytes;
      dropped.push(id);
    }
    for (const id of dropped) this.sessions.delete(id);
  }

  private release({ settings, program }: DebugSession): void {
    this.held -= this.accounts.get(settings.id)?.bytes ?? 0;
    this.accounts.delete(settings.id);
    const uses = (this.programs.get(program) ?? 0) - 1;
    if (uses > 0) this.programs.set(program, uses);
    else if (this.programs.delete(program)) this.held -= programBytes(program);
  }

  private full(expected: string, actual: string): ForetraceError {
    const [oldest] = this.sessions.rkeys();
    const wait = oldest === undefined ? 0 : this.sessions.getRemainingTTL(oldest);
    return new ForetraceError('too_many_sessions', 'the limit of open sessions is reached', {
      expected,
      actual,
      ...(Number.isFinite(wait) && wait > 0 ? { retryAfterMillis: Math.ceil(wait) } : {}),
    });
  }
}
