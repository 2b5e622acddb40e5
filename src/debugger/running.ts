/** Which function a frame runs, where its line and its names tell. */
import { goingOn } from './language/here.js';
import { linesOfEvent, loopsOf, type Program, type Scope } from './program.js';
import type { DebuggerState, Frame } from './state.js';

/** The one scope a frame can belong to, if there is one. */
export function scopeOf(
  program: Program,
  frame: Frame,
  event: DebuggerState['event'] | 'paused',
): Scope | undefined {
  const names = [...frame.locals.keys()];
  const fitting = program.scopes.filter(
    (scope) =>
      linesOfEvent(scope, event).includes(frame.line) && names.every((name) => scope.names.includes(name)),
  );
  const [only, ...others] = fitting.length > 1 ? fitting.filter((scope) => fits(scope, frame)) : fitting;
  return others.length === 0 ? only : undefined;
}

/** Whether a frame can be one of a function: it has its parameters, no other names than its own, and is in as many loops. */
export const fits = (scope: Scope, { line, its, locals }: Frame): boolean =>
  scope.lines.includes(line) &&
  loopsOf(scope, line).length === its.length &&
  scope.parameters.size <= locals.size &&
  [...scope.parameters].every((name) => locals.has(name)) &&
  [...locals.keys()].every((name) => scope.names.includes(name));

/** A frame on a line of the function that it runs. */
export interface Running {
  readonly frame: Frame;
  readonly scope: Scope;
  /** Values of now, by name, where something was called since the frame was seen. */
  readonly current?: ReadonlyMap<string, string>;
}

/** The frame that goes on from a `line` or a `return` state; undefined for other states, and where several functions are possible. */
export function runningFrame(program: Program, state: DebuggerState): Running | undefined {
  const frame = goingOn(state);
  const scope = frame && scopeOf(program, frame, state.event === 'return' ? 'paused' : state.event);
  return frame && scope && { frame, scope };
}
