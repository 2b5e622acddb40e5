/** Where an exception is raised on a way: once, and not again in each frame that it then leaves. */
import { type DebuggerState, depth } from '../debugger/state.js';

export class RaiseWatch {
  /** The exception that is on its way out of frames, while nothing else happens. */
  private raised: string | undefined;

  constructor(private before: DebuggerState) {
    if (before.event === 'exception') this.raised = before.value;
  }

  /** Whether an exception is raised in the state that comes next. */
  sees(state: DebuggerState): boolean {
    const { event, value } = state;
    const isNew = event === 'exception' && value !== this.raised && value !== this.leftBy(state);
    if (event === 'exception') this.raised = value;
    else if (event !== 'return') this.raised = undefined;
    this.before = state;
    return isNew;
  }

  /** What the frame was left by that has just ended, as far as the way tells. */
  private leftBy(state: DebuggerState): string | undefined {
    const { event, frames } = this.before;
    const hasEnded = event === 'return' && depth(this.before) > depth(state);
    return hasEnded ? frames.at(-1)?.inFlight?.value : undefined;
  }
}
