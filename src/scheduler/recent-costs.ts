/** What an answer costs the clients that asked lately, if nobody else asked: bookkeeping over a clock that is handed in. */
import { LRUCache } from 'lru-cache';
import type { Account } from './work.js';

/** Milliseconds after its last answer in which a client is expected to come back. */
const memoryMillis = 10_000;
/** Part of the latest answer in the mean. */
const latestShare = 0.25;
const mostAccounts = 256;

interface Entry {
  rows: number;
  at: number;
}

export class RecentCosts {
  private readonly entries = new LRUCache<Account, Entry>({ max: mostAccounts });
  /** What was seen last, and until when nothing of it is too old; every step looks, few steps have an answer. */
  private seen: ReadonlyMap<Account, number> = new Map();
  private seenUntil = Number.POSITIVE_INFINITY;

  /** The account had an answer whose passes would alone have cost as much as one pass of `rows` rows. */
  note(account: Account, rows: number, now: number): void {
    const known = this.entries.get(account);
    const mean = known === undefined ? rows : known.rows + latestShare * (rows - known.rows);
    this.entries.set(account, { rows: mean, at: now });
    this.seenUntil = Number.NEGATIVE_INFINITY;
  }

  /** Mean cost of an answer by account, of those that had one lately. */
  view(now: number): ReadonlyMap<Account, number> {
    if (now <= this.seenUntil) return this.seen;
    const recent = new Map<Account, number>();
    this.seenUntil = Number.POSITIVE_INFINITY;
    // Latest first.
    for (const [account, { rows, at }] of this.entries.entries()) {
      if (now - at > memoryMillis) break;
      recent.set(account, rows);
      this.seenUntil = at + memoryMillis;
    }
    this.seen = recent;
    return recent;
  }
}
