/** The scheduler's statistics as flat numbers by name, for protocols that know only names and numbers. */
import type { HistogramSnapshot } from './metrics.js';
import type { SchedulerStats } from './scheduler.js';

/** Names of counters end in `Total`; everything else may go down. */
export function figuresOf(stats: SchedulerStats): Readonly<Record<string, number>> {
  return {
    queued: stats.queued,
    queuedInteractive: stats.queuedByPriority.interactive,
    queuedBatch: stats.queuedByPriority.batch,
    running: stats.running,
    draining: Number(stats.draining),
    submittedTotal: stats.submitted,
    joinedTotal: stats.joined,
    answersModelTotal: stats.endings.model,
    answersCacheTotal: stats.endings.cache,
    cancelledTotal: stats.endings.cancelled,
    rejectedTotal: stats.endings.rejected,
    failedTotal: stats.endings.failed,
    stepsTotal: stats.steps,
    iterationsTotal: stats.iterations,
    rowsTotal: stats.rows,
    preemptionsTotal: stats.preemptions,
    engineFailuresTotal: stats.engineFailures,
    promptTokensCachedTotal: stats.tokens.cached,
    promptTokensComputedTotal: stats.tokens.computed,
    generatedTokensTotal: stats.tokens.generated,
    forcedTokensTotal: stats.tokens.forced,
    storedTokensTotal: stats.tokens.stored,
    cachedShare: stats.cachedShare,
    javascriptShare: stats.javascriptShare,
    storeEntries: stats.store.entries,
    storeBytes: stats.store.bytes,
    storeHitsTotal: stats.store.hits,
    storeMissesTotal: stats.store.misses,
    storeEvictionsTotal: stats.store.evictions,
    grammars: stats.grammars.registered,
    rowsPerStepMean: mean(stats.rowsPerStep),
    stepMicrosMean: mean(stats.stepMicros),
    queueMillisMean: mean(stats.queueMillis),
    computeMillisMean: mean(stats.computeMillis),
  };
}

function mean(histogram: HistogramSnapshot): number {
  return histogram.count === 0 ? 0 : histogram.sum / histogram.count;
}
