/** What several predictions together have cost, and where they came from. */
import { type Cost, noCost, sumOf } from './cost.js';
import type { StepReply } from './step.js';

/** Where the predictions behind an answer came from. */
export interface StepOrigins {
  readonly model: number;
  readonly cache: number;
}

export interface Spent extends Cost {
  readonly steps: StepOrigins;
}

export const nothingSpent: Spent = { ...noCost, steps: { model: 0, cache: 0 } };

export function spentOn({ origin, counts, queueMillis, computeMillis, preemptions }: StepReply): Spent {
  const steps = { model: Number(origin === 'model'), cache: Number(origin === 'cache') };
  return { counts, queueMillis, computeMillis, preemptions, steps };
}

export const spentTogether = (a: Spent, b: Spent): Spent => ({
  ...sumOf(a, b),
  steps: { model: a.steps.model + b.steps.model, cache: a.steps.cache + b.steps.cache },
});
