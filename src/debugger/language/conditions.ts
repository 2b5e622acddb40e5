/** What a condition came to, as the next event tells (docs/trace-language.md, section 6). */
import type { Program } from '../program.js';
import { currentFrame, type DebuggerState, depth } from '../state.js';

/**
 * What the condition on the line of `before` came to if `after` is the event that follows it; undefined where that line is no condition, or
 * a function is entered or something raised first.
 */
export function outcomeOf(
  program: Program,
  before: DebuggerState,
  after: DebuggerState,
): boolean | undefined {
  if (before.event !== 'line' || depth(after) !== depth(before)) return undefined;
  const { line } = currentFrame(before);
  const condition = program.scopes.find(({ flow }) => flow?.conditions.has(line))?.flow?.conditions.get(line);
  if (condition === undefined || (after.event !== 'line' && after.event !== 'return')) return undefined;
  if (after.event === 'return') return false;
  const next = currentFrame(after).line;
  return next === line ? undefined : next >= condition.body.first && next <= condition.body.last;
}
