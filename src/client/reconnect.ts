/** How often and when a lost connection is made again: exponential backoff with jitter, so that many clients do not come back at once. */
import { asForetraceError } from '../errors.js';
import type { Link } from './link.js';

export interface ReconnectOptions {
  /** Attempts before the running requests fail with `disconnected`. Default 10. */
  readonly attempts?: number;
  /** Most milliseconds before the first attempt; doubled for each further one. Default 100. */
  readonly firstMillis?: number;
  /** Most milliseconds between two attempts. Default 5,000. */
  readonly mostMillis?: number;
}

const defaults: Required<ReconnectOptions> = { attempts: 10, firstMillis: 100, mostMillis: 5_000 };

export const attemptsOf = ({ attempts = defaults.attempts }: ReconnectOptions): number => attempts;

/** Milliseconds before the attempt with this number, from 0: half of the bound, and a random share of the other half. */
export function backoffMillis(
  attempt: number,
  { firstMillis, mostMillis }: Required<ReconnectOptions>,
  random: () => number = Math.random,
): number {
  const bound = Math.min(mostMillis, firstMillis * 2 ** attempt);
  return (bound / 2) * (1 + random());
}

/** Close codes after which another attempt would end the same way: a frame the server refuses, a policy. */
const finalCodes: ReadonlySet<number> = new Set([1002, 1003, 1007, 1008, 1009]);
export const isFinal = (code: number): boolean => finalCodes.has(code);

/**
 * Tries until `open` succeeds.
 * @param isWanted asked before each attempt; false ends it
 * @throws ForetraceError what the last attempt threw, or the first that is no `disconnected`
 */
export async function reopen(
  open: () => Promise<Link>,
  options: ReconnectOptions,
  isWanted: () => boolean,
): Promise<Link> {
  const resolved = { ...defaults, ...options };
  for (let attempt = 0; ; attempt += 1) {
    await new Promise((resolve) => setTimeout(resolve, backoffMillis(attempt, resolved)));
    try {
      return await open();
    } catch (thrown) {
      const error = asForetraceError(thrown);
      if (error.code !== 'disconnected' || attempt + 1 >= resolved.attempts || !isWanted()) throw error;
    }
  }
}
