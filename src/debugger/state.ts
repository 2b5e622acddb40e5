/** What a debugger shows when it stops. Values only; nothing here knows a model. */
import { type Action, isReverse, singleSteps } from './action.js';

export const eventKinds = ['call', 'line', 'return', 'exception'] as const;
export type EventKind = (typeof eventKinds)[number];

/** An exception that was raised in a frame. */
export interface InFlight {
  readonly value: string;
  /** Where it was raised. */
  readonly line: number;
  /** Whether an `except` has taken it. */
  readonly isHandled: boolean;
}

/** One frame, as of its own last event. */
export interface Frame {
  /** Physical source line, 1-based. */
  readonly line: number;
  /** Name -> canonical bounded repr, in slot order. */
  readonly locals: ReadonlyMap<string, string>;
  /** Completed passes of each running `for` loop around the line, outermost first. */
  readonly its: readonly number[];
  /** Values returned to this frame since its last `line` event, oldest first. */
  readonly gots: readonly string[];
  /**
   * Of a frame in a statement on several lines: the one of them on which it stopped before, 0 if that was another statement. undefined: not known, or it says
   * nothing.
   */
  readonly lineBefore?: number;
  /** What is on its way through the frame, or handled where it stands; at its `return`: what it was left by. undefined: nothing, or it is not known. */
  readonly inFlight?: InFlight;
}

/** What a dialect remembers of the way to a state, to ask on from there. It is a part of what the state is: another way may lead on elsewhere. */
export interface Trail {
  /** Names it. */
  readonly key: string;
  /** Upper estimate of the memory it takes. */
  readonly bytes: number;
}

/** A state: the frame stack (outermost first, the current frame last) and what happened. */
export interface DebuggerState {
  readonly event: EventKind;
  /** At least one frame; the last is the current one. */
  readonly frames: readonly Frame[];
  /** Frames below frames[0] that the trace language left out (a very deep stack). */
  readonly hiddenFrames: number;
  /** Return value or exception, for `return` and `exception`. */
  readonly value?: string;
  readonly trail?: Trail;
}

export const currentFrame = (state: DebuggerState): Frame => {
  const frame = state.frames.at(-1);
  if (frame === undefined) throw new RangeError('a state has at least one frame');
  return frame;
};

/** Number of the program's frames on the stack, the current one included. */
export const depth = (state: DebuggerState): number => state.hiddenFrames + state.frames.length;

/** A frame of two states that a single step leads from one to the other, and its depth on the stack, from 0 on. */
export interface Going {
  readonly level: number;
  readonly old: Frame;
  readonly frame: Frame;
}

/** The frame in which a single step goes on (going back: comes from), before it and after it; undefined where that is not there. */
export function goingFrame(before: DebuggerState, after: DebuggerState, reverse: boolean): Going | undefined {
  const isLeft = before.event === (reverse ? 'call' : 'return');
  const level = depth(before) - (isLeft ? 2 : 1);
  const old = before.frames[level - before.hiddenFrames];
  const frame = after.frames[level - after.hiddenFrames];
  return level < 0 || old === undefined || frame === undefined ? undefined : { level, old, frame };
}

/** The same of a single step forward; undefined for other actions. */
export function goingOnward(
  before: DebuggerState | null,
  { kind }: Action,
  after: DebuggerState,
): Going | undefined {
  const isOnward = before !== null && !isReverse(kind) && singleSteps.has(kind);
  return isOnward ? goingFrame(before, after, false) : undefined;
}

/** The state with another frame in place of one of its frames. */
export const withFrame = (state: DebuggerState, frame: Frame, other: Frame): DebuggerState => ({
  ...state,
  frames: state.frames.map((one) => (one === frame ? other : one)),
});

/** The state before the entry's call: no frame at all. Only `step_into` leads on from it, to the entry's `call`. */
export const beforeEntry: DebuggerState = { event: 'call', frames: [], hiddenFrames: 0 };
export const isBeforeEntry = (state: DebuggerState): boolean => state.frames.length === 0;
