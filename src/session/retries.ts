/**
 * Requests that may be sent again because a connection was lost before their answer came. Each has a key of its own: what was done is found
 * again, what runs is waited for, what failed or was cancelled is begun anew. Bounded: the oldest answers are forgotten first.
 */
import { createHash } from 'node:crypto';
import { ForetraceError } from '../errors.js';

export interface RetryBounds {
  /** Answered requests that are remembered. */
  readonly maxEntries: number;
  /** What the answers may weigh together, in the unit of `weigh`. */
  readonly maxWeight: number;
}

export interface KeyedRequest<Result> {
  /** Empty: a request that is never sent again. */
  readonly key: string;
  /** All that determines the request; the same key with another question is a mistake. */
  readonly question: unknown;
  run(): Promise<Result> | Result;
  weigh?(result: Result): number;
}

interface Entry {
  readonly question: string;
  readonly result: unknown;
  readonly weight: number;
}

interface Running {
  readonly question: string;
  /** Resolves when the request has ended, however. */
  readonly ended: Promise<void>;
}

export const shortestKey = 16;
export const longestKey = 128;

/** @throws ForetraceError invalid_message */
export function checkKey(key: string): void {
  if (key === '' || (key.length >= shortestKey && key.length <= longestKey)) return;
  throw new ForetraceError('invalid_message', 'the idempotency key is too short or too long', {
    expected: `${shortestKey} to ${longestKey} random characters`,
    actual: `${key.length} characters`,
  });
}

export class RetryLedger {
  private readonly done = new Map<string, Entry>();
  private readonly running = new Map<string, Running>();
  private weight = 0;

  constructor(private readonly bounds: RetryBounds) {}

  /** What the remembered answers weigh together. */
  get held(): number {
    return this.weight;
  }

  /**
   * The answer to a request, computed once however often it is sent.
   * @throws ForetraceError invalid_message for a key that names another request, and what `run` throws
   */
  once<Result>(request: KeyedRequest<Result>): Promise<Result> | Result {
    if (request.key === '') return request.run();
    const question = createHash('sha256').update(JSON.stringify(request.question)).digest('base64url');
    const found = this.done.get(request.key);
    if (found !== undefined) {
      assertSame(found.question, question);
      return found.result as Result;
    }
    const running = this.running.get(request.key);
    if (running === undefined) return this.begin(request, question);
    assertSame(running.question, question);
    return running.ended.then(() => this.once(request));
  }

  /** Forgets an answer that is of no use any more. */
  forget(key: string): void {
    const entry = this.done.get(key);
    if (entry === undefined) return;
    this.done.delete(key);
    this.weight -= entry.weight;
  }

  private begin<Result>(request: KeyedRequest<Result>, question: string): Promise<Result> | Result {
    const result = request.run();
    if (!(result instanceof Promise)) {
      this.keep(request, question, result);
      return result;
    }
    const ended = result.then(
      (answer) => this.keep(request, question, answer),
      () => undefined,
    );
    this.running.set(request.key, { question, ended: ended.finally(() => this.running.delete(request.key)) });
    return result;
  }

  private keep<Result>({ key, weigh }: KeyedRequest<Result>, question: string, result: Result): void {
    const weight = weigh?.(result) ?? 1;
    this.done.set(key, { question, result, weight });
    this.weight += weight;
    for (const oldest of this.done.keys()) {
      const fits = this.done.size <= this.bounds.maxEntries && this.weight <= this.bounds.maxWeight;
      // The newest stays whatever it weighs: it is the one that may have been lost on its way.
      if (fits || oldest === key) break;
      this.forget(oldest);
    }
  }
}

function assertSame(known: string, asked: string): void {
  if (known === asked) return;
  throw new ForetraceError('invalid_message', 'the idempotency key names another request', {
    expected: 'a key of its own for each request',
    actual: 'a key that a different request has',
  });
}
