/** States and frames written short, for tests: one frame, no loops, nothing returned. */
import type { DebuggerState, EventKind, Frame } from '../../src/debugger/state.js';

export const stateAt = (
  event: EventKind,
  line: number,
  locals: Record<string, string>,
  value?: string,
): DebuggerState => ({
  event,
  frames: [{ line, locals: new Map(Object.entries(locals)), its: [], gots: [] }],
  hiddenFrames: 0,
  ...(value === undefined ? {} : { value }),
});

/** A frame without loops. */
export const frameAt = (
  line: number,
  locals: Record<string, string>,
  gots: readonly string[] = [],
): Frame => ({
  line,
  locals: new Map(Object.entries(locals)),
  its: [],
  gots,
});
