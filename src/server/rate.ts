/** How often a client may ask: one token bucket a client, as full as a minute's worth. */
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
    const now = this.now();
    const bucket = this.buckets.get(client) ?? { tokens: this.perMinute, at: now };
    const millisPerToken = 60_000 / this.perMinute;
    bucket.tokens = Math.min(this.perMinute, bucket.tokens + (now - bucket.at) / millisPerToken);
    bucket.at = now;
    this.buckets.set(client, bucket);
    if (bucket.tokens < 1) {
      throw new ForetraceError('rate_limited', 'the client sends too many requests', {
        expected: `at most ${this.perMinute} requests a minute`,
        retryAfterMillis: Math.ceil((1 - bucket.tokens) * millisPerToken),
      });
    }
    bucket.tokens -= 1;
  }
}
