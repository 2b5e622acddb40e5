/** What a state holds that a debugger does not show (docs/trace-language.md, section 5), as far as the step that led to it tells. */
import type { Action } from './action.js';
import { withCounters } from './counters.js';
import { withGots } from './gots.js';
import { withInFlight } from './in-flight.js';
import { withLineBefore } from './line-before.js';
import type { Program } from './program.js';
import type { DebuggerState } from './state.js';

/** `after` with the counters, gots, lines before and exceptions on their way that follow from `before`. */
export const withHiddenParts = (
  program: Program,
  before: DebuggerState | null,
  action: Action,
  after: DebuggerState,
): DebuggerState =>
  [withCounters, withGots, withLineBefore, withInFlight].reduce(
    (so, follow) => follow(program, before, action, so),
    after,
  );
