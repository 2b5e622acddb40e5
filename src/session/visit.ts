/** A state that a session has come to, told to whoever predicts what may be asked of it next. */
import type { ProgramGrammar } from '../debugger/language/grammar.js';
import type { Program } from '../debugger/program.js';
import type { DebuggerState } from '../debugger/state.js';
import type { Sampling } from '../scheduler/request.js';
import type { World } from '../trajectory/index.js';

export interface Visit {
  readonly program: Program;
  readonly grammar: ProgramGrammar;
  readonly world: World;
  readonly sampling: Sampling;
  readonly state: DebuggerState;
}

export interface VisitWatcher {
  /** Somebody has come to a state and may go on from it. */
  visited(visit: Visit): void;
}
