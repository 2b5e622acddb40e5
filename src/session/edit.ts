/** A state with other values in its current frame, as its user says. */
import { checkState } from '../debugger/navigate.js';
import type { Program } from '../debugger/program.js';
import { currentFrame, type DebuggerState, type Frame } from '../debugger/state.js';
import { ForetraceError } from '../errors.js';

/**
 * The state with these locals of the current frame set or deleted.
 * @throws ForetraceError invalid_state when a name is not one of the frame's, or one to be deleted has no value
 */
export function editedState(
  program: Program,
  state: DebuggerState,
  locals: ReadonlyMap<string, string>,
  deleted: readonly string[],
): DebuggerState {
  const frame = currentFrame(state);
  const changed = new Map([...frame.locals, ...locals]);
  for (const name of deleted) {
    if (locals.has(name))
      throw new ForetraceError('invalid_state', `${JSON.stringify(name)} is given and deleted at once`, {
        expected: 'one of the two',
        actual: name,
      });
    if (changed.delete(name)) continue;
    throw new ForetraceError('invalid_state', `the frame has no local ${JSON.stringify(name)} to delete`, {
      expected: `one of ${[...frame.locals.keys()].join(', ')}`,
      actual: name,
    });
  }
  const edited: Frame = { ...frame, locals: program.sortLocals(changed) };
  // No way has led here.
  const { trail: _, ...shown } = state;
  const after: DebuggerState = { ...shown, frames: [...state.frames.slice(0, -1), edited] };
  checkState(program, after);
  return after;
}
