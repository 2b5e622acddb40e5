/**
 * Names whose objects hold the one that a line changes: `curr = head`, `curr = curr.next`, `for row in grid`. What a name has been looked up in is written in it
 * where the line begins, and changes with it.
 */
import { type Action, callerSteps, isReverse, singleSteps } from './action.js';
import { attributeName, classOfObject } from './language/attributes.js';
import { isChanging } from './language/known-calls.js';
import { lineParts } from './language/line-parts.js';
import { isMutable } from './language/literal-values.js';
import { augmented } from './language/operators.js';
import type { Part } from './language/parts.js';
import { pairsOf } from './language/target-order.js';
import { charTokens, special, wordTokens } from './language/tokens.js';
import { textOf } from './language/told-values.js';
import { encodeValue } from './language/values.js';
import { storesOnlyThrough } from './linked.js';
import { lineTokens, nameOfSlot, type Program, type Scope } from './program.js';
import { changesOnlyGiven } from './reach.js';
import { type Running, runningFrame, scopeOf } from './running.js';
import { type DebuggerState, depth, type Frame, goingFrame, withFrame } from './state.js';

type Value = readonly number[];

const [angle, comma] = charTokens('<,') as [number, number];
const [forWord, inWord, none, enumerate, get, items, values] = wordTokens(
  'for in None enumerate get items values',
) as [number, number, number, number, number, number, number];
const views: ReadonlySet<number | undefined> = new Set([items, values]);

/** By function and slot: the slots of the names that a name is looked up in wherever the function binds it. */
const found = new WeakMap<Scope, Map<number, ReadonlySet<number> | undefined>>();

/** `after` with what is left of the objects that hold the one which the statement of a frame has changed, where `action` is a single step forward; else `after` as it is. */
export function withHolders(
  program: Program,
  before: DebuggerState | null,
  action: Action,
  after: DebuggerState,
): DebuggerState {
  const running =
    before && endsStatement(program, before, action) ? runningFrame(program, before) : undefined;
  const going = before && running && goingFrame(before, after, false);
  if (!going || depth(after) > going.level + 1 || after.event === 'call' || after.event === 'exception')
    return after;
  const [changed, ...others] = changedObjects(program, running, going.frame);
  const held = changed && others.length === 0 ? holdersOf(program, running, changed) : new Map();
  const locals = program.sortLocals(new Map([...going.frame.locals, ...held]));
  return held.size > 0 ? withFrame(after, going.frame, { ...going.frame, locals }) : after;
}

/** The objects that a line has changed which names were looked up for. */
function changedObjects(program: Program, { frame, scope }: Running, now: Frame): Changed[] {
  return [...now.locals].flatMap(([name, text]) => {
    const old = frame.locals.get(name);
    const slot = program.slots.get(name) ?? -1;
    if (old === undefined || old === text || boundOn(program, scope, frame.line, slot)?.length !== 0)
      return [];
    const sources = liveSources(program, { frame, scope }, slot);
    const [before, after] = [encodeValue(program, old), encodeValue(program, text)];
    const isObject = before[0] === angle || classOfObject(old) !== undefined;
    const isWhole = (isMutable(before) || isObject) && !after.includes(special.cut);
    const isThere = sources && isWhole && !mayBeReplaced(program, { frame, scope }, slot, sources);
    return isThere ? [{ name, sources, before, after }] : [];
  });
}

/** A name, the names that it is looked up in, and the object that it stands for, before and after it has changed. */
interface Changed {
  readonly name: string;
  readonly sources: ReadonlySet<number>;
  readonly before: Value;
  readonly after: Value;
}

/** By name: what is left of the objects that hold one which changes. */
function holdersOf(
  program: Program,
  { frame, scope }: Running,
  { name, sources, before, after }: Changed,
): Map<string, string> {
  const whole = new Map([...frame.locals].map(([other, held]) => [other, encodeValue(program, held)]));
  const holders = new Map<string, Value>();
  for (const [other, value] of whole) {
    if (!sources.has(program.slots.get(other) ?? -1)) continue;
    const isOther = value.join() === before.join() && !isSameObject(program, scope, other, { name, sources });
    const left = isOther ? undefined : replacedOnce(value, before, after);
    if (left) holders.set(other, left);
  }
  for (const [holder, left] of [...holders]) {
    const held = whole.get(holder) as Value;
    // An object that holds others is not there twice by chance.
    if (held[0] !== angle || held.join() === before.join()) continue;
    for (const [other, value] of whole) {
      const around = other === name || holders.has(other) ? undefined : replacedOnce(value, held, left);
      if (around && value.length > held.length) holders.set(other, around);
    }
  }
  return new Map(
    [...holders].flatMap(([other, left]) => {
      const now = left.includes(special.cut) ? undefined : textOf(program, left);
      return now === undefined ? [] : [[other, now] as const];
    }),
  );
}

/** Whether a step may end the statement of a frame in which no object has changed since that was seen, but one that is new. */
function endsStatement(program: Program, state: DebuggerState, { kind }: Action): boolean {
  const frame = state.frames.at(-1);
  if (isReverse(kind) || frame === undefined) return false;
  if (state.event === 'return')
    return (
      callerSteps.has(kind) &&
      (scopeOf(program, frame, 'return')?.name === '__init__' || changesOnlyGiven(program, state))
    );
  const running = state.event === 'line' && singleSteps.has(kind) ? runningFrame(program, state) : undefined;
  const effects = running?.scope.flow?.lines.get(frame.line)?.effects;
  // A step over a call does not show what that has changed.
  return effects !== undefined && (kind === 'step_into' || !effects.calls);
}

/** Whether, since a name was looked up, something else that looks like it may have come to its place: an item was assigned, or a method has changed a list. */
function mayBeReplaced(
  program: Program,
  { frame, scope }: Running,
  slot: number,
  sources: ReadonlySet<number>,
): boolean {
  const lookups = bindingLines(program, scope, slot);
  const storing = scope.lines.filter(
    (line) => !lookups.has(line) && storesInto(program, scope, line, sources),
  );
  if (storing.length === 0) return false;
  const behindLookup = reachedFrom(scope, lookups, lookups);
  return storing.some(
    (line) => behindLookup.has(line) && reachedFrom(scope, [line], lookups).has(frame.line),
  );
}

/** Whether a line assigns an item of what one of these names holds, changes a list or the like in it by a method, or binds the name to something new. */
function storesInto(program: Program, scope: Scope, line: number, sources: ReadonlySet<number>): boolean {
  const code = [...lineTokens(program, line)];
  const { targets = [], values: [value] = [] } = lineParts(code) ?? {};
  const isOf = (part: Part): boolean => sources.has(rootOf(code, part) ?? -1);
  if (targets.some((target) => target.kind === 'subscript' && isOf(target))) return true;
  const callee = value?.kind === 'call' ? value.parts[0] : undefined;
  const isMethod =
    callee?.kind === 'attribute' && isChanging(attributeName(program, code[callee.end - 1] as number));
  if (callee !== undefined && isMethod && isOf(callee)) return true;
  return [...sources].some((source) => {
    const bound = boundOn(program, scope, line, source);
    return bound === undefined || bound.some((one) => baseOf(code, one) === undefined);
  });
}

/** The name with which attributes and items begin. */
const rootOf = (code: readonly number[], { kind, first, parts: [base] }: Part): number | undefined =>
  kind === 'name' ? code[first] : base && rootOf(code, base);

/** The lines that a function may come to from some lines, without passing others. */
function reachedFrom(
  { flow }: Scope,
  from: Iterable<number>,
  without: ReadonlySet<number>,
): ReadonlySet<number> {
  const following = (line: number): number[] => {
    const { next = [], caught } = flow?.lines.get(line) ?? {};
    return [...next, ...(caught?.lines ?? [])].filter((to) => !without.has(to));
  };
  const reached = new Set([...from].flatMap(following));
  for (const line of reached) for (const to of following(line)) reached.add(to);
  return reached;
}

/** Whether a function may bind a name, its parameters apart. */
const isBound = (program: Program, scope: Scope, name: string): boolean =>
  bindingLines(program, scope, program.slots.get(name) ?? -1).size > 0;

/**
 * Whether a name that looks the same as one that was looked up in it is that object: it is not bound anew, and what it holds is not taken out of it.
 */
function isSameObject(
  program: Program,
  scope: Scope,
  other: string,
  { name, sources }: Pick<Changed, 'name' | 'sources'>,
): boolean {
  const isOnce = sources.size === 1 && isBoundOnce(program, scope, other);
  if (!isOnce && isBound(program, scope, other)) return false;
  const slot = program.slots.get(name) ?? -1;
  const values = scope.lines.flatMap((line) => boundOn(program, scope, line, slot) ?? []);
  return values.every(({ kind }) => kind === 'name') || storesOnlyThrough(program, scope, slot);
}

/** Whether a name stands for what a function binds it to on one line, which it passes but once. */
function isBoundOnce(program: Program, scope: Scope, name: string): boolean {
  if (scope.namesAtCall.includes(name) || program.reboundNames.has(name)) return false;
  const slot = program.slots.get(name) ?? -1;
  const [line, ...others] = bindingLines(program, scope, slot);
  return line !== undefined && others.length === 0 && !comesAgain(scope, line);
}

/** Whether a function may come to a line from that line. */
function comesAgain({ flow, lines }: Scope, line: number): boolean {
  if (!flow || !lines.every((other) => flow.lines.has(other))) return true;
  const reached = new Set([line]);
  for (const from of reached) {
    const { next = [], caught } = flow.lines.get(from) ?? {};
    if (caught === undefined) return true;
    for (const to of [...next, ...caught.lines]) {
      if (to === line) return true;
      reached.add(to);
    }
  }
  return false;
}

/** A value in which another one is written once, with one in place of that. */
export function replacedOnce(whole: Value, before: Value, after: Value): Value | undefined {
  const isAt = (at: number): boolean => before.every((token, index) => whole[at + index] === token);
  const [place, ...others] = [...whole.keys()].filter(isAt);
  if (place === undefined || others.length > 0) return undefined;
  return [...whole.slice(0, place), ...after, ...whole.slice(place + before.length)];
}

/** The names in which a name may have been looked up that stands for what it does now; undefined where a name is bound to anything else. */
function liveSources(
  program: Program,
  { frame, scope }: Running,
  slot: number,
): ReadonlySet<number> | undefined {
  const all = sourcesOf(program, scope, slot);
  const lookups = bindingLines(program, scope, slot);
  if (all === undefined || lookups.size < 2) return all;
  const live = [...lookups].filter((line) => reachedFrom(scope, [line], lookups).has(frame.line));
  const bases = live.flatMap((line) => {
    const code = [...lineTokens(program, line)];
    return (boundOn(program, scope, line, slot) ?? []).map((value) => baseOf(code, value));
  });
  // What it was looked up in itself was looked up before.
  return bases.includes(slot) || live.length === 0
    ? all
    : new Set([...all].filter((source) => bases.includes(source)));
}

/** undefined where a name is bound to anything else. */
function sourcesOf(program: Program, scope: Scope, slot: number): ReadonlySet<number> | undefined {
  const known = found.get(scope) ?? new Map<number, ReadonlySet<number> | undefined>();
  found.set(scope, known);
  if (!known.has(slot)) known.set(slot, sourcesIn(program, scope, slot));
  return known.get(slot);
}

function sourcesIn(program: Program, scope: Scope, slot: number): ReadonlySet<number> | undefined {
  const name = nameOfSlot(program, slot);
  if (scope.parameters.has(name) || program.reboundNames.has(name)) return undefined;
  const sources = new Set<number>();
  for (const line of scope.lines) {
    const code = [...lineTokens(program, line)];
    const values = boundOn(program, scope, line, slot);
    if (values === undefined) return undefined;
    for (const value of values) {
      const base = baseOf(code, value);
      if (base === undefined) return undefined;
      if (base !== none && base !== slot) sources.add(base);
    }
  }
  return sources;
}

/** The lines on which a function may bind a name. */
const bindingLines = (program: Program, scope: Scope, slot: number): ReadonlySet<number> =>
  new Set(scope.lines.filter((line) => boundOn(program, scope, line, slot)?.length !== 0));

/** The same as valuesOf for a line of a function. */
function boundOn(program: Program, { flow }: Scope, line: number, slot: number): readonly Part[] | undefined {
  const { own, effects } = flow?.lines.get(line) ?? {};
  if (own === undefined || effects === undefined) return undefined;
  if (!effects.binds.has(nameOfSlot(program, slot))) return [];
  return own.size === 1 ? valuesOf([...lineTokens(program, line)], slot) : undefined;
}

/** What a line binds a name to, or what it takes it from as the items of that one by one; undefined where that is not told. */
function valuesOf(code: readonly number[], slot: number): readonly Part[] | undefined {
  const line = lineParts(code);
  if (line === undefined || (code[0] === slot && augmented.has(code[1] as number))) return undefined;
  if (code[0] === forWord) return gone(code, slot, line.values[0] as Part);
  const stored = line.targets.find(({ kind }) => kind === 'attribute' || kind === 'subscript');
  // `x = xs[k] = Thing()`: what is made stands where it is stored.
  const value = (line.values[0]?.kind === 'call' && stored) || (line.values[0] as Part);
  const pairs = line.targets.flatMap((target) =>
    pairsOf(target, target === stored ? (line.values[0] as Part) : value),
  );
  const own = pairs.filter(([target]) => target.kind === 'name' && code[target.first] === slot);
  const uses = line.targets.flatMap(namesIn).filter(({ first }) => code[first] === slot);
  return own.length === uses.length ? own.map(([, value]) => value) : undefined;
}

/** What a loop takes a name from: `for x in xs`, `for i, x in enumerate(xs)`. */
function gone(code: readonly number[], slot: number, over: Part): readonly Part[] | undefined {
  if (code[1] === slot && code[2] === inWord) return [over];
  const isEntry = code[2] === comma && (code[1] === slot || code[3] === slot) && code[4] === inWord;
  if (isEntry && code[over.end - 3] === items && over.kind === 'call') return [over];
  const [callee, ...given] = over.kind === 'call' ? over.parts : [];
  const isNumbered = callee?.kind === 'name' && code[callee.first] === enumerate && given.length === 1;
  return isNumbered && code[2] === comma && code[3] === slot && code[4] === inWord ? given : undefined;
}

/** The names that are assigned to. */
const namesIn = (target: Part): Part[] =>
  target.kind === 'name'
    ? [target]
    : target.kind === 'display' || target.kind === 'star'
      ? target.parts.flatMap(namesIn)
      : [];

/** What `d.get(k)`, `d.values()` and their like look something up in. */
function viewedBy(code: readonly number[], { parts: [callee, ...given] }: Part): Part | undefined {
  const [base] = callee?.kind === 'attribute' ? callee.parts : [];
  const method = code[(callee?.end ?? 0) - 1];
  if (base === undefined) return undefined;
  const isNone = given[1] === undefined || (given[1].kind === 'constant' && code[given[1].first] === none);
  if (method === get) return given.length > 0 && given.length < 3 && isNone ? base : undefined;
  return views.has(method) && given.length === 0 ? base : undefined;
}

/** The name with which a lookup begins, or None; undefined for other values. */
function baseOf(code: readonly number[], part: Part): number | undefined {
  const [base, index] = part.parts;
  if (part.kind === 'name') return code[part.first];
  if (part.kind === 'constant') return code[part.first] === none ? none : undefined;
  const viewed = part.kind === 'call' ? viewedBy(code, part) : undefined;
  if (viewed !== undefined) return baseOf(code, viewed);
  const isLookup = part.kind === 'attribute' || (part.kind === 'subscript' && index?.kind !== 'slice');
  return isLookup && base && base.kind !== 'constant' ? baseOf(code, base) : undefined;
}
