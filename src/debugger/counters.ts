/** Loop counters after a single step: the counting rule (docs/trace-language.md, section 6) tells most of them without a model. */
import { type Action, isReverse, singleSteps, takesLines } from './action.js';
import { loopsOf, type Program } from './program.js';
import { type DebuggerState, depth, type Frame } from './state.js';

/** `after` with the counters that follow from `before`, where `action` is a single step; else `after` as it is. */
export function withCounters(
  program: Program,
  before: DebuggerState | null,
  action: Action,
  after: DebuggerState,
): DebuggerState {
  if (before === null || takesLines(action.kind) || !singleSteps.has(action.kind)) return after;
  const reverse = isReverse(action.kind);
  const level = depth(before) - (before.event === (reverse ? 'call' : 'return') ? 1 : 0) - 1;
  const old = before.frames[level - before.hiddenFrames];
  const frame = after.frames[level - after.hiddenFrames];
  if (level < 0 || old === undefined || frame === undefined) return after;
  const isStop = level === depth(after) - 1;
  const its = reverse
    ? countersBefore(program, old, level === depth(before) - 1 && before.event === 'line', frame)
    : countersAfter(program, old, frame, isStop && after.event === 'line');
  const frames = after.frames.map((other) => (other === frame ? { ...frame, its } : other));
  return { ...after, frames };
}

/** The loops around the line of a frame: those of the scope that has as many as the frame has counters. */
function loopsAround(program: Program, { line, its }: Frame): readonly number[] {
  const found = program.scopes
    .map((scope) => loopsOf(scope, line))
    .filter((loops) => loops.length === its.length);
  return found[0] ?? [];
}

const counted = (program: Program, frame: Frame): Map<number, number> =>
  new Map(loopsAround(program, frame).map((loop, index) => [loop, frame.its[index] ?? 0]));

/** `counts`: the new event is a `line` event, which is what moves counters. */
function countersAfter(program: Program, old: Frame, now: Frame, counts: boolean): number[] {
  const known = counted(program, old);
  return loopsAround(program, now).map((loop, index) => {
    const count = known.get(loop);
    if (!counts) return count ?? now.its[index] ?? 0;
    if (count === undefined) return 0;
    return loop === now.line ? count + 1 : count;
  });
}

/** Going back, the counters of loops that have ended since are not known: there the prediction stands. */
function countersBefore(program: Program, now: Frame, isLine: boolean, old: Frame): number[] {
  const known = counted(program, now);
  return loopsAround(program, old).map((loop, index) => {
    const count = known.get(loop);
    if (count === undefined) return old.its[index] ?? 0;
    return isLine && loop === now.line && count > 0 ? count - 1 : count;
  });
}
