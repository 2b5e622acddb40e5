/** The names of `except ... as`, which are unbound where a frame leaves what stands under it. */
import { type Action, isReverse, singleSteps } from './action.js';
import type { LeftHandler } from './language/known-parts.js';
import type { Program } from './program.js';
import { scopeOf } from './running.js';
import type { DebuggerState } from './state.js';

/** Those around the frame that a single step forward goes on from; none where it may stop in between, as a generator does. */
export function leftHandlers(
  program: Program,
  state: DebuggerState | null,
  { kind }: Action,
): readonly LeftHandler[] {
  if (state === null || state.event === 'call' || isReverse(kind) || !singleSteps.has(kind)) return [];
  const isLeft = state.event === 'return';
  const frame = state.frames.at(isLeft ? -2 : -1);
  const scope = frame && scopeOf(program, frame, isLeft ? 'paused' : state.event);
  if (frame === undefined || scope?.flow === undefined || scope.isGenerator) return [];
  return scope.flow.attempts.flatMap(({ binding, clauses }) =>
    binding
      .filter(({ name, lines }) => lines.has(frame.line) && scope.names.includes(name))
      .map(({ name, lines }) => ({ name, lines: new Set([...lines, ...clauses]) })),
  );
}
