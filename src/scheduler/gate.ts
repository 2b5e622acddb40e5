/**
 * Which requests are taken at all: malformed ones, ones that can never run, ones too many and ones too late are refused before anything is done for
 * them, those that may succeed later with the time after which they may.
 */
import { ForetraceError } from '../errors.js';
import type { EngineInfo } from '../native/addon-types.js';
import type { DrainRate, ReturnTimes } from './drain-rate.js';
import type { ResolvedOptions } from './options.js';
import type { GenerationRequest } from './request.js';

/** What waits, as far as it decides about the next request. */
export interface QueueFigures {
  readonly queued: number;
  /** Of the request's client. */
  readonly queuedOfClient: number;
  /** Clients that wait, the request's included. */
  readonly clients: number;
}

/** Why the request makes no sense or does not fit into the engine, or null. */
export function misfitOf(
  request: GenerationRequest,
  pages: number,
  { maxContext, pages: allPages }: EngineInfo,
): ForetraceError | null {
  const { prompt, sharedTokens, maxNewTokens, deadlineMillis = 0 } = request;
  if (prompt.length === 0) return wrong('prompt', 'at least one token', 'none');
  if (!Number.isInteger(maxNewTokens) || maxNewTokens < 1) {
    return wrong('maxNewTokens', 'a positive integer', String(maxNewTokens));
  }
  if (!Number.isInteger(sharedTokens) || sharedTokens < 0 || sharedTokens > prompt.length) {
    return wrong('sharedTokens', `an integer from 0 to ${prompt.length}`, String(sharedTokens));
  }
  if (Number.isNaN(deadlineMillis)) return wrong('deadlineMillis', 'a number', 'NaN');
  if (prompt.length + maxNewTokens > maxContext) {
    return new ForetraceError(
      'context_too_long',
      'Prompt and answer do not fit into the context of the model',
      { expected: `at most ${maxContext} tokens`, actual: `${prompt.length} + ${maxNewTokens}` },
    );
  }
  if (pages <= allPages) return null;
  return new ForetraceError('out_of_pages', 'The request is larger than the KV pool', {
    expected: `at most ${allPages} pages`,
    actual: `${pages}`,
  });
}

/** Answers seen before the rate at which they come is taken for granted. */
const enoughSeen = 64;

/**
 * Whether one more may wait. A client may have as many waiting as there are places left (Choudhury and Hahne's dynamic thresholds): alone it fills half of the
 * queue, and whoever comes then still finds room. Once the rate of answers is known, a queue is also full that would take too long.
 */
export function overloadOf(
  { queued, queuedOfClient, clients }: QueueFigures,
  drain: DrainRate,
  { maxQueued, maxQueuedPerClient, maxQueueMillis, maxRunning }: ResolvedOptions,
  retryAfterMillis: () => number,
): ForetraceError | null {
  const overloaded = (expected: string, actual: string): ForetraceError =>
    new ForetraceError('overloaded', 'Too many requests wait', {
      expected,
      actual,
      retryAfterMillis: retryAfterMillis(),
    });
  if (queued >= maxQueued) return overloaded(`fewer than ${maxQueued}`, `${queued}`);
  const most = Math.min(maxQueuedPerClient, maxQueued - queued);
  if (queuedOfClient >= most) return overloaded(`fewer than ${most} of one client`, `${queuedOfClient}`);
  if (drain.seen < enoughSeen || queuedOfClient < maxRunning) return null;
  const expected = ((queuedOfClient + 1) * clients) / drain.perMilli;
  if (!(expected > maxQueueMillis)) return null;
  return overloaded(`an answer within ${maxQueueMillis} ms`, `about ${Math.round(expected)} ms`);
}

/** Milliseconds until a place is free, at a client's part of the rate at which answers come. */
export function returnAfter(
  times: ReturnTimes,
  client: string,
  now: number,
  { clients }: QueueFigures,
  drain: DrainRate,
): number {
  return times.next(client, now, drain.perMilli / Math.max(1, clients));
}

/**
 * Whether the answer cannot come in time: its time is over already, or the requests that the same client has waiting would take longer even if the whole
 * service answered nothing but them.
 */
export function hopelessnessOf(
  { deadlineMillis = Number.POSITIVE_INFINITY }: GenerationRequest,
  { queuedOfClient }: QueueFigures,
  drain: DrainRate,
): ForetraceError | null {
  const rate = drain.seen < enoughSeen ? 0 : drain.perMilli;
  const least = rate > 0 ? queuedOfClient / rate : 0;
  if (deadlineMillis > least) return null;
  return new ForetraceError('deadline_exceeded', 'The answer cannot come in time', {
    expected: `more than ${Math.ceil(least)} ms`,
    actual: `${Math.floor(deadlineMillis)} ms`,
    ...(least > 0 ? { retryAfterMillis: Math.ceil(least) } : {}),
  });
}

function wrong(name: string, expected: string, actual: string): ForetraceError {
  return new ForetraceError('invalid_argument', `Generation request: ${name}`, { expected, actual });
}
