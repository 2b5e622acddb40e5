/** Whether what came from outside can be an answer about a program: its shape was looked at when it was read, the program is known only now. */
import { checkAction, checkState } from '../debugger/navigate.js';
import type { Program } from '../debugger/program.js';
import type { DebuggerState } from '../debugger/state.js';
import { ForetraceError } from '../errors.js';
import type { Edge } from './transition.js';

function passes(check: () => void): boolean {
  try {
    check();
    return true;
  } catch (error) {
    if (error instanceof ForetraceError) return false;
    throw error;
  }
}

export const isFittingState = (program: Program, state: DebuggerState | null): boolean =>
  state === null || passes(() => checkState(program, state));

/** An action that can be asked of the state, and a state of the program that it leads to. */
export const isFittingEdge = (
  program: Program,
  before: DebuggerState | null,
  { action, transition }: Pick<Edge, 'action' | 'transition'>,
): boolean =>
  isFittingState(program, transition.state) &&
  (before === null || passes(() => checkAction(program, before, action)));
