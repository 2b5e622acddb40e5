/** Which forward passes a benchmark of the engine measures. */
import type { BenchWorkload } from '../native/addon-types.js';

export type Workload = Omit<BenchWorkload, 'seconds'>;

export interface WorkloadLists {
  /** Sequences that decode together. */
  batch: readonly number[];
  /** Tokens the sequences have when they decode. */
  context: readonly number[];
  /** Tokens of a prefill. */
  prefill: readonly number[];
}

/** Every prefill, then every decode; more than one sequence with separate and with shared prefixes. */
export function workloadsOf({ batch, context, prefill }: WorkloadLists): Workload[] {
  const prefills = prefill.map(
    (tokens): Workload => ({ phase: 'prefill', batch: 1, context: tokens, shared: false }),
  );
  const decodes = context.flatMap((tokens) =>
    batch.flatMap((count): Workload[] => {
      const separate: Workload = { phase: 'decode', batch: count, context: tokens, shared: false };
      return count > 1 ? [separate, { ...separate, shared: true }] : [separate];
    }),
  );
  return [...prefills, ...decodes];
}

/** Most tokens of a KV page; a sequence may leave almost a whole one unused. */
const pageTokens = 16;

/** Tokens of the KV pool that a workload needs. */
export const poolTokens = ({ phase, batch, context, shared }: Workload): number =>
  phase === 'prefill'
    ? context + pageTokens
    : shared
      ? context + pageTokens * (batch + 1)
      : (context + 2 * pageTokens) * batch;

/** Rows of one forward pass. */
export const rowsOf = ({ phase, batch, context }: Workload): number =>
  phase === 'prefill' ? context : batch;

/** The highest position a workload computes: a decode starts on a page of its own. */
export const lastPosition = ({ phase, context }: Workload): number =>
  phase === 'prefill' ? context - 1 : Math.ceil(context / pageTokens) * pageTokens;
