/** What answers have cost. */
import type { TokenCounts } from '../scheduler/request.js';

/** What an answer has cost. */
export interface Cost {
  readonly counts: TokenCounts;
  readonly queueMillis: number;
  readonly computeMillis: number;
  readonly preemptions: number;
}

export const noTokens: TokenCounts = { cached: 0, new: 0, forced: 0, drafted: 0, accepted: 0 };
export const noCost: Cost = { counts: noTokens, queueMillis: 0, computeMillis: 0, preemptions: 0 };

/** How sure an answer is, and what it has cost. */
export interface Paid {
  readonly logProbability: number;
  readonly cost: Cost;
}

/** Of what needed no question: it is sure, and cost nothing. */
export const unasked: Paid = { logProbability: 0, cost: noCost };

/** What several questions have cost together. */
export function sumOf(a: Cost, b: Cost): Cost {
  const add = (name: keyof TokenCounts): number => a.counts[name] + b.counts[name];
  return {
    counts: {
      cached: add('cached'),
      new: add('new'),
      forced: add('forced'),
      drafted: add('drafted'),
      accepted: add('accepted'),
    },
    queueMillis: a.queueMillis + b.queueMillis,
    computeMillis: a.computeMillis + b.computeMillis,
    preemptions: a.preemptions + b.preemptions,
  };
}

/** The same of answers that depend on each other, with how sure all of them are. */
export const sumOfPaid = (a: Paid, b: Paid): Paid => ({
  logProbability: a.logProbability + b.logProbability,
  cost: sumOf(a.cost, b.cost),
});
