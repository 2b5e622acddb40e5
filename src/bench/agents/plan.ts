/** Which phases a load test has. Pure. */
import type { PhaseReport } from './phase.js';
import type { PhasePlan } from './run.js';

export interface PlanFlags {
  readonly phases: readonly string[];
  readonly turns: number;
  readonly warmRounds: number;
  readonly rate?: number;
  /** Token turns are never stored: they have one phase. */
  readonly isRaw: boolean;
}

export function phasePlans({ phases, turns, warmRounds, rate, isRaw }: PlanFlags): PhasePlan[] {
  const paced = rate === undefined ? {} : { rate };
  if (isRaw) return [{ name: 'raw', turns, ...paced }];
  return phases.map((name) => ({ name, turns: name === 'warm' ? turns * warmRounds : turns, ...paced }));
}

/** From idle to past what the service has been seen to do. */
const shares = [0.1, 0.25, 0.4, 0.55, 0.7, 0.8, 0.9, 1, 1.1];

/** Rates of a load curve: parts of the speed of a closed loop, rounded to two digits. */
export const loadRates = ({ turns_per_s }: PhaseReport): number[] => [
  ...new Set(shares.map((share) => Math.max(1, Number((share * turns_per_s).toPrecision(2))))),
];

/** Turns of each agent, so that the point lasts `seconds`. */
export const loadTurns = (rate: number, seconds: number, agents: number): number =>
  Math.max(1, Math.ceil((rate * seconds) / agents));
