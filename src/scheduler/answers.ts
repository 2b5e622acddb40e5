/**
 * Giving tokens, answers and errors to listeners. A listener is settled exactly once; what its callback throws is its own error and
 * disturbs nobody else.
 */
import { asForetraceError, type ForetraceError } from '../errors.js';
import type { Job, Listener } from './job.js';
import type { Metrics } from './metrics.js';
import type { GeneratedTokens, GenerationRequest, GenerationResult } from './request.js';
import type { StoredAnswer } from './trajectory-store.js';

/** Hands a run of tokens to everybody who listens. */
export function deliver(job: Job, run: GeneratedTokens, metrics: Metrics): void {
  for (const listener of [...job.listeners]) {
    if (job.listeners.includes(listener)) deliverTo(job, listener, run, metrics);
  }
}

/** Hands a run of tokens to one listener; one whose callback throws leaves with that error. */
export function deliverTo(job: Job, listener: Listener, run: GeneratedTokens, metrics: Metrics): void {
  try {
    listener.request.onTokens?.(run);
  } catch (error) {
    if (removeListener(job, listener)) {
      metrics.ended(job.priority, 'failed');
      listener.reject(asForetraceError(error));
    }
  }
}

/** Takes a listener off the job; false if it was settled already. */
export function removeListener(job: Job, listener: Listener): boolean {
  const index = job.listeners.indexOf(listener);
  if (index < 0) return false;
  job.listeners.splice(index, 1);
  listener.detach();
  return true;
}

const endingOf = ({ code }: ForetraceError): 'failed' | 'cancelled' | 'expired' =>
  code === 'cancelled' ? 'cancelled' : code === 'deadline_exceeded' ? 'expired' : 'failed';

/** Rejects everybody who still listens. */
export function rejectAll(job: Job, error: ForetraceError, metrics: Metrics): void {
  for (const listener of job.listeners.splice(0)) {
    listener.detach();
    metrics.ended(job.priority, endingOf(error));
    listener.reject(error);
  }
}

/** Resolves everybody who still listens; each gets arrays of its own. */
export function resolveAll(job: Job, finish: 'finished' | 'length', now: number, metrics: Metrics): void {
  for (const listener of job.listeners.splice(0)) {
    listener.detach();
    // Who joined late waited for the rest only.
    const queueMillis = job.waited(now) - listener.waitedBefore;
    const computeMillis = Math.max(0, now - listener.submittedAt - queueMillis);
    metrics.ended(job.priority, 'model');
    if (job.priority !== 'ahead') {
      metrics.queueMillis.observe(queueMillis);
      metrics.computeMillis.observe(computeMillis);
    }
    listener.resolve({
      ...job.generated.copy(),
      origin: 'model',
      finish,
      counts: {
        cached: job.cachedTokens,
        new: job.computedTokens + job.generated.length,
        forced: job.generated.forcedCount,
        drafted: job.draftedTokens,
        accepted: job.acceptedTokens,
      },
      queueMillis,
      computeMillis,
      preemptions: job.preemptions,
    });
  }
}

/** A stored answer as a result: nothing of the prompt had to be computed, nothing was generated. Throws what `onTokens` throws. */
export function answerFromStore(request: GenerationRequest, stored: StoredAnswer): GenerationResult {
  const { tokens, logProbabilities, forced, finish } = stored;
  if (tokens.length > 0) {
    request.onTokens?.({
      tokens: tokens.slice(),
      logProbabilities: logProbabilities.slice(),
      forced: forced.slice(),
    });
  }
  return {
    tokens,
    logProbabilities,
    forced,
    origin: 'cache',
    finish,
    counts: { cached: request.prompt.length, new: 0, forced: 0, drafted: 0, accepted: 0 },
    queueMillis: 0,
    computeMillis: 0,
    preemptions: 0,
  };
}
