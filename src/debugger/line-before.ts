/** The line on which a frame stopped before it came to the one it is on: in a statement on several lines it tells how far that has got. */
import type { Action } from './action.js';
import { outside } from './language/line-places.js';
import type { Program } from './program.js';
import { scopeOf } from './running.js';
import { type DebuggerState, depth, type Frame, goingOnward, withFrame } from './state.js';

/** What a `line` event before it, on this line, says of a frame. */
export function lineBefore(program: Program, frame: Frame, line: number): number | undefined {
  const own = scopeOf(program, frame, 'line')?.flow?.lines.get(frame.line)?.own;
  if (own === undefined || own.size < 2) return undefined;
  return own.has(line) ? line : outside;
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
  const going = goingOnward(before, action, after);
  if (going === undefined) return after;
  const { level, old, frame } = going;
  const isStop = level === depth(after) - 1 && after.event === 'line';
  const same = frame.line === old.line ? old.lineBefore : undefined;
  return withFrame(after, frame, withLine(frame, isStop ? lineBefore(program, frame, old.line) : same));
}
