/** Loop counters after a single step: the counting rule (docs/trace-language.md, section 6) tells most of them without a model. */
import { type Action, isReverse, singleSteps, takesLines } from './action.js';
import { isFirstPass, sameGenerator } from './generator-frame.js';
import { passesOf } from './loop-heads.js';
import { loopsOf, type Program } from './program.js';
import { fits } from './running.js';
import { type DebuggerState, depth, type Frame, goingFrame, withFrame } from './state.js';

/** `after` with the counters that follow from `before`, where `action` is a single step; else `after` as it is. */
export function withCounters(
  program: Program,
  before: DebuggerState | null,
  action: Action,
  after: DebuggerState,
): DebuggerState {
  if (before === null || takesLines(action.kind) || !singleSteps.has(action.kind)) return after;
  const reverse = isReverse(action.kind);
  const again = sameGenerator(program, before, after, reverse);
  if (again) return withFrame(after, again.frame, { ...again.frame, its: again.old.its });
  const going = goingFrame(before, after, reverse);
  if (going === undefined) return after;
  const { level, old, frame } = going;
  const isStop = level === depth(after) - 1;
  const isLine = level === depth(before) - 1 && before.event === 'line';
  const ended = (loop: number, predicted: number): number =>
    (isLine && isStop && after.event === 'line' && loop === frame.line
      ? passesOf(program, before, loop, predicted > 0)
      : undefined) ?? predicted;
  const its = reverse
    ? countersBefore(program, old, isLine, frame, ended)
    : countersAfter(program, old, frame, isStop && after.event === 'line' && !isFirstPass(program, before));
  return withFrame(after, frame, { ...frame, its });
}

/** The loops around the line of a frame: those of a scope that has as many as the frame has counters, and the frame's names if there is one. */
function loopsAround(program: Program, frame: Frame): readonly number[] {
  const counting = program.scopes.filter((scope) => loopsOf(scope, frame.line).length === frame.its.length);
  const scope = counting.find((scope) => fits(scope, frame)) ?? counting[0];
  return scope === undefined ? [] : loopsOf(scope, frame.line);
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

/** Going back, the counters of loops that have ended since are not known but for what `ended` makes of the prediction. */
function countersBefore(
  program: Program,
  now: Frame,
  isLine: boolean,
  old: Frame,
  ended: (loop: number, predicted: number) => number,
): number[] {
  const known = counted(program, now);
  return loopsAround(program, old).map((loop, index) => {
    const count = known.get(loop);
    if (count === undefined) return ended(loop, old.its[index] ?? 0);
    return isLine && loop === now.line && count > 0 ? count - 1 : count;
  });
}
