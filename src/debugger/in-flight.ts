/**
 * Exceptions on their way through a frame: what was raised in it is not seen any more at the clauses that look at it, nor where it leaves the frame,
 * but the way that led there tells.
 */
import type { Action } from './action.js';
import { isCleanedUp } from './language/attempts.js';
import { isLastingException } from './language/exception-values.js';
import type { Program, Scope } from './program.js';
import { scopeOf } from './running.js';
import { type DebuggerState, depth, type Frame, goingOnward, type InFlight, withFrame } from './state.js';

/** Lines that do nothing but raise again what is handled. */
const bareRaise = /^\s*raise\s*(?:#.*)?$/;
const jump = /\b(?:return|break|continue)\b/;
/** A clause under which its statements stand. */
const clause = /^\s*except\b[^*].*:\s*(?:#.*)?$/;

const textOf = (program: Program, line: number): string => program.lines[line - 1] ?? '';

/** `after` with what is on its way through the frame in which a single step forward goes on; else `after` as it is. */
export function withInFlight(
  program: Program,
  before: DebuggerState | null,
  action: Action,
  after: DebuggerState,
): DebuggerState {
  const going = goingOnward(before, action, after);
  if (before === null || going === undefined) return after;
  const { level, old, frame } = going;
  const isStop = level === depth(after) - 1;
  const raised = raisedAt(program, before);
  const inFlight = isStop ? atStop(program, after, old, raised) : (raised ?? old.inFlight);
  const { inFlight: _, ...rest } = frame;
  return withFrame(after, frame, inFlight === undefined ? rest : { ...rest, inFlight });
}

/** The state as it is to whoever does not know the way to it. */
export function withoutWay(state: DebuggerState): DebuggerState {
  if (state.frames.every(({ inFlight }) => inFlight === undefined)) return state;
  return { ...state, frames: state.frames.map(({ inFlight: _, ...frame }) => frame) };
}

/**
 * What a state shows to be raised in its current frame. undefined where that may go no further, as the end of an iterator in the head of a loop or in a
 * comprehension does, and where the exception may be written otherwise later.
 */
function raisedAt(program: Program, { event, value, frames }: DebuggerState): InFlight | undefined {
  const frame = frames.at(-1);
  if (event !== 'exception' || value === undefined || frame === undefined) return undefined;
  const flow = scopeOf(program, frame, 'line')?.flow?.lines.get(frame.line);
  if (flow?.caught === undefined || !isLastingException(program, value)) return undefined;
  return { value, line: frame.line, isHandled: false };
}

/** @param raised what the frame raised just before */
function atStop(
  program: Program,
  { event, value, frames }: DebuggerState,
  old: Frame,
  raised: InFlight | undefined,
): InFlight | undefined {
  const inFlight = raised ?? old.inFlight;
  if (inFlight === undefined || event === 'exception') return undefined;
  if (event === 'return')
    return value === 'None' && (raised || leaves(program, old, inFlight)) ? inFlight : undefined;
  const frame = frames.at(-1) as Frame;
  const scope = scopeOf(program, frame, 'line');
  return scope && atLine(scope, frame.line, inFlight);
}

/** What is on its way on a line of a clause that looks at it; elsewhere it is over. */
function atLine({ flow }: Scope, line: number, inFlight: InFlight): InFlight | undefined {
  for (const attempt of flow?.attempts ?? []) {
    if (attempt.last.has(line) && isCleanedUp(attempt, inFlight.line)) return inFlight;
    if (!attempt.body.has(inFlight.line)) continue;
    // Taken before and looked at again, it was raised again.
    if (attempt.clauses.has(line)) return { ...inFlight, isHandled: false };
    if (attempt.handlers.has(line)) return { ...inFlight, isHandled: true };
  }
  return undefined;
}

/** Whether a frame that ends behind this line surely was left by what is on its way. */
function leaves(program: Program, frame: Frame, { line, isHandled }: InFlight): boolean {
  const attempts = scopeOf(program, frame, 'line')?.flow?.attempts ?? [];
  const around = attempts.filter(({ body }) => body.has(line));
  const text = textOf(program, frame.line);
  if (around.some(({ clauses }) => clauses.has(frame.line))) return clause.test(text);
  if (around.some(({ handlers }) => handlers.has(frame.line))) return bareRaise.test(text);
  const isCleanup = attempts.some((one) => one.last.has(frame.line) && isCleanedUp(one, line));
  // What jumps out of a `finally` ends the way of an exception.
  const jumpsOut = attempts.some(({ last }) => [...last].some((one) => jump.test(textOf(program, one))));
  return isCleanup && !isHandled && !jumpsOut;
}
