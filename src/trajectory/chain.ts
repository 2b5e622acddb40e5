/** Searches chains of stored answers for what an action looks for. Pure: where the links come from is the caller's. */
import type { Action } from '../debugger/action.js';
import type { DebuggerState } from '../debugger/state.js';
import { type Goal, isSingle } from './goal.js';
import type { Transition } from './transition.js';

/** A state on a chain. */
export interface Place {
  /** Names the place among those of one search. */
  readonly key: string;
  readonly state: DebuggerState;
}

/** A link of a chain: from the place before to this one. */
export interface Hop extends Place {
  /** The question whose answer the link is, of whichever end it was asked. */
  readonly asked: DebuggerState;
  readonly action: Action;
  /** Probability of that answer, 0..1. */
  readonly whole: number;
  /** The answer itself, where the link leads to it (not back from it). */
  readonly transition?: Transition;
  /** Whether this place is known to be the last event of the run (going back: the first), whatever it looks like. */
  readonly isBorder: boolean;
}

/** The links that lead on from a place, the finest first. */
export type Links = (at: Place) => readonly Hop[];

export interface Derivation {
  readonly state: DebuggerState;
  /** Key of the place. */
  readonly key: string;
  /** Events between the two states; 0 where a link of unknown length was crossed. */
  readonly horizon: number;
  /** How many links lead there. */
  readonly links: number;
  /** Product of the probabilities of all links but the last, 0..1. */
  readonly before: number;
  /** The last link. */
  readonly last: Hop;
}

/** Most places that one search looks at. */
export const searchLimit = 16_384;

interface Step {
  readonly hop: Hop;
  readonly links: number;
  readonly horizon: number;
  readonly before: number;
}

/**
 * The first place behind `start` that proves the answer; null where no chain leads there. A link is crossed only where it cannot have skipped the
 * answer, so all chains of a consistent store lead to the same state; each place is looked at once, so circles end.
 */
export function search(goal: Goal, start: Place, linksOf: Links, limit = searchLimit): Derivation | null {
  const seen = new Set([start.key]);
  const open: Step[] = [];
  const expand = (at: Place, links: number, horizon: number, before: number): void => {
    const crossable = linksOf(at).filter(({ asked, action }) => goal.mayCross(asked, action));
    for (const hop of crossable.reverse()) {
      const isKnown = horizon >= 0 && isSingle(hop.asked, hop.action);
      open.push({ hop, links: links + 1, horizon: isKnown ? horizon + 1 : -1, before });
    }
  };
  expand(start, 0, 0, 1);
  for (let step = open.pop(); step !== undefined; step = open.pop()) {
    const { hop, links, horizon, before } = step;
    if (seen.has(hop.key)) continue;
    if (seen.size > limit) return null;
    seen.add(hop.key);
    const verdict = goal.judge(hop.state, hop.isBorder || goal.isBorder(hop.state));
    if (verdict === 'hit')
      return { state: hop.state, key: hop.key, horizon: Math.max(horizon, 0), links, before, last: hop };
    if (verdict === 'pass') expand(hop, links, horizon, before * hop.whole);
  }
  return null;
}
