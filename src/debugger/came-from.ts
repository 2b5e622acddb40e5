/**
 * Where a step back can have come from. Of the lines that lead to a line some are ruled out by what the frame shows: by the passes of a loop whose head it is, by names
 * that a call does not begin with, by an assignment whose names stand for something else, and by a condition that would have led elsewhere.
 */
import { type Action, isReverse, singleSteps } from './action.js';
import { decidedBefore, outcomeOf, surelyPassed } from './decided-before.js';
import { firstBound } from './first-bound.js';
import { boundSlots } from './language/bound-slots.js';
import { isSet, itemsIn } from './language/displays.js';
import { expressionParts } from './language/expression-parts.js';
import type { Condition } from './language/flow.js';
import { literalOf } from './language/frame-literals.js';
import { mayCall } from './language/known-calls.js';
import { isLiteral, truthOfLiteral } from './language/literal-values.js';
import { type Part, partTokens } from './language/parts.js';
import type { Value } from './language/plan.js';
import { resultsOf } from './language/results.js';
import { type Way, waysTo } from './language/step-constraints.js';
import { charToken, wordTokens } from './language/tokens.js';
import { ToldLine } from './language/told-line.js';
import { onlyStatement, onlyValue } from './only-statement.js';
import { loopsOf, nameOfSlot, type Program } from './program.js';
import { type Running, runningFrame } from './running.js';
import type { DebuggerState } from './state.js';

const [append, add] = wordTokens('append add');
const square = charToken('[');

/** The ways that remain of those to the line of a `line` state, where a single step goes back from it; undefined: all of them. */
export function cameFrom(
  program: Program,
  state: DebuggerState | null,
  action: Action,
): ReadonlySet<Way> | undefined {
  const isBack = state?.event === 'line' && isReverse(action.kind) && singleSteps.has(action.kind);
  const running = isBack ? runningFrame(program, state) : undefined;
  if (running === undefined) return undefined;
  const ways = waysTo(running.scope, running.frame.line);
  if (ways.length < 2) return undefined;
  const left = ways.filter(
    (way) => isCounted(running, way) && isShown(program, running, way) && isClaimed(program, running, way),
  );
  // An edited frame can be where no run comes.
  return left.length > 0 && left.length < ways.length ? new Set(left) : undefined;
}

/** Whether the passes that a loop has had allow a way to its head: from the inside after one, from the outside before. */
function isCounted({ frame, scope }: Running, way: Way): boolean {
  const loops = loopsOf(scope, frame.line);
  const passes = frame.its[loops.length - 1];
  if (loops.at(-1) !== frame.line || passes === undefined) return true;
  if (way === 'call') return scope.isGenerator || passes === 0;
  return loopsOf(scope, way).includes(frame.line) === passes > 0;
}

/** Whether the frame shows what a way to its line leaves, and nothing that cannot be bound yet. */
function isShown(program: Program, running: Running, way: Way): boolean {
  const { frame, scope } = running;
  const bound = [...frame.locals.keys()];
  if (way === 'call') return scope.isGenerator || bound.every((name) => scope.namesAtCall.includes(name));
  const binds = scope.flow?.lines.get(way)?.effects.binds;
  const others = binds ? bound.filter((name) => !binds.has(name)) : [];
  if (firstBound(program, running, way, others).length > 0) return false;
  const passed = surelyPassed(running, way);
  if (passed.some((line, index) => leavesUnbound(program, running, line, passed.slice(0, index))))
    return false;
  const { code, line } = onlyStatement(program, scope, way) ?? {};
  if (code === undefined || line === undefined) return true;
  const names = boundSlots(code, line).map((slot) => nameOfSlot(program, slot));
  // What is computed from what it changes was another value before.
  if (line.values.some((part) => mayCall(code, part))) return true;
  const there = { frame: { ...frame, line: way }, scope };
  const { assigned } = resultsOf(program, there, code, line, false);
  const isOnce = (name: string): boolean =>
    [...code].filter((token) => token === program.slots.get(name)).length === 1;
  // Of several names that are assigned at once, none was read as the frame has it now.
  const contradicts = ([name, text]: [string, string]): boolean =>
    isOnce(name) && frame.locals.get(name) !== text;
  return !names.every(isOnce) || ![...assigned].some(contradicts);
}

/** Whether a line that was passed, and others after it, surely bound a name that is unbound now. */
function leavesUnbound(
  program: Program,
  { frame, scope }: Running,
  line: number,
  after: readonly number[],
): boolean {
  const found = onlyStatement(program, scope, line);
  const names = found ? boundSlots(found.code, found.line).map((slot) => nameOfSlot(program, slot)) : [];
  const mayUnbind = (name: string): boolean =>
    after.some((other) => scope.flow?.lines.get(other)?.effects.binds.has(name) !== false);
  return names.some((name) => scope.names.includes(name) && !frame.locals.has(name) && !mayUnbind(name));
}

/** Whether nothing that a way claims is told to be otherwise. */
function isClaimed(program: Program, running: Running, way: Way): boolean {
  return claimsOf(program, running, way).every(({ code, fits }) => {
    const part = expressionParts(code);
    const value = part && new ToldLine(program, running, code, false).tokens(part);
    return value === undefined || !isLiteral(value) || fits(value);
  });
}

/** What an expression on the line of a way must have come to, if a step back has come from there. */
export interface Claim {
  /** Code tokens of the expression. It changes nothing. */
  readonly code: readonly number[];
  /** Whether this value, a literal, is what the frame shows. */
  readonly fits: (value: Value) => boolean;
}

/** What is claimed by a way: of a condition only one of whose outcomes leads to the frame's line or to the way, of what is assigned to a name, or put into what a name stands for. */
export function claimsOf(program: Program, running: Running, way: Way): Claim[] {
  if (way === 'call') return [];
  const before = decidedBefore(program, running, surelyPassed(running, way)).map(({ line, holds }) => {
    const code = conditionOf(program, running, line);
    return code && { code, fits: (value: Value) => truthOfLiteral(value) === holds };
  });
  return [ownClaim(program, running, way), ...before].filter((claim) => claim !== undefined);
}

/** Code tokens of a condition that changes nothing. */
function conditionOf(program: Program, running: Running, line: number): readonly number[] | undefined {
  const { code, value } = onlyValue(program, running.scope, line) ?? {};
  return code === undefined || value === undefined || mayCall(code, value)
    ? undefined
    : partTokens(code, value);
}

function ownClaim(program: Program, running: Running, line: number): Claim | undefined {
  const { frame, scope } = running;
  const condition = scope.flow?.conditions.get(line);
  if (condition) {
    const code = conditionOf(program, running, line);
    return code && decided(condition, frame.line, code);
  }
  const { code, value, target } = onlyValue(program, running.scope, line) ?? {};
  if (code === undefined || value === undefined) return undefined;
  return target ? assigned(program, running, code, target, value) : putIn(program, running, code, value);
}

function decided(condition: Condition, line: number, code: readonly number[]): Claim | undefined {
  const holds = outcomeOf(condition, line);
  return holds === undefined ? undefined : { code, fits: (value) => truthOfLiteral(value) === holds };
}

/** `x = y` */
function assigned(
  program: Program,
  { frame }: Running,
  code: ArrayLike<number>,
  target: Part,
  value: Part,
): Claim | undefined {
  const slot = code[target.first] as number;
  const now = target.kind === 'name' ? literalOf(program, frame, slot) : undefined;
  const tokens = partTokens(code, value);
  if (now === undefined || tokens.includes(slot) || mayCall(code, value)) return undefined;
  return { code: tokens, fits: (found) => found.join() === now.join() };
}

/** `xs.append(y)` and `xs.add(y)` */
function putIn(program: Program, { frame }: Running, code: ArrayLike<number>, call: Part): Claim | undefined {
  const [callee, argument, ...others] = call.kind === 'call' ? call.parts : [];
  const base = callee?.kind === 'attribute' ? callee.parts[0] : undefined;
  const method = code[(callee?.end ?? 0) - 1];
  if (base?.kind !== 'name' || argument === undefined || others.length > 0 || mayCall(code, argument))
    return undefined;
  const slot = code[base.first] as number;
  const [now, tokens] = [literalOf(program, frame, slot), partTokens(code, argument)];
  const items = now && itemsIn(now).map((item) => item.join());
  if (items === undefined || tokens.includes(slot)) return undefined;
  if (method === append && now?.[0] === square)
    return { code: tokens, fits: (found) => items.at(-1) === found.join() };
  return method === add && isSet(now ?? [])
    ? { code: tokens, fits: (found) => items.includes(found.join()) }
    : undefined;
}
