/**
 * Names of a frame that are what they were while it waits for the first function that its line enters: nothing of the program has run in between, and an assignment
 * binds its names behind that.
 */
import type { Action } from './action.js';
import { isImmutable } from './frozen.js';
import { lineParts } from './language/line-parts.js';
import { wordToken } from './language/tokens.js';
import { lineTokens, type Program } from './program.js';
import { runningFrame } from './running.js';
import type { DebuggerState } from './state.js';

const nothing: ReadonlySet<string> = new Set();
const forWord = wordToken('for');

export function waitingNames(
  program: Program,
  state: DebuggerState | null,
  { kind }: Action,
): ReadonlySet<string> {
  const running = state?.event === 'line' && kind === 'step_into' ? runningFrame(program, state) : undefined;
  const { frame, scope } = running ?? {};
  const flow = frame && scope?.flow?.lines.get(frame.line);
  if (frame === undefined || scope === undefined || flow?.own.size !== 1 || scope.isGenerator) return nothing;
  if (!flow.effects.calls) return nothing;
  const code = lineTokens(program, frame.line);
  // The head of a loop binds, and what is not read may.
  if (code[0] === forWord || lineParts(code) === undefined) return nothing;
  return new Set(
    scope.names.filter((name) => {
      const value = frame.locals.get(name);
      if (value === undefined) return !program.hidesArguments;
      return !flow.effects.disturbs || isImmutable(value);
    }),
  );
}
