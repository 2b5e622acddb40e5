/** What a line takes out of lists and deques before it does anything else with it: `total += xs.pop()`, `i, j = ys.pop(), ys.popleft()`. */
import type { Program } from '../program.js';
import type { Running } from '../running.js';
import { inPlace, spliced } from './items.js';
import type { LineParts } from './line-parts.js';
import { changedBy } from './method-changes.js';
import type { Part, PartKind } from './parts.js';
import type { Value } from './plan.js';
import { slotBase, wordTokens } from './tokens.js';
import { type ToldLine, textOf } from './told-line.js';

const takers = new Set<number | undefined>(wordTokens('pop popleft'));
/** What is in these may be evaluated later, more than once or not at all. */
const undecided: ReadonlySet<PartKind> = new Set([
  'and',
  'or',
  'ternary',
  'lambda',
  'comprehension',
  'generator',
  'text',
]);

export interface TakenFirst {
  /** The code tokens with what is taken in place of the calls. */
  readonly code: readonly number[];
  /** What is left of the collections, by name. */
  readonly left: ReadonlyMap<string, string>;
}

/** The calls of a line that take something; undefined where one of them may not be made, or come after something else that changes the same. */
function callsIn(code: ArrayLike<number>, parts: readonly Part[]): Part[] | undefined {
  const found: Part[] = [];
  for (const part of parts) {
    const inside = callsIn(code, part.parts);
    if (inside === undefined || (inside.length > 0 && isUndecided(part))) return undefined;
    found.push(...inside);
    const [callee] = part.parts;
    const isTaken = part.kind === 'call' && callee?.kind === 'attribute' && callee.parts[0]?.kind === 'name';
    if (isTaken && takers.has(code[callee.end - 1])) found.push(part);
  }
  return found;
}

const isUndecided = ({ kind, parts }: Part): boolean =>
  undecided.has(kind) || (kind === 'compare' && parts.length > 2);

/** undefined where a line takes nothing, or not all of it is told. */
export function takenFirst(
  program: Program,
  { scope }: Running,
  code: readonly number[],
  { values, inner }: LineParts,
  told: ToldLine,
): TakenFirst | undefined {
  const calls = callsIn(code, [...values, ...inner]);
  if (calls === undefined || calls.length === 0) return undefined;
  const collections = new Map<number, Value>();
  const places = new Map<number, { readonly until: number; readonly tokens: Value }>();
  for (const { begin, until, parts } of calls) {
    const [callee, ...given] = parts as [Part, ...Part[]];
    const base = callee.parts[0] as Part;
    const slot = code[base.first] as number;
    const value = collections.get(slot) ?? told.tokens(base);
    const arguments_ = given.map((argument) => told.tokens(argument));
    if (value === undefined || !arguments_.every((argument) => argument !== undefined)) return undefined;
    const changed = changedBy(code[callee.end - 1] as number, value, arguments_);
    if (changed === undefined) return undefined;
    collections.set(slot, changed.left);
    places.set(begin, { until, tokens: inPlace(changed.given, code[until]) });
  }
  const left = new Map<string, string>();
  for (const [slot, value] of collections) {
    const name = program.slotNames[slot - slotBase];
    const text = textOf(program, value);
    const isReadElsewhere =
      code.filter((token) => token === slot).length >
      calls.filter(({ parts }) => code[(parts[0] as Part).first] === slot).length;
    if (name === undefined || text === undefined || isReadElsewhere || !scope.names.includes(name))
      return undefined;
    left.set(name, text);
  }
  return { code: spliced(code, 0, code.length, (at) => places.get(at)), left };
}
