/** What is known of a step before it is asked: what the statement leaves on which the program goes on, where its line tells it. */
import { callerSteps, isReverse, singleSteps } from '../debugger/action.js';
import { caughtAs } from '../debugger/caught.js';
import { callsLeaveAllAsItIs } from '../debugger/harmless.js';
import { argumentsOf, boundBy, handedTo } from '../debugger/language/arguments.js';
import { parametersOf } from '../debugger/language/defaults.js';
import { definedBy } from '../debugger/language/definitions.js';
import type { Ended } from '../debugger/language/grammar.js';
import type { Entered } from '../debugger/language/handed.js';
import { withPartAs } from '../debugger/language/items.js';
import { type LineCall, lineCalls } from '../debugger/language/line-calls.js';
import { type LineParts, lineParts } from '../debugger/language/line-parts.js';
import { isPlainStore } from '../debugger/language/object-owners.js';
import { withFirstItems } from '../debugger/language/opened.js';
import type { Part } from '../debugger/language/parts.js';
import { leftInOrder } from '../debugger/language/reordered.js';
import {
  changesLast,
  deletedBy,
  endingWith,
  noResults,
  type Results,
  resultsOf,
} from '../debugger/language/results.js';
import { type ReturnedLine, returnedLine } from '../debugger/language/returned.js';
import { mayPass } from '../debugger/language/step-constraints.js';
import { wordToken } from '../debugger/language/tokens.js';
import { textOf } from '../debugger/language/told-values.js';
import { nextWorkings, returnedWorkings } from '../debugger/language/workings.js';
import { atReturn, besideNew, type LeftBehind } from '../debugger/left-behind.js';
import { nextPass, raisedByPass } from '../debugger/loop-heads.js';
import { ownListsNamedOnce } from '../debugger/own-lists.js';
import { nameOfSlot, type Program } from '../debugger/program.js';
import {
  leftByException,
  raisedBy,
  raisedByConversion,
  raisedByRange,
  raisedByUnpacking,
  raisedIn as raisedInWorkings,
} from '../debugger/raised.js';
import { hasReturned } from '../debugger/raises-nothing.js';
import { type Running, runningFrame, scopeOf } from '../debugger/running.js';
import type { EnteredNext } from '../debugger/shared-variables.js';
import type { DebuggerState, Frame } from '../debugger/state.js';
import { alone, statementTokens } from '../debugger/whole-statement.js';
import { yieldedTo } from '../debugger/yielded.js';
import { Asking, asAsked } from './asking.js';
import { sumOfPaid, unasked } from './cost.js';
import { madeByRound } from './made-by-round.js';
import { settledAssert } from './settle-assert.js';
import type { AskedStep, Settled } from './settled.js';
import { mayBeChanged } from './stepping-frame.js';
import type { ModelAccess } from './submit-question.js';
import { type WorkedOut, workedCode, workOut } from './work-out.js';

const [forWord, returnWord, tryWord] = ['for', 'return', 'try'].map(wordToken);
const nothing: Settled = { results: noResults, ...unasked };

/** What the line of a `line` state tells, as far as it was worked out; going back from a frame that was left by an exception, which one that was. */
export function settledLine({ program, state, action }: AskedStep, worked?: readonly number[]): Settled {
  if (state && isReverse(action.kind) && singleSteps.has(action.kind) && leftByException(program, state))
    return { ...nothing, results: raisedIn(program, state) };
  const isSingle = action.kind === 'step_into' || action.kind === 'step_over';
  const stopped = isSingle && state?.event === 'line' ? runningFrame(program, state) : undefined;
  const raised = stopped && raisedBy(program, stopped, worked);
  if (raised !== undefined) return { ...nothing, results: { ...noResults, raised } };
  const caught = stopped && caughtAs(program, stopped);
  if (caught) return { ...nothing, results: { ...noResults, assigned: new Map([caught]) } };
  const running = alone(program, stopped);
  const code = running && [...(worked ?? statementTokens(program, running))];
  const line = code && lineParts(code);
  if (running === undefined || code === undefined) return nothing;
  // What an assignment drops may be finalized by code of the program.
  const isStale = mayBeChanged(running);
  const unlike =
    raisedInWorkings(program, code) ??
    raisedByRange(program, running, code) ??
    raisedByPass(program, running, code) ??
    raisedByUnpacking(program, running, code, isStale) ??
    raisedByConversion(program, running, code, isStale);
  if (unlike !== undefined) return { ...nothing, ended: 'raised', results: { ...noResults, raised: unlike } };
  const asserted = line && settledAssert(program, running, code, line);
  if (asserted) return asserted;
  const { frame, scope } = running;
  const ending = (results: Results): Results => endingWith(results, program, running, code);
  const left = (found: Results): Settled => {
    const isPassed = !isStale && passes(program, running, code, line, found);
    return {
      ...nothing,
      results: ending(found),
      ended: isPassed ? 'passes' : (decidedAs(running, found.holds) ?? goingOver(running, code)),
    };
  };
  const pass = settledPass(program, running, code);
  if (pass) return { ...nothing, ...pass };
  const ordered = leftInOrder(program, code);
  if (ordered && scope.names.includes(ordered[0]))
    return { ...nothing, results: ending({ assigned: new Map([ordered]) }) };
  if (line === undefined) {
    const defined = definedBy(program, running, code);
    return left(defined.assigned.size > 0 ? defined : deletedBy(program, running, code, isStale));
  }
  const results = resultsOf(program, running, code, line, isStale);
  // What a loop goes over is made before its first pass.
  const isMade = code[0] === forWord && frame.its.at(-1) !== 0;
  // Of a statement on several lines the frame may have made its calls.
  const isBegun = isMade || (scope.flow?.lines.get(frame.line)?.own.size ?? 1) > 1;
  const first = action.kind === 'step_into' && !isBegun ? firstCall(program, running, code, line) : undefined;
  // Nothing comes before the first of them that could change anything.
  if (first) {
    const { entered } = entering(program, running, first.code, first.call, false);
    const isSure = surelyEnters(program, running, first.code, first.call, entered.values);
    const ended = isStale ? undefined : isSure ? 'enters' : 'calls';
    return { ...nothing, results: ending(results), ended, entered };
  }
  return left(results);
}

/**
 * Whether a line surely raises nothing: it only goes elsewhere, or what it returns, binds names, attributes or items to or changes by a call is told. `isMade`: what it computes
 * is there.
 */
function passes(
  program: Program,
  { frame, scope }: Running,
  code: readonly number[],
  line: LineParts | undefined,
  { assigned, returned }: Results,
  isMade = false,
): boolean {
  if (!mayPass(scope, frame.line)) return false;
  if (scope.flow?.lines.get(frame.line)?.isQuiet || code[0] === tryWord) return true;
  const { values: [value] = [], targets = [], inner = [] } = line ?? {};
  if (value === undefined || (inner.length > 0 && targets.length === 0)) return false;
  if (code[0] === returnWord) return returned !== undefined;
  const owned = { program, frame, code, told: () => undefined };
  const isTold = (target: Part): boolean => {
    const { kind, first, parts } = target;
    if (kind === 'display' || kind === 'star') return parts.every(isTold);
    // Where a list has no such item, what becomes of it is not told.
    const takes = kind === 'name' || kind === 'subscript' || isPlainStore(owned, target);
    return takes && assigned.has(nameOfSlot(program, code[first] as number));
  };
  if (targets.length > 0) return targets.every(isTold);
  return isMade || value.kind === 'constant' || (value.kind === 'call' && assigned.size > 0);
}

/** How a line ends that was gone through to the end: what it computes is there. */
export const endedMade = (
  program: Program,
  running: Running,
  code: readonly number[],
  results: Results,
): Ended | undefined =>
  passes(program, running, code, lineParts(code), results, true)
    ? 'passes'
    : decidedAs(running, results.holds);

/** What the head of a loop leaves and how it ends, where the item that comes next is told. */
export function settledPass(
  program: Program,
  running: Running,
  code: readonly number[],
): Pick<Settled, 'results' | 'ended'> | undefined {
  const next = nextPass(program, running, code);
  if (next === undefined) return undefined;
  const isOver = next === 'over';
  const results = endingWith(isOver ? noResults : { assigned: next }, program, running, code);
  return { results, ended: decidedAs(running, !isOver) };
}

/** That the head of a loop calls nothing, which has begun its passes. */
function goingOver({ frame, scope }: Running, code: readonly number[]): Ended | undefined {
  const { goesOn, effects } = scope.flow?.lines.get(frame.line) ?? {};
  const isBegun = code[0] === forWord && (frame.its.at(-1) ?? 0) > 0;
  return isBegun && goesOn && effects?.calls ? 'ended' : undefined;
}

/** How the line of a frame ends, if it is a condition or the head of a loop, and it is known what that comes to. */
export function decidedAs({ frame, scope }: Running, holds: boolean | undefined): Ended | undefined {
  if (holds === undefined || !scope.flow?.conditions.has(frame.line)) return undefined;
  return holds ? 'holds' : 'fails';
}

/** Whether nothing can be raised before a call, all parameters are bound, and no argument is too many. */
function surelyEnters(
  program: Program,
  running: Running,
  code: readonly number[],
  call: LineCall | Entered,
  values: ReadonlyMap<string, string>,
): boolean {
  const { callee, part } = call;
  const [target, ...given] = part?.parts ?? [];
  const isBound = target !== undefined && boundBy(program, running, code, target, callee) !== 'nothing';
  const count = 'operands' in call ? (call.operands?.length ?? 0) : given.length + Number(isBound);
  const isOpen = parametersOf(program, callee).some(({ kind }) => kind === 'star' || kind === 'doubleStar');
  const fits = !given.some(({ kind }) => kind === 'star') && (isOpen || count <= callee.parameters.size);
  return call.isSure === true && fits && [...callee.parameters].every((name) => values.has(name));
}

/** What code that begins in a frame enters first, if it is known to enter something. */
export function settledEntering(
  program: Program,
  running: Running,
  code: readonly number[],
  isStale: boolean,
): Settled | undefined {
  const first = firstCall(program, running, code);
  if (first === undefined) return undefined;
  const { entered } = entering(program, running, first.code, first.call, isStale);
  const isSure = surelyEnters(program, running, first.code, first.call, entered.values);
  return { ...nothing, ended: isSure ? 'enters' : 'calls', entered };
}

/** What a line enters first, read off its code with the first items of its comprehensions in place of them. */
function firstCall(
  program: Program,
  { frame }: Running,
  code: readonly number[],
  parts = lineParts(code),
): { readonly code: readonly number[]; readonly call: LineCall | Entered } | undefined {
  const written = firstOf(program, frame, code, parts);
  if (written) return { code, call: written };
  const opened = withFirstItems(program, frame, code);
  const call = opened === code ? undefined : firstOf(program, frame, opened, lineParts(opened));
  return call && { code: opened, call };
}

function firstOf(
  program: Program,
  frame: Frame,
  code: readonly number[],
  line: LineParts | undefined,
): LineCall | Entered | undefined {
  if (line === undefined) return undefined;
  const { calls, entered } = lineCalls(program, frame, code, [...line.values, ...line.inner]);
  return calls[0] ?? entered;
}

function entering(
  program: Program,
  running: Running,
  code: ArrayLike<number>,
  call: LineCall | Entered,
  isStale: boolean,
  given?: ReturnedLine['given'],
): { readonly entered: EnteredNext } {
  const isHanded = 'given' in call;
  const values = isHanded
    ? handedTo(program, running, code, call, isStale)
    : argumentsOf(program, running, code, call, isStale, given);
  const written = isHanded && call.isWritten ? call.callee : undefined;
  return { entered: { line: call.callee.firstLine, values, written } };
}

/**
 * Behind a `return`: works out the line of the caller with the values that its calls gave. undefined where the state does not tell them. `left`: what the function
 * that has returned left in the caller.
 * @throws ForetraceError as workOut
 */
export function settledCaller(
  access: ModelAccess,
  step: AskedStep,
  left: LeftBehind,
  worked?: readonly number[],
): Settled | Promise<Settled> | undefined {
  const { program, state, action } = step;
  if (state?.event !== 'return' || !callerSteps.has(action.kind)) return undefined;
  if (leftByException(program, state))
    return { ...nothing, results: raisedIn(program, state), ended: 'raised' };
  const paused = alone(program, runningFrame(program, state));
  const yielded = paused && yieldedTo(program, state, paused);
  if (yielded) return { ...nothing, results: { assigned: yielded }, ended: decidedAs(paused, true) };
  const running = paused && {
    ...paused,
    current: new Map([...ownListsNamedOnce(program, paused), ...keptNames(program, left)]),
  };
  const line = running && returnedLine(program, state, worked);
  if (running === undefined || line === undefined) return undefined;
  if (line.next) return settledNext(access, step, running, line);
  if (line.over) return settledRound(access, step, running, line.code, line.over);
  const computed = line.value ?? line.given;
  if (computed === undefined && !access.showsWorkings) return undefined;
  const settle = ({ code, ...cost }: WorkedOut): Settled => {
    const pass = code[0] === forWord ? settledPass(program, running, code) : undefined;
    if (pass) return { ...cost, ...pass };
    const parts = lineParts(code);
    const beside = computed === undefined ? [] : besideNew(program, state);
    const assigning = {
      ...running,
      current: new Map([...beside, ...atReturn(program, state), ...running.current]),
    };
    const isStale = !(parts && isAsSeen(program, running, code, parts));
    const results = parts ? resultsOf(program, assigning, code, parts, isStale, computed) : noResults;
    const isPassed =
      hasReturned(program, state) && passes(program, running, code, parts, results, line.value !== undefined);
    return {
      ...cost,
      results: endingWith(results, program, running, code),
      ended: isPassed ? 'passes' : endedBy(program, state, results),
    };
  };
  const workings = computed === undefined ? returnedWorkings(program, running.frame, line.code) : undefined;
  return workings === undefined
    ? settle({ ...nothing, code: line.code })
    : workOut(access, step, workings).then(settle);
}

/** Whether the names of a caller stand for what they did when it was seen, lists and their like too, behind calls that it has made. */
const isAsSeen = (
  program: Program,
  { frame, scope }: Running,
  code: readonly number[],
  parts: LineParts,
): boolean => changesLast(code, parts) && callsLeaveAllAsItIs(program, scope, frame.line);

/** What a statement leaves whose builtin has called what it was handed with all items. */
async function settledRound(
  access: ModelAccess,
  step: AskedStep,
  running: Running,
  code: readonly number[],
  { round, values }: NonNullable<ReturnedLine['over']>,
): Promise<Settled> {
  const { program } = step;
  const asking = new Asking(access, step, running);
  const made = access.showsWorkings
    ? await asAsked(asking, () => madeByRound(code, round, values, asking))
    : undefined;
  const ended = { ...nothing, ...asking.paid, ended: 'ended' as const };
  if (made === undefined) return ended;
  const { parts, begin, until } = round.part;
  const list = parts[0]?.kind === 'attribute' ? parts[0].parts[0] : undefined;
  if (list) {
    const text = textOf(program, made);
    const isAlone = list.kind === 'name' && begin === 0 && until === code.length;
    const name = nameOfSlot(program, code[list.first] as number);
    if (!isAlone || text === undefined || !running.scope.names.includes(name)) return ended;
    return { ...ended, results: endingWith({ assigned: new Map([[name, text]]) }, program, running, code) };
  }
  const written = withPartAs(code, round.part, made);
  const pass = code[0] === forWord ? settledPass(program, running, written) : undefined;
  if (pass) return { ...ended, ...pass };
  const worked = await workedCode(access, step, written, returnedWorkings(program, running.frame, written));
  const line = lineParts(worked.code);
  const results = line ? resultsOf(program, running, worked.code, line, true) : noResults;
  return {
    ...ended,
    ...sumOfPaid(asking.paid, worked),
    results: endingWith(results, program, running, worked.code),
    ended: step.state ? endedBy(program, step.state, results) : 'ended',
  };
}

/**
 * What a caller's line enters next: with what is worked out of its arguments, if what was called before stands in the code. isStale: what was called may have
 * changed lists and their like.
 * @throws ForetraceError as workOut
 */
export function settledNext(
  access: ModelAccess,
  step: AskedStep,
  running: Running,
  { code, next, isReplaced, given }: ReturnedLine,
  isStale = true,
): Settled | Promise<Settled> {
  const { program, state } = step;
  const entered = (written: readonly number[], call = next as LineCall | Entered): Settled => {
    const { entered } = entering(program, running, written, call, isStale, given);
    const isSure =
      state?.event === 'return' &&
      hasReturned(program, state) &&
      surelyEnters(program, running, written, call, entered.values);
    return { ...nothing, ended: isSure ? 'enters' : 'calls', entered };
  };
  const workings =
    access.showsWorkings && isReplaced ? nextWorkings(program, running.frame, code) : undefined;
  if (workings === undefined) return entered(code);
  return workOut(access, step, workings).then(({ code: worked, ...cost }) => {
    const first = firstCall(program, running, worked);
    return { ...(first ? entered(first.code, first.call) : entered(code)), ...cost };
  });
}

/** The exception that left the current frame, if the way to it or its line tells it. */
function raisedIn(program: Program, state: DebuggerState): Results {
  const frame = state.frames.at(-1);
  const scope = frame && scopeOf(program, frame, 'return');
  const raised = frame?.inFlight?.value ?? (scope && raisedBy(program, { frame, scope }));
  return { ...noResults, raised };
}

/** Names that stand for one object on all of the line, before the call and behind it. */
const keptNames = (program: Program, left: LeftBehind): Map<string, string> =>
  new Map(
    [...left].flatMap(([name, value]) =>
      value === undefined || program.reboundNames.has(name) ? [] : [[name, value] as const],
    ),
  );

/** How a line ends whose calls are over. A callee that was left by an exception has it go on here. */
export function endedBy(program: Program, state: DebuggerState, { holds }: Results): Ended {
  if (holds === undefined || !hasReturned(program, state)) return 'ended';
  return holds ? 'holds' : 'fails';
}
