/**
 * The answer of a rule that knows no values: "the next line of the function comes next, nothing changes, a breakpoint is reached".
 * Accuracy means little without it: on unchanged locals everybody is right.
 */
import { type Action, isReverse } from '../debugger/action.js';
import type { Program } from '../debugger/program.js';
import { currentFrame, type DebuggerState, type EventKind } from '../debugger/state.js';

/** The same frame with another event on another line. */
function stopAt(before: DebuggerState, event: EventKind, line: number, value?: string): DebuggerState {
  const { value: _, ...rest } = before;
  const frames = [...before.frames.slice(0, -1), { ...currentFrame(before), line }];
  return { ...rest, event, frames, ...(value === undefined ? {} : { value }) };
}

/** The caller, on the line of its call; the state itself if it has none. */
function inCaller(before: DebuggerState): DebuggerState {
  const { frames, hiddenFrames } = before;
  return frames.length > 1 ? { event: 'line', frames: frames.slice(0, -1), hiddenFrames } : before;
}

/** The outermost frame alone. */
function outermost({ frames }: DebuggerState): DebuggerState {
  return { event: 'line', frames: frames.slice(0, 1), hiddenFrames: 0 };
}

function nextStop(program: Program, before: DebuggerState): DebuggerState {
  if (before.event === 'return') {
    return before.frames.length > 1 ? nextStop(program, inCaller(before)) : before;
  }
  const { line } = currentFrame(before);
  const next = program.linesOfFrame(before).find((candidate) => candidate > line);
  return next === undefined ? stopAt(before, 'return', line, 'None') : stopAt(before, 'line', next);
}

function previousStop(program: Program, before: DebuggerState): DebuggerState {
  const { line } = currentFrame(before);
  if (before.event === 'call') return inCaller(before);
  if (before.event === 'return') return stopAt(before, 'line', line);
  const previous = program.linesOfFrame(before).findLast((candidate) => candidate < line);
  return previous === undefined ? frameStart(program, before) : stopAt(before, 'line', previous);
}

const frameStart = (program: Program, state: DebuggerState): DebuggerState =>
  stopAt(state, 'call', program.callLineOfFrame(state));

function frameEnd(program: Program, state: DebuggerState): DebuggerState {
  const last = program.linesOfFrame(state).at(-1) ?? currentFrame(state).line;
  return stopAt(state, 'return', last, 'None');
}

/** The breakpoint that comes first in the direction of travel, else the first of the set. */
function nearest(action: Action, line: number): number {
  const ahead = isReverse(action.kind)
    ? action.lines.findLast((candidate) => candidate < line)
    : action.lines.find((candidate) => candidate > line);
  return ahead ?? (action.lines[0] as number);
}

/** The rule's answer to `action`. */
export function ruleAnswer(program: Program, before: DebuggerState, action: Action): DebuggerState {
  switch (action.kind) {
    case 'breakpoint':
    case 'inv_breakpoint':
      return stopAt(before, 'line', nearest(action, currentFrame(before).line));
    case 'step_return':
      return before.event === 'return' ? nextStop(program, before) : frameEnd(program, before);
    case 'inv_step_call':
      return before.event === 'call' ? previousStop(program, before) : frameStart(program, before);
    case 'continue':
      return frameEnd(program, outermost(before));
    case 'inv_continue':
      return frameStart(program, outermost(before));
    default:
      return isReverse(action.kind) ? previousStop(program, before) : nextStop(program, before);
  }
}
