/** Where an exception is raised on a way: once, and not again in each frame that it then leaves. */
import type { DebuggerState } from '../debugger/state.js';

export class RaiseWatch {
  /** The exception that is on its way out of frames. */
  private raised: string | undefined;

  constructor(start: DebuggerState) {
    this.sees(start);
  }

  /** Whether an exception is raised in the state that comes next. */
  sees({ event, value }: DebuggerState): boolean {
    const isNew = event === 'exception' && value !== this.raised;
    if (event === 'exception') this.raised = value;
    else if (event !== 'return') this.raised = undefined;
    return isNew;
  }
}
