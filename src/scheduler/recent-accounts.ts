/** What the clients that were served lately asked of the model, and when they are expected back: bookkeeping over a clock that is handed in. */
import { LRUCache } from 'lru-cache';
import type { Account, RecentAccount } from './work.js';

/** Milliseconds for which a client is remembered after it was last served. */
const memoryMillis = 10_000;
/** Part of the latest answer, or pause, in the mean. */
const latestShare = 0.25;
/** A client is expected back within so many of its usual pauses, or after so many milliseconds: who asks in quick succession may be held up. */
const expectedPauses = 4;
const leastExpectedMillis = 20;
const mostAccounts = 256;
/** Milliseconds after which what was served counts half. */
const halfLife = 1_500;
/** Half-lives after which the unit of `served` is made anew: far from the largest number. */
const mostHalfLives = 500;

/** A mean in which the latest counts most; undefined before the first. */
const meanWith = (mean: number | undefined, latest: number): number =>
  mean === undefined ? latest : mean + latestShare * (latest - mean);

class Entry implements RecentAccount {
  served = 0;
  servedBefore = 0;
  private answerMean: number | undefined;
  private pauseMean: number | undefined;
  /** Time of its last answer, if it was served nothing since. */
  private answeredAt: number | undefined;

  /** @param at when it was last served */
  constructor(public at: number) {}

  get answerRows(): number {
    return this.answerMean ?? Number.POSITIVE_INFINITY;
  }

  get expectedUntil(): number {
    const pauses = this.pauseMean === undefined ? memoryMillis : expectedPauses * this.pauseMean;
    return this.at + Math.max(leastExpectedMillis, pauses);
  }

  answer(rows: number, now: number): void {
    this.answerMean = meanWith(this.answerMean, rows);
    this.answeredAt = now;
    this.servedBefore = this.served;
  }

  serve(weight: number, now: number): void {
    this.served += weight;
    if (this.answeredAt === undefined) return;
    this.pauseMean = meanWith(this.pauseMean, now - this.answeredAt);
    this.answeredAt = undefined;
  }
}

export class RecentAccounts {
  private readonly entries = new LRUCache<Account, Entry>({ max: mostAccounts });
  /** What was seen last, and until when nothing of it is too old; every step looks, few bring somebody new. */
  private seen = new Map<Account, RecentAccount>();
  private seenUntil = Number.POSITIVE_INFINITY;
  /** When a row counted 1. Later ones count more instead of earlier ones less (forward decay; Cormode et al., ICDE 2009). */
  private landmark = 0;

  /** A pass has cost the account as much as `rows` rows. */
  serve(account: Account, rows: number, now: number): void {
    if (now - this.landmark > mostHalfLives * halfLife) this.moveLandmark(now);
    this.touch(account, now).serve(rows * 2 ** ((now - this.landmark) / halfLife), now);
  }

  /** The account had an answer whose passes would alone have cost as much as one pass of `rows` rows. */
  answer(account: Account, rows: number, now: number): void {
    this.touch(account, now).answer(rows, now);
  }

  /** Those that were served lately. */
  view(now: number): ReadonlyMap<Account, RecentAccount> {
    if (now <= this.seenUntil) return this.seen;
    this.seen = new Map();
    this.seenUntil = Number.POSITIVE_INFINITY;
    // Latest first.
    for (const [account, entry] of this.entries.entries()) {
      if (now - entry.at > memoryMillis) break;
      this.seen.set(account, entry);
      this.seenUntil = entry.at + memoryMillis;
    }
    return this.seen;
  }

  private touch(account: Account, now: number): Entry {
    const known = this.entries.get(account);
    if (known !== undefined && now - known.at <= memoryMillis) {
      known.at = now;
      return known;
    }
    const entry = new Entry(now);
    this.entries.set(account, entry);
    this.seenUntil = Number.NEGATIVE_INFINITY;
    return entry;
  }

  private moveLandmark(now: number): void {
    const factor = 2 ** ((this.landmark - now) / halfLife);
    for (const entry of this.entries.values()) {
      entry.served *= factor;
      entry.servedBefore *= factor;
    }
    this.landmark = now;
  }
}
