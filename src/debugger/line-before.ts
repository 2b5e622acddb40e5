/** The line on which a frame stopped before it came to the one it is on: in a statement on several lines it tells how far that has got. */
import { type Action, isReverse, singleSteps } from './action.js';
import type { Program } from './program.js';
import { scopeOf } from './running.js';
import { type DebuggerState, depth, type Frame } from './state.js';

/** What a `line` event before it, on this line, says of a frame. */
export function lineBefore(program: Program, frame: Frame, line: number): number | undefined {
  const own = scopeOf(program, frame, 'line')?.flow?.lines.get(frame.line)?.own;
  if (own === undefined || own.size < 2) return undefined;
  return own.has(line) ? line : 0;
}

/** The frame with what is known of the line before it. */
export function withLine({ lineBefore: _, ...frame }: Frame, before: number | undefined): Frame {
  return before === undefined ? frame : { ...frame, lineBefore: before };
}

/** `after` with the line before that of the frame which was current, if `action` is a single step forward; else `after` as it is. */
export function withLineBefore(
  program: Program,
  before: DebuggerState | null,
  action: Action,
  after: DebuggerState,
): DebuggerState {
  if (before === null || isReverse(action.kind) || !singleSteps.has(action.kind)) return after;
  const level = depth(before) - (before.event === 'return' ? 2 : 1);
  const old = before.frames[level - before.hiddenFrames];
  const frame = after.frames[level - after.hiddenFrames];
  if (level < 0 || old === undefined || frame === undefined) return after;
  const isStop = level === depth(after) - 1 && after.event === 'line';
  const same = frame.line === old.line ? old.lineBefore : undefined;
  const known = withLine(frame, isStop ? lineBefore(program, frame, old.line) : same);
  return { ...after, frames: after.frames.map((other) => (other === frame ? known : other)) };
}
