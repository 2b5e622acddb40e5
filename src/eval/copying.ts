/**
 * The "copy" baselines: a value is right if it could have been read off instead of computed. Both are given the best pick of
 * all they may copy from, so they are bounds: what is above them was computed. Pure.
 */
import type { DebuggerState } from '../debugger/state.js';

/** Every value the state before shows: locals and returned values of all frames, and the value of the event. */
export function knownValues({ frames, value }: DebuggerState): Set<string> {
  const known = new Set<string>(value === undefined ? [] : [value]);
  for (const { locals, gots } of frames) {
    for (const local of locals.values()) known.add(local);
    for (const got of gots) known.add(got);
  }
  return known;
}

/**
 * Values that the parameters of the frame which is current in `after` have in `before`; empty if the frame was not there yet.
 * `names`: the function's parameters.
 */
export function argumentValues(
  before: DebuggerState,
  after: DebuggerState,
  names: readonly string[],
): Set<string> {
  const locals = before.frames[after.frames.length - 1]?.locals;
  const values = names.map((name) => locals?.get(name)).filter((value) => value !== undefined);
  return new Set(values);
}
