/** Whether generators may have been dropped as a frame was left (language/held-generators.ts). */
import { wordToken } from './language/tokens.js';
import { lineTokens, type Program } from './program.js';
import { scopeOf } from './running.js';
import type { DebuggerState } from './state.js';

const returnWord = wordToken('return') as number;

/** Whether the frame of a `return` event may be that of a generator that was closed, or may have dropped one as it was left. */
export function mayHaveDropped(program: Program, { frames, value = 'None' }: DebuggerState): boolean {
  const [below, frame] = frames.slice(-2);
  const scope = frame && scopeOf(program, frame, 'return');
  if (scope === undefined || frame === undefined || below === undefined) return true;
  if (scope.name === '<genexpr>') {
    const caller = scopeOf(program, below, 'paused');
    return caller?.flow?.lines.get(below.line)?.mayHold !== false;
  }
  const holds = scope.flow?.lines.get(frame.line)?.mayHold !== false;
  if (!scope.isGenerator) return holds;
  // One that is closed gives None; one that gives an item keeps what it holds.
  return value === 'None' || (holds && lineTokens(program, frame.line).includes(returnWord));
}
