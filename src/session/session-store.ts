/**
 * The open sessions of a server: found by id, bounded in number and in bytes, closed when idle for too long. Where room is short the client that holds the
 * most sessions gives way, so that nobody can take the place of the others by opening and leaving.
 */
import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Program } from '../debugger/program.js';
import { ForetraceError } from '../errors.js';
import type { DebugSession } from './debug-session.js';

export interface SessionStoreOptions {
  /** Above it those unused longest are forgotten early. */
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
  readonly client: string;
  bytes: number;
  /** Calls that use it now. */
  uses: number;
}

export class SessionStore {
  private readonly sessions: LRUCache<string, DebugSession>;
  private readonly accounts = new Map<string, Account>();
  /** The sessions of each client, those unused longest first. */
  private readonly clients = new Map<string, Set<string>>();
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

  /** @throws ForetraceError too_many_sessions, after expired sessions and those unused longest have been dropped */
  assertRoom(): void {
    const { maxSessions, maxBytes = Number.POSITIVE_INFINITY } = this.options;
    if (this.sessions.size >= maxSessions) this.sessions.purgeStale();
    this.makeRoom(1);
    if (this.sessions.size >= maxSessions) {
      throw this.full(`at most ${maxSessions} sessions`, `${this.sessions.size} open`);
    }
    if (this.held > maxBytes) {
      throw this.full(`at most ${maxBytes} bytes in sessions`, `${this.held} bytes, all used a moment ago`);
    }
  }

  /** @throws ForetraceError too_many_sessions */
  add(session: DebugSession): void {
    this.assertRoom();
    const { id, client } = session.settings;
    this.accounts.set(id, { client, bytes: 0, uses: 0 });
    this.clients.set(client, (this.clients.get(client) ?? new Set()).add(id));
    const uses = this.programs.get(session.program) ?? 0;
    if (uses === 0) this.held += session.program.bytes;
    this.programs.set(session.program, uses + 1);
    this.sessions.set(id, session);
    this.measure(session);
  }

  /** The session of this client; another client's is as unknown as none. @throws ForetraceError unknown_session */
  get(id: string, client?: string): DebugSession {
    const session = this.touch(id);
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
      this.touch(session.settings.id);
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

  /** The session, used now. */
  private touch(id: string): DebugSession | undefined {
    const session = this.sessions.get(id);
    const ids = session && this.clients.get(session.settings.client);
    if (ids?.delete(id)) ids.add(id);
    return session;
  }

  /** Drops sessions while there are too many bytes, or less than `places` places. */
  private makeRoom(places = 0): void {
    const { maxSessions, maxBytes = Number.POSITIVE_INFINITY } = this.options;
    while (this.held > maxBytes || this.sessions.size + places > maxSessions) {
      const id = this.dispensable();
      if (id === undefined) return;
      this.sessions.delete(id);
    }
  }

  /** Of the client with the most sessions that has one unused for long enough: the one unused longest. */
  private dispensable(): string | undefined {
    const { graceMillis = 0, idleMillis } = this.options;
    let most = 0;
    let found: string | undefined;
    for (const ids of this.clients.values()) {
      if (ids.size <= most) continue;
      for (const id of ids) {
        // The clock of the cache is read once a millisecond: an age may come out below zero.
        if (Math.max(0, idleMillis - this.sessions.getRemainingTTL(id)) < graceMillis) break;
        if (this.accounts.get(id)?.uses !== 0) continue;
        most = ids.size;
        found = id;
        break;
      }
    }
    return found;
  }

  private release({ settings, program }: DebugSession): void {
    this.held -= this.accounts.get(settings.id)?.bytes ?? 0;
    this.accounts.delete(settings.id);
    const ids = this.clients.get(settings.client);
    ids?.delete(settings.id);
    if (ids?.size === 0) this.clients.delete(settings.client);
    const uses = (this.programs.get(program) ?? 0) - 1;
    if (uses > 0) this.programs.set(program, uses);
    else if (this.programs.delete(program)) this.held -= program.bytes;
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
