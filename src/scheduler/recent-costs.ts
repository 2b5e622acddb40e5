/** What an answer costs the clients that asked lately, if nobody else asked: bookkeeping over a clock that is handed in. */
import { LRUCache } from 'lru-cache';
import type { Account } from './share.js';

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

  /** The account had an answer whose passes would alone have cost as much as one pass of `rows` rows. */
  note(account: Account, rows: number, now: number): void {
    const known = this.entries.get(account);
    const mean = known === undefined ? rows : known.rows + latestShare * (rows - known.rows);
    this.entries.set(account, { rows: mean, at: now });
  }

  /** Mean cost of an answer by account, of those that had one lately. */
  view(now: number): ReadonlyMap<Account, number> {
    const recent = new Map<Account, number>();
    // Latest first.
    for (const [account, { rows, at }] of this.entries.entries()) {
      if (now - at > memoryMillis) break;
      recent.set(account, rows);
    }
    return recent;
  }
}
