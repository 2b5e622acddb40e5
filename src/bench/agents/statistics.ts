/** Percentiles over all samples, and fairness. Pure. */

export interface Percentiles {
  readonly n: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly mean: number;
  readonly max: number;
}

/**
 * Percentiles by the nearest rank: the smallest sample that at least this share of all samples does not exceed. Every sample counts, nothing
 * is put into buckets. Without samples all are 0.
 */
export function percentilesOf(samples: readonly number[]): Percentiles {
  const sorted = Float64Array.from(samples).sort();
  const n = sorted.length;
  const at = (share: number): number => sorted[Math.max(0, Math.ceil(share * n) - 1)] ?? 0;
  const sum = sorted.reduce((total, value) => total + value, 0);
  return { n, p50: at(0.5), p95: at(0.95), p99: at(0.99), mean: n === 0 ? 0 : sum / n, max: at(1) };
}

/**
 * Fairness of an allocation, from 1 / n (one has all) to 1 (all have the same); 1 where there is nothing to share.
 * Jain, Chiu and Hawe, "A quantitative measure of fairness and discrimination for resource allocation in shared computer systems", DEC-TR-301, 1984.
 */
export function jainIndex(shares: readonly number[]): number {
  const sum = shares.reduce((total, share) => total + share, 0);
  const squares = shares.reduce((total, share) => total + share * share, 0);
  return squares === 0 ? 1 : (sum * sum) / (shares.length * squares);
}
