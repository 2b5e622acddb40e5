/**
 * The answer of a rule that knows no values: "the next line of the function comes next, nothing changes, a breakpoint is reached".
 * Accuracy means little without it: on unchanged locals everybody is right.
 */
import { type Action, isReverse } from '../debugger/action.js';
import { isAtEnd, isAtStart } from '../debugger/navigate.js';
import type { Program } from '../debugger/program.js';
import { currentFrame, type DebuggerState, type EventKind, type Frame } from '../debugger/state.js';

const frameAt = (frame: Frame, line: number): Frame => ({ ...frame, line });

function stopAt(before: DebuggerState, event: EventKind, line: number, value?: string): DebuggerState {
  const frames = [...before.frames.slice(0, -1), frameAt(currentFrame(before), line)];
  return { event, frames, hiddenFrames: before.hiddenFrames, ...(value === undefined ? {} : { value }) };
}

/** Back in the caller, on the line of its call. */
function inCaller(before: DebuggerState): DebuggerState {
  const { frames, hiddenFrames } = before;
  return frames.length > 1 ? { event: 'line', frames: frames.slice(0, -1), hiddenFrames } : before;
}

function nextStop(program: Program, before: DebuggerState): DebuggerState {
  const { line } = currentFrame(before);
  const lines = program.linesOfFrame(before);
  if (before.event === 'return') {
    const caller = inCaller(before);
    return isAtEnd(before) ? before : nextStop(program, caller);
  }
  const next = lines.find((candidate) => candidate > line);
  return next === undefined ? stopAt(before, 'return', line, 'None') : stopAt(before, 'line', next);
}

function previousStop(program: Program, before: DebuggerState): DebuggerState {
  const { line } = currentFrame(before);
  if (before.event === 'call') return isAtStart(before) ? before : inCaller(before);
  if (before.event === 'return') return stopAt(before, 'line', line);
  const lines = program.linesOfFrame(before);
  const previous = lines.filter((candidate) => candidate < line).at(-1);
  return previous === undefined
    ? stopAt(before, 'call', program.callLineOfFrame(before))
    : stopAt(before, 'line', previous);
}

/** The rule's answer to `action`. */
export function ruleAnswer(program: Program, before: DebuggerState, action: Action): DebuggerState {
  const lastLine = program.linesOfFrame(before).at(-1) ?? currentFrame(before).line;
  switch (action.kind) {
    case 'breakpoint':
    case 'inv_breakpoint':
      return stopAt(before, 'line', nearest(action, currentFrame(before).line));
    case 'step_return':
    case 'continue':
      return before.event === 'return' && action.kind === 'step_return'
        ? nextStop(program, before)
        : stopAt(before, 'return', lastLine, 'None');
    case 'inv_step_call':
    case 'inv_continue':
      return before.event === 'call'
        ? previousStop(program, before)
        : stopAt(before, 'call', program.callLineOfFrame(before));
    default:
      return isReverse(action.kind) ? previousStop(program, before) : nextStop(program, before);
  }
}

/** The breakpoint that comes first in the direction of travel, else the first of the set. */
function nearest(action: Action, line: number): number {
  const ahead = isReverse(action.kind)
    ? action.lines.filter((candidate) => candidate <= line).at(-1)
    : action.lines.find((candidate) => candidate > line);
  return ahead ?? (action.lines[0] as number);
}
