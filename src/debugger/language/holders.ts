/**
 * Names whose objects hold the one that a line changes: `curr = head`, `curr = curr.next`, `for row in grid`. What a name has been looked up in is written in it
 * where the line begins, and changes with it.
 */
import { type Action, isReverse, singleSteps } from '../action.js';
import { lineTokens, nameOfSlot, type Program, type Scope } from '../program.js';
import { runningFrame } from '../running.js';
import type { DebuggerState } from '../state.js';
import { lineParts } from './line-parts.js';
import { isMutable } from './literal-values.js';
import { augmented } from './operators.js';
import type { Part } from './parts.js';
import type { Results } from './results.js';
import { charTokens, special, wordTokens } from './tokens.js';
import { textOf } from './told-line.js';
import { encodeValue } from './values.js';

type Value = readonly number[];

const [angle, comma] = charTokens('<,') as [number, number];
const [forWord, inWord, none, enumerate] = wordTokens('for in None enumerate') as [
  number,
  number,
  number,
  number,
];

/** By function and slot: the slots of the names that a name is looked up in wherever the function binds it. */
const found = new WeakMap<Scope, Map<number, ReadonlySet<number> | undefined>>();

/** What a step that stays in its frame leaves, with what it leaves of the objects that hold the one which it changes. */
export function withHolders(
  program: Program,
  state: DebuggerState | null,
  { kind }: Action,
  results: Results,
): Results {
  const isStep = state?.event === 'line' && singleSteps.has(kind) && !isReverse(kind);
  const running = isStep && results.assigned.size === 1 ? runningFrame(program, state) : undefined;
  const [[name, text] = ['', '']] = results.assigned;
  const slot = program.slots.get(name) ?? -1;
  if (running === undefined || boundOn(program, running.scope, running.frame.line, slot)?.length !== 0)
    return results;
  const { frame, scope } = running;
  const sources = sourcesOf(program, scope, slot);
  const [before, after] = [frame.locals.get(name) ?? '', text].map((value) =>
    encodeValue(program, value),
  ) as unknown as readonly [Value, Value];
  if (sources === undefined || (!isMutable(before) && before[0] !== angle) || after.includes(special.cut))
    return results;
  const whole = new Map([...frame.locals].map(([other, held]) => [other, encodeValue(program, held)]));
  const holders = new Map<string, Value>();
  for (const [other, value] of whole) {
    if (!sources.has(program.slots.get(other) ?? -1)) continue;
    // What looks the same may be another object once one of the two is bound anew.
    const isOther = value.join() === before.join() && isBound(program, scope, other);
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
  const texts = [...holders].flatMap(([other, left]) => {
    const now = left.includes(special.cut) ? undefined : textOf(program, left);
    return now === undefined ? [] : [[other, now] as const];
  });
  return { ...results, assigned: new Map([...results.assigned, ...texts]) };
}

/** Whether a function may bind a name, its parameters apart. */
const isBound = (program: Program, scope: Scope, name: string): boolean =>
  scope.lines.some((line) => boundOn(program, scope, line, program.slots.get(name) ?? -1)?.length !== 0);

/** A value in which another one is written once, with one in place of that. */
function replacedOnce(whole: Value, before: Value, after: Value): Value | undefined {
  const isAt = (at: number): boolean => before.every((token, index) => whole[at + index] === token);
  const [place, ...others] = [...whole.keys()].filter(isAt);
  if (place === undefined || others.length > 0) return undefined;
  return [...whole.slice(0, place), ...after, ...whole.slice(place + before.length)];
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
  const pairs = line.targets.flatMap((target) => pairsOf(target, line.values[0] as Part));
  const own = pairs.filter(([target]) => target.kind === 'name' && code[target.first] === slot);
  const uses = line.targets.flatMap(namesIn).filter(({ first }) => code[first] === slot);
  return own.length === uses.length ? own.map(([, value]) => value) : undefined;
}

/** What a loop takes a name from: `for x in xs`, `for i, x in enumerate(xs)`. */
function gone(code: readonly number[], slot: number, over: Part): readonly Part[] | undefined {
  if (code[1] === slot && code[2] === inWord) return [over];
  const [callee, ...given] = over.kind === 'call' ? over.parts : [];
  const isNumbered = callee?.kind === 'name' && code[callee.first] === enumerate && given.length === 1;
  return isNumbered && code[2] === comma && code[3] === slot && code[4] === inWord ? given : undefined;
}

function pairsOf(target: Part, value: Part): (readonly [target: Part, value: Part])[] {
  const isPairwise =
    target.kind === 'display' && value.kind === 'display' && target.parts.length === value.parts.length;
  return isPairwise
    ? target.parts.flatMap((inner, index) => pairsOf(inner, value.parts[index] as Part))
    : [[target, value]];
}

/** The names that are assigned to. */
const namesIn = (target: Part): Part[] =>
  target.kind === 'name'
    ? [target]
    : target.kind === 'display' || target.kind === 'star'
      ? target.parts.flatMap(namesIn)
      : [];

/** The name with which a lookup begins, or None; undefined for other values. */
function baseOf(code: readonly number[], part: Part): number | undefined {
  const [base, index] = part.parts;
  if (part.kind === 'name') return code[part.first];
  if (part.kind === 'constant') return code[part.first] === none ? none : undefined;
  const isLookup = part.kind === 'attribute' || (part.kind === 'subscript' && index?.kind !== 'slice');
  return isLookup && base && base.kind !== 'constant' ? baseOf(code, base) : undefined;
}
