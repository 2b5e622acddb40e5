/** What a condition came to, as the next event tells (docs/trace-language.md, section 6). */
import { loopsOf, type Program, type Scope } from '../program.js';
import { currentFrame, type DebuggerState, depth } from '../state.js';

/**
 * What the condition on the line of `before` came to if `after` is the event that follows it; undefined where that line is no condition or the
 * frame not that of its function, or a function is entered or something raised first.
 */
export function outcomeOf(
  program: Program,
  before: DebuggerState,
  after: DebuggerState,
): boolean | undefined {
  if (before.event !== 'line' || depth(after) !== depth(before)) return undefined;
  const { line } = currentFrame(before);
  const scope = program.scopes.find(({ flow }) => flow?.conditions.has(line));
  const condition = scope?.flow?.conditions.get(line);
  if (scope === undefined || !runs(program, before, scope)) return undefined;
  if (condition === undefined || (after.event !== 'line' && after.event !== 'return')) return undefined;
  if (after.event === 'return') return false;
  const next = currentFrame(after).line;
  return next === line ? undefined : next >= condition.body.first && next <= condition.body.last;
}

/** Whether the current frame is one of `scope`, and not of a lambda or generator expression on the same line: these run while that line waits. */
function runs(program: Program, state: DebuggerState, scope: Scope): boolean {
  const { line, locals, its } = currentFrame(state);
  const fits = (other: Scope): boolean =>
    other.lines.includes(line) &&
    loopsOf(other, line).length === its.length &&
    [...locals.keys()].every((name) => other.names.includes(name));
  const isWaitedFor = state.frames.at(-2)?.line === line;
  return fits(scope) && !(isWaitedFor && program.scopes.some((other) => other !== scope && fits(other)));
}
