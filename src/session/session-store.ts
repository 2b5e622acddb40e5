/** The open sessions of a server: found by id, bounded in number, closed when idle for too long. */
import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { ForetraceError } from '../errors.js';
import type { DebugSession } from './debug-session.js';

export interface SessionStoreOptions {
  readonly maxSessions: number;
  /** Milliseconds without any use after which a session is forgotten. */
  readonly idleMillis: number;
}

export class SessionStore {
  private readonly sessions: LRUCache<string, DebugSession>;
  private readonly maxSessions: number;

  constructor(options: SessionStoreOptions) {
    this.maxSessions = options.maxSessions;
    this.sessions = new LRUCache({
      // One more than the limit: the limit is refused by `reserve`, never met by evicting a live session.
      max: options.maxSessions + 1,
      ttl: options.idleMillis,
      ttlAutopurge: false,
      updateAgeOnGet: true,
    });
  }

  get size(): number {
    return this.sessions.size;
  }

  newId(): string {
    return randomUUID();
  }

  /** @throws ForetraceError too_many_sessions, after expired sessions have been dropped */
  assertRoom(): void {
    if (this.sessions.size < this.maxSessions) return;
    this.sessions.purgeStale();
    if (this.sessions.size < this.maxSessions) return;
    throw new ForetraceError('too_many_sessions', 'the limit of open sessions is reached', {
      expected: `at most ${this.maxSessions} sessions`,
      actual: `${this.sessions.size} open`,
    });
  }

  /** @throws ForetraceError too_many_sessions */
  add(session: DebugSession): void {
    this.assertRoom();
    this.sessions.set(session.settings.id, session);
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

  close(id: string, client?: string): void {
    this.get(id, client);
    this.sessions.delete(id);
  }

  /** Drops sessions whose idle time is over; returns how many are left. */
  purge(): number {
    this.sessions.purgeStale();
    return this.sessions.size;
  }
}
