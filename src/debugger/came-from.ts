/**
 * Where a step back can have come from. Of the lines that lead to a line some are ruled out by what the frame shows: by the passes of a loop whose head it is, by names
 * that a call does not begin with, by an assignment whose names stand for something else, and by a condition that would have led elsewhere.
 */
import { type Action, isReverse, singleSteps } from './action.js';
import { mayCall } from './language/known-calls.js';
import { type LineParts, lineParts, type Part, partTokens } from './language/parts.js';
import { resultsOf } from './language/results.js';
import { type Way, waysTo } from './language/step-constraints.js';
import { slotBase, wordToken } from './language/tokens.js';
import { lineTokens, loopsOf, type Program } from './program.js';
import { type Running, runningFrame } from './running.js';
import type { DebuggerState } from './state.js';

const forWord = wordToken('for');

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
  const left = ways.filter((way) => isCounted(running, way) && isShown(program, running, way));
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

/** Whether the frame shows what a way to its line leaves. */
function isShown(program: Program, { frame, scope }: Running, way: Way): boolean {
  if (way === 'call')
    return scope.isGenerator || [...frame.locals.keys()].every((name) => scope.namesAtCall.includes(name));
  const code = lineTokens(program, way);
  const line =
    scope.flow?.lines.get(way)?.own.size === 1 && code[0] !== forWord ? lineParts(code) : undefined;
  if (line === undefined) return true;
  const names = boundBy(code, line).map((slot) => program.slotNames[slot - slotBase] ?? '');
  if (names.some((name) => scope.names.includes(name) && !frame.locals.has(name))) return false;
  // What is computed from what it changes was another value before.
  if (line.values.some((part) => mayCall(code, part))) return true;
  const { assigned, holds } = resultsOf(
    program,
    { frame: { ...frame, line: way }, scope },
    code,
    line,
    false,
  );
  const isOnce = (name: string): boolean =>
    [...code].filter((token) => token === program.slots.get(name)).length === 1;
  if ([...assigned].some(([name, text]) => isOnce(name) && frame.locals.get(name) !== text)) return false;
  const condition = holds === undefined ? undefined : scope.flow?.conditions.get(way);
  const follow = holds ? condition?.holds : condition?.fails;
  return follow?.lines.has(frame.line) !== false;
}

/** What a condition came to, if a step back has come from its line. */
export interface Decision {
  /** Code tokens of the condition. It changes nothing. */
  readonly code: readonly number[];
  readonly holds: boolean;
}

/** The condition on the line of a way, if only one of its outcomes leads to the line of the frame. */
export function decisionOf(program: Program, { frame, scope }: Running, way: Way): Decision | undefined {
  const condition = way === 'call' ? undefined : scope.flow?.conditions.get(way);
  const code = condition ? lineTokens(program, way as number) : [];
  const [value, ...others] = condition && code[0] !== forWord ? (lineParts(code)?.values ?? []) : [];
  if (!condition || !value || others.length > 0 || mayCall(code, value)) return undefined;
  const [holds, fails] = [condition.holds, condition.fails].map(
    (follow) => follow?.lines.has(frame.line) !== false,
  );
  return holds === fails ? undefined : { code: partTokens(code, value), holds: holds === true };
}

/** Slots of the names that an assignment surely binds. */
function boundBy(code: ArrayLike<number>, { targets }: LineParts): readonly number[] {
  const slots = ({ kind, first, parts }: Part): readonly number[] => {
    if (kind === 'name') return [code[first] as number];
    return kind === 'display' || kind === 'star' ? parts.flatMap(slots) : [];
  };
  return targets.flatMap(slots);
}
