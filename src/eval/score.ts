/** Compares a predicted state with the true one, part by part, and adds up. Pure. */
import { currentFrame, type DebuggerState } from '../debugger/state.js';
import { type Interval, wilson } from './statistics.js';

/** Parts of one transition that were right; `changed` counts locals and values that differ from the state before. */
export interface Score {
  readonly event: boolean;
  readonly line: boolean;
  /** All locals of the current frame, and the value of a return or exception. */
  readonly locals: boolean;
  readonly exact: boolean;
  readonly changed: number;
  readonly changedRight: number;
}

const sameLocals = (a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean =>
  a.size === b.size && [...a].every(([name, value]) => b.get(name) === value);

/** The locals the current frame had before: nothing if it is another frame. */
function localsBefore(before: DebuggerState, after: DebuggerState): ReadonlyMap<string, string> {
  return before.frames.length >= after.frames.length
    ? (before.frames[after.frames.length - 1]?.locals ?? new Map())
    : new Map();
}

/** A local or a value of the true state that was not there before. */
export interface Change {
  /** The local; null: the value of a return or exception. */
  readonly name: string | null;
  /** Canonical repr. */
  readonly value: string;
}

/** What changes from `before` to `truth` in the current frame of `truth`: locals in their order, then the value. */
export function changesOf(before: DebuggerState, truth: DebuggerState): Change[] {
  const old = localsBefore(before, truth);
  const changes: Change[] = [];
  for (const [name, value] of currentFrame(truth).locals) {
    if (old.get(name) !== value) changes.push({ name, value });
  }
  if (truth.value !== undefined) changes.push({ name: null, value: truth.value });
  return changes;
}

/** Whether `state` shows the change. */
export const shows = (state: DebuggerState, { name, value }: Change): boolean =>
  (name === null ? state.value : currentFrame(state).locals.get(name)) === value;

export function scoreState(before: DebuggerState, truth: DebuggerState, predicted: DebuggerState): Score {
  const actual = currentFrame(truth);
  const guess = currentFrame(predicted);
  const event = truth.event === predicted.event;
  const line = actual.line === guess.line;
  const locals = sameLocals(actual.locals, guess.locals) && truth.value === predicted.value;
  const changes = changesOf(before, truth);
  return {
    event,
    line,
    locals,
    exact: event && line && locals,
    changed: changes.length,
    changedRight: changes.filter((change) => shows(predicted, change)).length,
  };
}

/** Shares in 0..1 over n transitions; `changed` is the share of changed locals and values that were right. */
export interface Summary {
  readonly n: number;
  readonly exact: number;
  /** Wilson, 95 %. */
  readonly exact_interval: Interval;
  readonly event: number;
  readonly line: number;
  readonly locals: number;
  readonly changed: number;
  readonly changed_n: number;
}

export class Tally {
  private n = 0;
  private exact = 0;
  private event = 0;
  private line = 0;
  private locals = 0;
  private changed = 0;
  private changedRight = 0;

  add(score: Score): void {
    this.n += 1;
    this.exact += Number(score.exact);
    this.event += Number(score.event);
    this.line += Number(score.line);
    this.locals += Number(score.locals);
    this.changed += score.changed;
    this.changedRight += score.changedRight;
  }

  summary(): Summary {
    const share = (count: number, of = this.n): number => (of === 0 ? 0 : count / of);
    return {
      n: this.n,
      exact: share(this.exact),
      exact_interval: wilson(this.exact, this.n),
      event: share(this.event),
      line: share(this.line),
      locals: share(this.locals),
      changed: share(this.changedRight, this.changed),
      changed_n: this.changed,
    };
  }
}
