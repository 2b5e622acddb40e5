/** Whether generators may have been dropped as a frame was left (language/held-generators.ts). */
import { wordToken } from './language/tokens.js';
import { lineTokens, type Program, type Scope } from './program.js';
import { scopeOf } from './running.js';
import type { DebuggerState } from './state.js';

const returnWord = wordToken('return') as number;

/** Whether the frame of a `return` event is that of no generator that was closed, and has dropped none as it was left. */
export function dropsNothing(program: Program, { frames, value = 'None' }: DebuggerState): boolean {
  const [below, frame] = frames.slice(-2);
  const scope = frame && scopeOf(program, frame, 'return');
  if (scope === undefined || frame === undefined || below === undefined) return false;
  if (scope.name === '<genexpr>') {
    const caller = scopeOf(program, below, 'paused');
    return holdsNone(caller, below.line);
  }
  const isEmpty = holdsNone(scope, frame.line);
  if (!scope.isGenerator) return isEmpty;
  // One that is closed gives None; one that gives an item keeps what it holds.
  return value !== 'None' && (isEmpty || !lineTokens(program, frame.line).includes(returnWord));
}

const holdsNone = (scope: Scope | undefined, line: number): boolean =>
  scope?.flow?.lines.get(line)?.mayHold === false;
