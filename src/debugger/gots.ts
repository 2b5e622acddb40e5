/** The values that calls have given to a frame on its line, after a single step: what it stood for before tells them (docs/trace-language.md, section 5). */
import { type Action, callerSteps, isReverse } from './action.js';
import { isFirstPass, sameGenerator } from './generator-frame.js';
import { gotLimit } from './language/encode.js';
import type { Program } from './program.js';
import { scopeOf } from './running.js';
import { currentFrame, type DebuggerState, depth, type Frame, goingFrame, withFrame } from './state.js';

/** `after` with the gots that follow from `before`, where `action` goes from one event to the next; else `after` as it is. */
export function withGots(
  program: Program,
  before: DebuggerState | null,
  action: Action,
  after: DebuggerState,
): DebuggerState {
  if (before === null || !isOneEvent(before, action)) return after;
  const reverse = isReverse(action.kind);
  const going = goingFrame(before, after, reverse);
  if (going === undefined) return after;
  const { level, old, frame } = going;
  const known = reverse ? gotBefore(before, after, level, old) : gotAfter(before, after, level, old);
  const stated = known ? withFrame(after, frame, { ...frame, gots: known }) : after;
  const again = sameGenerator(program, before, stated, reverse);
  if (again) return withFrame(stated, again.frame, { ...again.frame, gots: again.old.gots });
  const entered = currentFrame(stated);
  const begins = !reverse && after.event === 'call' && level === depth(after) - 2;
  return begins && isFirstCall(program, stated)
    ? withFrame(stated, entered, { ...entered, gots: [] })
    : stated;
}

/** Whether the current frame has just begun: it is no generator that goes on. */
function isFirstCall(program: Program, state: DebuggerState): boolean {
  const frame = currentFrame(state);
  const scope = scopeOf(program, frame, 'call');
  const isHead = scope?.firstLine === frame.line && !scope.lines.includes(frame.line);
  return scope?.isGenerator === false || isHead || isFirstPass(program, state);
}

/** Whether a step tells what calls have given to the frame in which it goes on. */
export function tellsGots(before: DebuggerState | null, action: Action): boolean {
  if (before === null || !isOneEvent(before, action)) return false;
  const reverse = isReverse(action.kind);
  const isLeft = before.event === (reverse ? 'call' : 'return');
  return isLeft ? before.frames.length > 1 : !reverse || before.event !== 'line';
}

const isOneEvent = (before: DebuggerState, { kind }: Action): boolean =>
  kind === 'step_into' || kind === 'inv_step_into' || (before.event === 'return' && callerSteps.has(kind));

/** Whether a state is an event of the frame on this level itself. */
const isStop = (state: DebuggerState, level: number): boolean => level === depth(state) - 1;

function gotAfter(
  before: DebuggerState,
  after: DebuggerState,
  level: number,
  { gots }: Frame,
): readonly string[] | undefined {
  if (isStop(after, level) && after.event === 'line') return [];
  if (isStop(before, level)) return gots;
  const { value } = before;
  if (value === undefined) return undefined;
  // CPython reports a frame that an exception leaves as one that returns None.
  const isRaised = value === 'None' && isStop(after, level) && after.event === 'exception';
  return isRaised ? gots : [...gots, value].slice(-gotLimit);
}

function gotBefore(
  before: DebuggerState,
  after: DebuggerState,
  level: number,
  { gots }: Frame,
): readonly string[] | undefined {
  if (isStop(after, level) && after.event === 'line') return [];
  // A `line` event tells nothing of the line before it.
  if (isStop(before, level) && before.event === 'line') return undefined;
  if (isStop(after, level)) return gots;
  const isRaised = isStop(before, level) && before.event === 'exception' && after.value === 'None';
  if (isRaised) return gots;
  // The oldest of as many as are kept may have made room for the last one.
  return gots.length < gotLimit ? gots.slice(0, -1) : undefined;
}
