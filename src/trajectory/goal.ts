/**
 * What an action looks for, and which stored answers may be skipped over on the way without missing it: the rules of proof of
 * docs/trajectory-store.md. Pure.
 */
import { type Action, isReverse } from '../debugger/action.js';
import { isAtEnd, isAtStart } from '../debugger/navigate.js';
import type { Program } from '../debugger/program.js';
import { currentFrame, type DebuggerState, depth } from '../debugger/state.js';

export type Direction = 'forward' | 'reverse';

/** How an action looks, whichever way: one event, this frame or below, the border of this frame, a line, the border of the run. */
type Look = 'into' | 'over' | 'frame' | 'lines' | 'border';

const looks: Readonly<Record<Action['kind'], Look>> = {
  step_into: 'into',
  step_over: 'over',
  step_return: 'frame',
  breakpoint: 'lines',
  continue: 'border',
  inv_step_into: 'into',
  inv_step_over: 'over',
  inv_step_call: 'frame',
  inv_breakpoint: 'lines',
  inv_continue: 'border',
};

export const directionOf = (action: Action): Direction => (isReverse(action.kind) ? 'reverse' : 'forward');

/** The action that moves by one event. */
export const singleStep = (direction: Direction): Action => ({
  kind: direction === 'forward' ? 'step_into' : 'inv_step_into',
  lines: [],
});

/**
 * The event beyond which a frame is not on the stack: `return` going forward, `call` going back. From such a state the next event is at most as
 * deep as it is, so that stepping into, over and out are one and the same single step.
 */
const borderEvent = (direction: Direction): DebuggerState['event'] =>
  direction === 'forward' ? 'return' : 'call';

/** Whether `action` asked of `state` moves by exactly one event. */
export function isSingle(state: DebuggerState, action: Action): boolean {
  const look = looks[action.kind];
  return (
    look === 'into' ||
    ((look === 'over' || look === 'frame') && state.event === borderEvent(directionOf(action)))
  );
}

/** `hit`: the answer. `pass`: the answer is further on. `lost`: what is looked for can not come any more, so the chain is not a run. */
export type Verdict = 'hit' | 'pass' | 'lost';

/** What an action asked of one state looks for. */
export class Goal {
  readonly direction: Direction;
  private readonly look: Look;
  private readonly level: number;
  private readonly lines: ReadonlySet<number>;

  constructor(
    private readonly program: Program,
    from: DebuggerState,
    action: Action,
  ) {
    this.direction = directionOf(action);
    const look = looks[action.kind];
    // From the border of a frame, leaving it is stepping over.
    this.look = look === 'frame' && from.event === borderEvent(this.direction) ? 'over' : look;
    this.level = depth(from);
    this.lines = new Set(action.lines);
  }

  /**
   * Judges the next state of a chain, in order.
   * @param isBorder the state is known to be the last event of the run (going back: the first)
   */
  judge(state: DebuggerState, isBorder = this.isBorder(state)): Verdict {
    const here = depth(state);
    switch (this.look) {
      case 'into':
        return 'hit';
      case 'over':
        return here <= this.level ? 'hit' : isBorder ? 'lost' : 'pass';
      case 'frame':
        if (here < this.level) return 'lost';
        if (here === this.level && state.event === borderEvent(this.direction)) return 'hit';
        return isBorder ? 'lost' : 'pass';
      case 'lines': {
        const isStop = state.event === 'line' && this.lines.has(currentFrame(state).line);
        return isStop || isBorder ? 'hit' : 'pass';
      }
      case 'border':
        return isBorder ? 'hit' : 'pass';
    }
  }

  /** The last event of the run, or the first; never told of entries that make several calls, where a look does not tell. */
  isBorder(state: DebuggerState): boolean {
    return this.direction === 'forward' ? isAtEnd(state, this.program) : isAtStart(state, this.program);
  }

  /**
   * Whether what `action`, asked of `asked`, skipped can hold the answer: true proves that it does not. `asked` is one end of what was skipped,
   * whichever way it is crossed now.
   */
  mayCross(asked: DebuggerState, action: Action): boolean {
    if (isSingle(asked, action)) return true;
    const look = looks[action.kind];
    switch (this.look) {
      case 'into':
        return false;
      case 'over':
        // Skipped over: deeper than `asked`. Skipped in the frame: as deep, or deeper.
        return (
          (look === 'over' && depth(asked) >= this.level) || (look === 'frame' && depth(asked) > this.level)
        );
      case 'frame':
        // At the level of `asked` only its own frame was skipped, and neither its call nor its return.
        return (look === 'over' || look === 'frame') && depth(asked) >= this.level;
      case 'lines':
        return look === 'lines' && [...this.lines].every((line) => action.lines.includes(line));
      case 'border':
        return true;
    }
  }
}

/** Whether the answer to `action` is the border of the run although its look need not tell: nothing was found on the way. */
export function endsRun(action: Action, answer: DebuggerState): boolean {
  const look = looks[action.kind];
  if (look === 'border') return true;
  return look === 'lines' && !(answer.event === 'line' && action.lines.includes(currentFrame(answer).line));
}
