/**
 * What a function that returns leaves behind: variables of its caller that it shares, as they are once the caller goes on. A paused frame shows what it had when
 * it called, so a list that was changed since looks in it as it did before.
 */
import { type Action, callerSteps } from './action.js';
import { isImmutable } from './frozen.js';
import { changesOnlyNew } from './harmless.js';
import { replacedOnce } from './holders.js';
import { attributeName, attributeOf } from './language/attributes.js';
import { isBuiltinMethod } from './language/callables.js';
import type { LineFlow } from './language/flow.js';
import { toldIn } from './language/frame-literals.js';
import { givenNames, namesInside, type Place } from './language/given-names.js';
import { mayCall } from './language/known-calls.js';
import { changesNothingElse, type FrameLine } from './language/line-changes.js';
import { type LineParts, lineParts } from './language/line-parts.js';
import { isLiteral, mutableDepth } from './language/literal-values.js';
import { itemIn } from './language/nested-items.js';
import type { Part } from './language/parts.js';
import { special, wordToken } from './language/tokens.js';
import { textOf } from './language/told-values.js';
import { encodeValue } from './language/values.js';
import { isOwn, ownLists } from './own-lists.js';
import { lineTokens, nameOfSlot, type Program, type Scope } from './program.js';
import { leftByException } from './raised.js';
import { changesOnlyGiven } from './reach.js';
import { type Running, runningFrame, scopeOf } from './running.js';
import { freeNames, isSameVariable, ownerOf } from './shared-variables.js';
import type { DebuggerState, Frame } from './state.js';
import { statementTokens } from './whole-statement.js';

/** By name of the caller: its value at the next event of that frame, if this comes before any other frame is entered; undefined where it is unbound. */
export type LeftBehind = ReadonlyMap<string, string | undefined>;

const nothing: ReadonlyMap<string, string> = new Map();
const forWord = wordToken('for') as number;

/** What is known behind a `return` of the variables of the caller. */
export function leftBehind(program: Program, state: DebuggerState | null, action: Action): LeftBehind {
  const returning = state && callerSteps.has(action.kind) ? returningFrom(program, state) : undefined;
  if (returning === undefined) return nothing;
  const { caller, flow, waiting, call, values, isRaised } = returning;
  const own = isRaised ? undefined : ownList(program, caller, flow, waiting);
  const isQuiet = isRaised || own !== undefined || changesNoObject(program, caller, flow, waiting, call);
  const found = new Map<string, string | undefined>();
  for (const [name, value] of values) {
    const stays = isRaised || (!flow.effects.binds.has(name) && name !== own);
    if (stays && (isQuiet || value === undefined || isImmutable(value))) found.set(name, value);
  }
  const mentioned = new Set(waiting ? Array.from(waiting.code) : []);
  for (const [name, text] of isRaised || waiting === undefined ? [] : ownLists(program, caller))
    if (!found.has(name) && !mentioned.has(program.slots.get(name) ?? -1)) found.set(name, text);
  const looked = returning.places.map(({ parameter }) => parameter);
  const isPlain = isQuiet && !isRaised && state !== null && changesOnlyGiven(program, state, looked);
  for (const place of isPlain ? returning.places : []) {
    const holder = withPlace(returning, place, found);
    if (holder && holder[0] !== own && !flow.effects.binds.has(holder[0])) found.set(...holder);
  }
  return found;
}

/** A variable of the caller in which something was looked up that was given, with what that is now; undefined where it is not told. */
function withPlace(
  { waiting, frame: callee, values }: Returning,
  { part, parameter }: Place,
  left: LeftBehind,
): [name: string, text: string] | undefined {
  if (waiting === undefined) return undefined;
  const { program, frame, code } = waiting;
  const name = nameOfSlot(program, code[part.first] as number);
  const text = left.get(name) ?? frame.locals.get(name);
  const now = callee.locals.get(parameter);
  if (text === undefined || now === undefined || values.has(name) || program.reboundNames.has(name))
    return undefined;
  const whole = encodeValue(program, text);
  const before = lookedUpIn(waiting, whole, part);
  const after = encodeValue(program, now);
  if (before === undefined || [...whole, ...after].includes(special.cut)) return undefined;
  const replaced = replacedOnce(whole, before, after);
  const written = replaced && textOf(program, replaced);
  return written === undefined ? undefined : [name, written];
}

/** What attributes and indices behind a name lead to in its value. */
function lookedUpIn(line: FrameLine, whole: readonly number[], part: Part): readonly number[] | undefined {
  const { program, frame, code } = line;
  const [base, index] = part.parts;
  if (part.kind === 'name') return whole;
  const held = base && lookedUpIn(line, whole, base);
  if (held === undefined) return undefined;
  if (part.kind === 'attribute') return attributeOf(program, held, code[part.end - 1] as number);
  const key = part.kind === 'subscript' && index ? toldIn(program, frame, code, index) : undefined;
  return key && itemIn(program, held, [key]);
}

/**
 * What variables of the caller are where a `return` gives it the value that its statement assigns: what that is assigned to is looked up behind the call. None for
 * other statements.
 */
export function atReturn(program: Program, state: DebuggerState): ReadonlyMap<string, string> {
  const { waiting, call, values = nothing, isRaised } = returningFrom(program, state) ?? {};
  const [value, ...others] = waiting?.parts.values ?? [];
  const isAssigned = others.length === 0 && waiting?.parts.targets.length === 1;
  if (call === undefined || value !== call || !isAssigned || isRaised) return new Map();
  return new Map([...values].flatMap(([name, text]) => (text === undefined ? [] : [[name, text] as const])));
}

/** What the variables of the caller are behind the call that its statement gives the value of, or to a list or the like, if that made an object and nothing else was called or changed. */
export function besideNew(program: Program, state: DebuggerState): ReadonlyMap<string, string> {
  const { callee, caller, waiting, isRaised } = returningFrom(program, state) ?? {};
  const [value, ...others] = waiting?.parts.values ?? [];
  if (callee === undefined || caller === undefined || waiting === undefined || isRaised) return nothing;
  const isOnly = value?.kind === 'call' && others.length === 0 && caller.frame.gots.length === 0;
  const maker = isOnly ? (takenBy(program, waiting.code, value) ?? value) : undefined;
  const isQuiet = maker?.parts.every((part) => !mayCall(waiting.code, part));
  const stays = isQuiet && changesOnlyNew(program, callee);
  return new Map([...caller.frame.locals].filter(([name]) => stays && !program.reboundNames.has(name)));
}

/** What a method of builtins is given, if that is a call and the only thing that it is given: `xs.append(C(1))`. */
function takenBy(program: Program, code: ArrayLike<number>, { parts }: Part): Part | undefined {
  const [callee, only, ...more] = parts;
  const [base] = callee?.kind === 'attribute' ? callee.parts : [];
  const name = callee && attributeName(program, code[callee.end - 1] as number);
  const isOurs = program.scopes.some((scope) => scope.name === name);
  const isTaken = base !== undefined && !mayCall(code, base) && more.length === 0 && !isOurs;
  return isTaken && name !== undefined && isBuiltinMethod(name) && only?.kind === 'call' ? only : undefined;
}

/** A function that returns, and the frame to which it does. */
interface Returning {
  readonly callee: Scope;
  /** That of the function. */
  readonly frame: Frame;
  readonly caller: Running;
  readonly flow: LineFlow;
  /** The line on which that waits, if it is a statement of its own, and the call, where it is told. */
  readonly waiting: FrameLine | undefined;
  readonly call: Part | undefined;
  /** What was looked up to be given. */
  readonly places: readonly Place[];
  /** What variables of the caller, by name, stand for as the function ends. */
  readonly values: LeftBehind;
  readonly isRaised: boolean;
}

function returningFrom(program: Program, state: DebuggerState): Returning | undefined {
  if (state.event !== 'return') return undefined;
  const caller = runningFrame(program, state);
  const frame = state.frames.at(-1);
  const scope = frame && scopeOf(program, frame, 'return');
  const flow = caller?.scope.flow?.lines.get(caller.frame.line);
  if (caller === undefined || flow === undefined || frame === undefined || scope === undefined)
    return undefined;
  if (caller.scope.isGenerator) return undefined;
  const callee = { frame, scope };
  const waiting = waitingLine(program, caller, flow);
  const [covered, hidden] = [coveredNames(program, flow.own), coveredNames(program, linesOf(callee))];
  if (covered === undefined || hidden === undefined) return undefined;
  const { names, call, places } = sharedNames(program, callee, caller, waiting);
  const values = new Map<string, string | undefined>();
  for (const [name, own] of names) {
    const value = frame.locals.get(own);
    if (!covered.has(name) && !hidden.has(own) && agrees(program, caller, name, value))
      values.set(name, value);
  }
  const isRaised = waiting !== undefined && leftByException(program, state);
  return { callee: scope, frame, caller, flow, waiting, call, places, values, isRaised };
}

/** The statement in which the caller waits. */
function waitingLine(program: Program, caller: Running, { own }: LineFlow): FrameLine | undefined {
  const { frame } = caller;
  const isPart = own.size !== 1;
  const code = isPart ? statementTokens(program, caller) : lineTokens(program, frame.line);
  const parts = lineParts(code);
  return parts && { program, frame, code, parts, isPart };
}

/** Variables of the caller that are variables of the callee, or of which it has the object: by name, the callee's name. `call`: the one that has returned. */
function sharedNames(
  program: Program,
  { scope: callee, frame }: Running,
  { scope: caller }: Running,
  line: FrameLine | undefined,
): {
  readonly names: ReadonlyMap<string, string>;
  readonly call?: Part | undefined;
  readonly places: readonly Place[];
} {
  const given = line && givenNames(line, callee);
  const found = new Map<string, string>();
  for (const [name, parameter] of given?.names ?? [])
    if (isOnlyHere(program, caller, name) && frame.locals.has(parameter)) found.set(name, parameter);
  // What is called otherwise than by its name may be that of another call of the function around it.
  if (callee.isPlain && !program.hidesArguments)
    for (const name of freeNames(callee))
      if (isSameVariable(program, callee, caller, name)) found.set(name, name);
  return { names: found, call: given?.call, places: given?.places ?? [] };
}

/** Whether nothing but the function that a variable is local to binds it, which waits meanwhile. */
const isOnlyHere = (program: Program, caller: Scope, name: string): boolean =>
  ownerOf(program, caller, name)?.isGenerator === false && !program.reboundNames.has(name);

/** Whether the caller may have the value: what it cannot have lost by the call is the same there. (A predicted state, or an edited one, may say otherwise.) */
function agrees(program: Program, { frame }: Running, name: string, value: string | undefined): boolean {
  const shown = frame.locals.get(name);
  return shown === value || shown === undefined || !isImmutable(shown) || program.reboundNames.has(name);
}

/** The name of a list or the like which the line of the caller changes, and nothing else by itself, if nobody else has that list: `found.append(f(x))`. */
function ownList(
  program: Program,
  { scope, frame }: Running,
  { effects }: LineFlow,
  line: FrameLine | undefined,
): string | undefined {
  const [value, ...others] = line?.parts.values ?? [];
  const [callee, ...given] = value?.kind === 'call' ? value.parts : [];
  const [base] = callee?.kind === 'attribute' ? callee.parts : [];
  if (line === undefined || base?.kind !== 'name' || others.length + line.parts.inner.length > 0)
    return undefined;
  const slot = line.code[base.first] as number;
  const name = nameOfSlot(program, slot);
  const contents = encodeValue(program, frame.locals.get(name) ?? '0');
  const isList = isLiteral(contents) && mutableDepth(contents) === 1;
  if (!isList || effects.stores || effects.updates.size > 0 || !isOwn(program, scope, slot)) return undefined;
  const inside = { ...line, parts: { values: given, inner: [], targets: [] } };
  return changesNothingElse(inside, scope.flow?.foreign ?? 'anything') ? name : undefined;
}

/** Whether the line of the caller changes no object by itself. */
function changesNoObject(
  program: Program,
  { scope, frame }: Running,
  { effects }: LineFlow,
  line: FrameLine | undefined,
  call: Part | undefined,
): boolean {
  const foreign = scope.flow?.foreign ?? 'anything';
  const isImmutableName = (name: string): boolean =>
    !program.reboundNames.has(name) && isImmutable(frame.locals.get(name) ?? '[]');
  if (effects.stores || ![...effects.updates].every(isImmutableName)) return false;
  if (foreign === 'nothing' && !effects.disturbs) return true;
  return line !== undefined && changesNothingElse(line, foreign, call);
}

/** Lines on which the frame may be now. */
const linesOf = ({ scope, frame }: Running): Iterable<number> =>
  scope.flow?.lines.get(frame.line)?.own ?? scope.lines;

/**
 * Names that an event inside a comprehension on one of the lines may show as they were before: it has variables of these names itself. undefined where they
 * cannot be told.
 */
function coveredNames(program: Program, lines: Iterable<number>): ReadonlySet<string> | undefined {
  const read: LineParts[] = [];
  for (const line of lines) {
    const code = lineTokens(program, line);
    if (code.lastIndexOf(forWord) <= 0) continue;
    const parts = lineParts(code);
    if (parts === undefined) return undefined;
    read.push(parts);
  }
  return new Set(read.flatMap((parts) => [...namesInside(program, parts)]));
}
