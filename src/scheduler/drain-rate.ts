/** How fast requests are answered, and what follows for those that wait: pure bookkeeping over a clock that is handed in. */
import { LRUCache } from 'lru-cache';

/** Milliseconds of work after which what was seen counts only 1/e. */
const memoryMillis = 5_000;

/** Answers a millisecond while there is work; old times fade. */
export class DrainRate {
  private answers = 0;
  private millis = 0;
  /** Answers seen at all. */
  seen = 0;

  /** In `millis` of work `answers` requests were answered. */
  observe(answers: number, millis: number): void {
    const kept = Math.exp(-millis / memoryMillis);
    this.answers = this.answers * kept + answers;
    this.millis = this.millis * kept + millis;
    this.seen += answers;
  }

  /** 0 as long as nothing was answered. */
  get perMilli(): number {
    return this.millis > 0 ? this.answers / this.millis : 0;
  }
}

/** Clients whose refusals are remembered. */
const mostClients = 4096;
/** Said where nothing is known yet, and the most that is said. */
const unknownMillis = 1_000;
const mostMillis = 60_000;

/**
 * When to come back. Each refused request is given the next place that the queue will have at the rate at which it drains, so a crowd that was refused together
 * does not come back together.
 */
export class ReturnTimes {
  /** Client -> the time of the last place given to it. */
  private readonly given = new LRUCache<string, number>({ max: mostClients });

  /** Milliseconds to wait, a whole number of at least 1. @param perMilli places a millisecond that this client can expect */
  next(client: string, now: number, perMilli: number): number {
    if (!(perMilli > 0)) return unknownMillis;
    const place = Math.max(now, this.given.get(client) ?? now) + 1 / perMilli;
    this.given.set(client, Math.min(place, now + mostMillis));
    return Math.min(mostMillis, Math.max(1, Math.ceil(place - now)));
  }
}
