/** Whether two states show the same. */
import type { DebuggerState, Frame } from '../debugger/state.js';

const sameList = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length && a.every((item, index) => item === b[index]);

const sameLocals = (a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean =>
  a.size === b.size && [...a].every(([name, value]) => b.get(name) === value);

const sameFrame = (a: Frame, b: Frame): boolean =>
  a.line === b.line && sameList(a.its, b.its) && sameList(a.gots, b.gots) && sameLocals(a.locals, b.locals);

/** Event, value and all frames, those below the current one too. */
export const sameState = (a: DebuggerState, b: DebuggerState): boolean =>
  a.event === b.event &&
  a.value === b.value &&
  a.hiddenFrames === b.hiddenFrames &&
  a.frames.length === b.frames.length &&
  a.frames.every((frame, index) => sameFrame(frame, b.frames[index] as Frame));
