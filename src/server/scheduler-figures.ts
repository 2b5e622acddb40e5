/** The scheduler's statistics as plain figures by metric name; counters end in `_total`. */
import type { SchedulerStats } from '../scheduler/index.js';
import type { LookAheadStats } from '../session/look-ahead.js';
import type { TrajectoryStats } from '../trajectory/index.js';
import type { SchedulerFigures } from './metrics.js';

export function schedulerFigures(stats: SchedulerStats): SchedulerFigures {
  const endings = Object.entries(stats.endings).map(
    ([name, count]) => [`requests_${name}_total`, count] as const,
  );
  const tokens = Object.entries(stats.tokens).map(
    ([name, count]) => [`tokens_${name}_total`, count] as const,
  );
  return {
    queued: stats.queued,
    running: stats.running,
    submitted_total: stats.submitted,
    joined_total: stats.joined,
    ...Object.fromEntries(endings),
    ...Object.fromEntries(tokens),
    ahead_submitted_total: stats.ahead.submitted,
    ahead_answered_total: stats.ahead.answered,
    ahead_gave_way_total: stats.ahead.gaveWay,
    ahead_failed_total: stats.ahead.failed,
    ahead_joined_total: stats.ahead.joined,
    row_budget: stats.rowBudget,
    answers_per_second: stats.answersPerSecond,
    steps_total: stats.steps,
    iterations_total: stats.iterations,
    rows_total: stats.rows,
    preemptions_total: stats.preemptions,
    engine_failures_total: stats.engineFailures,
    cached_share: stats.cachedShare,
    javascript_share: stats.javascriptShare,
    queue_millis_total: stats.queueMillis.sum,
    compute_millis_total: stats.computeMillis.sum,
    store_answers: stats.store.entries,
    store_bytes: stats.store.bytes,
    store_hits_total: stats.store.hits,
    store_misses_total: stats.store.misses,
    store_evictions_total: stats.store.evictions,
    grammars: stats.grammars.registered,
  };
}

/** The trajectory store's statistics likewise. */
export const trajectoryFigures = (stats: TrajectoryStats): SchedulerFigures => ({
  states: stats.states,
  transitions: stats.transitions,
  bytes: stats.bytes,
  max_bytes: stats.maxBytes,
  lookups_total: stats.lookups,
  hits_total: stats.hits,
  hit_rate: stats.lookups === 0 ? 0 : stats.hits / stats.lookups,
  evicted_states_total: stats.evictedStates,
  ahead_transitions_total: stats.aheadTransitions,
  ahead_used_total: stats.aheadUsed,
  ahead_hits_total: stats.aheadHits,
  ahead_hit_share: stats.hits === 0 ? 0 : stats.aheadHits / stats.hits,
});

/** What looking ahead has come to: questions that came up, and what became of them. */
export const lookAheadFigures = (stats: LookAheadStats): SchedulerFigures => ({
  ahead_pending: stats.pending,
  ahead_running: stats.running,
  ahead_visited_total: stats.visited,
  ahead_predicted_total: stats.predicted,
  ahead_skipped_total: stats.skipped,
  ahead_forgotten_total: stats.forgotten,
});
