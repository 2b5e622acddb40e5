/**
 * How much a client may ask: one token bucket a client, as full as a minute's worth. A request takes one token; what it turns out to have cost
 * beyond that is charged afterwards, so a bucket may go below zero and the client then waits for longer.
 */
import { LRUCache } from 'lru-cache';
import { ForetraceError } from '../errors.js';

interface Bucket {
  tokens: number;
  /** When `tokens` was right, in milliseconds of the clock. */
  at: number;
}

/** Clients remembered; one that was not seen for so long that it fell out has a full bucket anyway. */
const maxClients = 50_000;

export class RateLimiter {
  private readonly buckets = new LRUCache<string, Bucket>({ max: maxClients });

  constructor(
    private readonly perMinute: number,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Counts one request. @throws ForetraceError rate_limited, with the time until the next one is let in */
  take(client: string): void {
    const bucket = this.bucketOf(client);
    if (bucket.tokens < 1) {
      throw new ForetraceError('rate_limited', 'the client asks for too much', {
        expected: `at most ${this.perMinute} predictions or requests a minute`,
        retryAfterMillis: Math.ceil((1 - bucket.tokens) * this.millisPerToken),
      });
    }
    bucket.tokens -= 1;
  }

  /** Counts what a request has cost beyond the token it took; nothing for costs of 0 and below. */
  charge(client: string, cost: number): void {
    if (cost > 0) this.bucketOf(client).tokens -= cost;
  }

  private get millisPerToken(): number {
    return 60_000 / this.perMinute;
  }

  private bucketOf(client: string): Bucket {
    const now = this.now();
    const bucket = this.buckets.get(client) ?? { tokens: this.perMinute, at: now };
    bucket.tokens = Math.min(this.perMinute, bucket.tokens + (now - bucket.at) / this.millisPerToken);
    bucket.at = now;
    this.buckets.set(client, bucket);
    return bucket;
  }
}
