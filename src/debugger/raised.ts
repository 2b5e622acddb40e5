/** Frames that were left by an exception: a trace shows a `return` of None, but the line on which the frame stood does not return. */
import { wordToken } from './language/tokens.js';
import { lineTokens, type Program } from './program.js';
import { scopeOf } from './running.js';
import type { DebuggerState } from './state.js';

const classWord = wordToken('class');

/** Whether the caller meets an exception next. (The frame was entered by a call in the text; only what calls unseen takes exceptions unseen.) */
export function leftByException(program: Program, state: DebuggerState): boolean {
  const frame = state.event === 'return' ? state.frames.at(-1) : undefined;
  const scope = frame && scopeOf(program, frame, 'return');
  if (frame === undefined || scope === undefined || scope.isGenerator) return false;
  // The body of a class may take the exception, which no event shows.
  const caller = state.frames.at(-2);
  if (caller !== undefined && lineTokens(program, caller.line)[0] === classWord) return false;
  return (scope.isNamed || scope.isPlain) && scope.flow?.lines.get(frame.line)?.returns === false;
}
