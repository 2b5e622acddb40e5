/** What a line takes out of lists and deques before it does anything else with it: `total += xs.pop()`, `i, j = ys.pop(), ys.popleft()`. */
import { lineTokens, type Program } from '../program.js';
import type { Running } from '../running.js';
import { inPlace, spliced } from './items.js';
import type { LineParts } from './line-parts.js';
import { changedBy } from './method-changes.js';
import { isUndecided, type Part } from './parts.js';
import type { Value } from './plan.js';
import { slotBase, wordTokens } from './tokens.js';
import type { ToldLine } from './told-line.js';
import { textOf } from './told-values.js';

const takers = new Set<number | undefined>(wordTokens('pop popleft setdefault'));

export interface TakenFirst {
  /** The code tokens with what is taken in place of the calls. */
  readonly code: readonly number[];
  /** What is left of the collections, by name. */
  readonly left: ReadonlyMap<string, string>;
  /** Names that stand for none of these and hold none. */
  readonly others: ReadonlyMap<string, string>;
}

/** A call of a method that takes something out of what a name stands for. */
interface Taking {
  readonly slot: number;
  readonly part: Part;
  readonly method: number;
  readonly given: readonly Part[];
}

/** Such calls in the order in which they are made; undefined where one of them may not be. */
function takingsIn(code: ArrayLike<number>, parts: readonly Part[]): readonly Taking[] | undefined {
  const found: Taking[] = [];
  for (const part of parts) {
    const inside = takingsIn(code, part.parts);
    if (inside === undefined || (inside.length > 0 && isUndecided(part))) return undefined;
    found.push(...inside);
    const [callee, ...given] = part.parts;
    const method = callee && (code[callee.end - 1] as number);
    const isOfName = callee?.kind === 'attribute' && callee.parts[0]?.kind === 'name';
    if (part.kind === 'call' && isOfName && method !== undefined && takers.has(method))
      found.push({ slot: code[callee.first] as number, part, method, given });
  }
  return found;
}

const usesOf = (code: ArrayLike<number>, slot: number): number =>
  Array.from(code).filter((token) => token === slot).length;

/** Whether all else that is done with a collection is done once everything is taken out of it: `xs[ys.pop()] + ys[-1]`, `ys.append(ys.pop() + 1)`. */
function isReadBehind(
  code: ArrayLike<number>,
  slot: number,
  takings: readonly Taking[],
  { values: [value], targets }: LineParts,
): boolean {
  const own = takings.filter((taking) => taking.slot === slot).map(({ part }) => part);
  const end = Math.max(...own.map(({ until }) => until));
  const callee = value?.kind === 'call' ? value.parts[0] : undefined;
  const isTarget = (at: number): boolean => targets.some(({ begin, until }) => begin <= at && at < until);
  return Array.from(code).every((token, at) => {
    if (token !== slot || own.some(({ first }) => first === at)) return true;
    return (at >= end && !isTarget(at)) || (callee?.kind === 'attribute' && callee.first === at);
  });
}

/** undefined where a line takes nothing, not all of it is told, or it reads what it takes something out of before. */
export function takenFirst(
  program: Program,
  { frame, scope }: Running,
  code: ArrayLike<number>,
  line: LineParts,
  told: ToldLine,
): TakenFirst | undefined {
  const takings = takingsIn(code, [...line.values, ...line.inner]);
  if (takings === undefined || takings.length === 0) return undefined;
  const collections = new Map<number, Value>();
  const changing: Value[] = [];
  const places = new Map<number, { readonly until: number; readonly tokens: Value }>();
  for (const { slot, part, method, given } of takings) {
    const before = collections.has(slot) ? undefined : told.tokens(part.parts[0]?.parts[0] as Part);
    if (before) changing.push(before);
    const value = collections.get(slot) ?? before;
    const arguments_ = given.map((argument) => told.tokens(argument));
    const areTold = arguments_.every((argument) => argument !== undefined);
    const changed = value && areTold ? changedBy(method, value, arguments_) : undefined;
    if (changed === undefined) return undefined;
    collections.set(slot, changed.left);
    places.set(part.begin, { until: part.until, tokens: inPlace(changed.given, code[part.until]) });
  }
  const left = new Map<string, string>();
  const written = lineTokens(program, frame.line);
  for (const [slot, value] of collections) {
    const name = program.slotNames[slot - slotBase];
    const text = textOf(program, value);
    // `xs[ys.pop()] += 1` is read as an assignment, but takes once.
    const isOnce = usesOf(code, slot) <= usesOf(written, slot);
    const isTold = text !== undefined && isOnce && isReadBehind(code, slot, takings, line);
    if (name === undefined || !isTold || !scope.names.includes(name)) return undefined;
    left.set(name, text);
  }
  return { code: spliced(code, 0, code.length, (at) => places.get(at)), left, others: told.others(changing) };
}
