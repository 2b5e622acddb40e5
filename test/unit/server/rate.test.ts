import { describe, expect, it } from 'vitest';
import { ForetraceError } from '../../../src/errors.js';
import { bearerKey, KeyRing } from '../../../src/server/auth.js';
import { RateLimiter } from '../../../src/server/rate.js';

it('an empty API key would let everybody in', () => {
  expect(() => new KeyRing(['alpha', ''])).toThrow(ForetraceError);
});

describe('the rate limiter', () => {
  let now = 0;
  const refusal = (limiter: RateLimiter, client: string): ForetraceError | null => {
    try {
      limiter.take(client);
      return null;
    } catch (error) {
      return error as ForetraceError;
    }
  };

  it('lets a minute of requests in at once, then as many as the time allows', () => {
    const limiter = new RateLimiter(60, () => now);
    for (let count = 0; count < 60; count += 1) expect(refusal(limiter, 'a')).toBeNull();
    expect(refusal(limiter, 'a')).toMatchObject({
      code: 'rate_limited',
      retryable: true,
      details: { retryAfterMillis: 1000 },
    });
    now += 400;
    expect(refusal(limiter, 'a')?.details.retryAfterMillis).toBe(600);
    now += 600;
    expect(refusal(limiter, 'a')).toBeNull();
    expect(refusal(limiter, 'a')).not.toBeNull();
    now += 3_600_000;
    for (let count = 0; count < 60; count += 1) expect(refusal(limiter, 'a')).toBeNull();
    expect(refusal(limiter, 'a')).not.toBeNull();
  });

  it('counts every client for itself', () => {
    const limiter = new RateLimiter(1, () => now);
    expect([refusal(limiter, 'a'), refusal(limiter, 'b')]).toEqual([null, null]);
    expect(refusal(limiter, 'a')?.code).toBe('rate_limited');
  });
});

describe('keys', () => {
  it('name an account without naming the key', () => {
    const ring = new KeyRing(['secret', 'other']);
    expect(ring.account('secret')).toBe(ring.account('secret'));
    expect(ring.account('secret')).not.toBe(ring.account('other'));
    expect(ring.account('secret')).not.toContain('secret');
    for (const key of ['', 'Secret', 'secret ', 'x']) expect(() => ring.account(key)).toThrow(ForetraceError);
    expect([ring.required, new KeyRing([]).required]).toEqual([true, false]);
  });

  it.each([
    ['Bearer abc', 'abc'],
    ['bearer  abc ', 'abc'],
    ['Basic abc', ''],
    ['Bearer', ''],
    [undefined, ''],
  ])('%s', (header, key) => {
    expect(bearerKey(header)).toBe(key);
  });
});
