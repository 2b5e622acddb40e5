/**
 * Going back by running again: the program is stepped through forward, in predictions, up to the state that was asked about, as record-and-replay
 * debuggers do. Forward is what the model does best, and a run that comes to that very state is proof enough of what lies before it.
 */
import type { Action } from '../debugger/action.js';
import { withoutWay } from '../debugger/in-flight.js';
import { isAtEnd } from '../debugger/navigate.js';
import type { DebuggerState } from '../debugger/state.js';
import {
  type DerivedState,
  deriveAlong,
  knownEntry,
  type Run,
  singleStep,
  stateKey,
  type Transition,
} from '../trajectory/index.js';
import { nothingSpent, type Spent, spentOn, spentTogether } from './spent.js';
import { leadsNowhere, type Traveller } from './ways.js';

/** Longer runs are hardly ever right to their end: they would be in vain. */
const longestRun = 128;

export interface Rerun {
  /** null: no run comes to the state, or the answer does not lie on it. */
  readonly found: DerivedState | null;
  readonly spent: Spent;
}

/**
 * The answer to a reverse action asked of `state`, by a run from the entry or else from the predicted call of the current frame.
 * @param call that prediction, if it has been made
 * @throws ForetraceError what a prediction throws
 */
export async function rerun(
  traveller: Traveller,
  state: DebuggerState,
  action: Action,
  maxSteps: number,
  call?: DebuggerState,
): Promise<Rerun> {
  const runner = new Runner(traveller, state, Math.min(maxSteps, longestRun));
  const found = (await runner.fromEntry(action)) ?? (await runner.fromCall(action, call));
  return { found, spent: runner.spent };
}

/** The same by a run from the entry alone. @throws ForetraceError what a prediction throws */
export async function rerunFromEntry(
  traveller: Traveller,
  state: DebuggerState,
  action: Action,
  maxSteps: number,
): Promise<Rerun> {
  const runner = new Runner(traveller, state, Math.min(maxSteps, longestRun));
  const found = await runner.fromEntry(action);
  return { found, spent: runner.spent };
}

class Runner {
  spent = nothingSpent;
  private readonly seen = new Set<string>();

  constructor(
    private readonly traveller: Traveller,
    private readonly goal: DebuggerState,
    private readonly maxSteps: number,
  ) {}

  async fromEntry(action: Action): Promise<DerivedState | null> {
    const known = knownEntry(this.traveller.program);
    const first = known ?? (await this.step(null, singleStep('forward')))?.state;
    return first ? this.from(first, true, action) : null;
  }

  async fromCall(action: Action, predicted?: DebuggerState): Promise<DerivedState | null> {
    if (this.goal.event === 'call') return null;
    const call = predicted ?? (await this.step(this.goal, { kind: 'inv_step_call', lines: [] }))?.state;
    return call?.event === 'call' ? this.from(call, false, action) : null;
  }

  private async from(
    first: DebuggerState,
    isFromEntry: boolean,
    action: Action,
  ): Promise<DerivedState | null> {
    const steps = await this.stepsFrom(first);
    if (steps === null) return null;
    return deriveAlong(this.traveller.program, { first, steps, isFromEntry }, action);
  }

  /** null: they end, go in a circle, meet an earlier run in vain, or take too long before they come to the goal. */
  private async stepsFrom(first: DebuggerState): Promise<Run['steps'] | null> {
    const steps: Transition[] = [];
    for (let at = first; !this.isGoal(at); ) {
      const isInVain = this.seen.has(stateKey(at)) || steps.length >= this.maxSteps;
      if (isInVain || isAtEnd(at, this.traveller.program)) return null;
      this.seen.add(stateKey(at));
      const next = await this.step(at, singleStep('forward'));
      if (next === null) return null;
      steps.push(next);
      at = next.state;
    }
    return steps;
  }

  /** Of a goal the way may not be known, where that of the run is. */
  private isGoal(at: DebuggerState): boolean {
    const key = stateKey(this.goal);
    return stateKey(at) === key || stateKey(withoutWay(at)) === key;
  }

  /** null: the question does not fit the model. */
  private async step(from: DebuggerState | null, by: Action): Promise<Transition | null> {
    try {
      const reply = await this.traveller.step(from, by);
      this.spent = spentTogether(this.spent, spentOn(reply));
      return reply.transition;
    } catch (error) {
      if (leadsNowhere(error)) return null;
      throw error;
    }
  }
}
