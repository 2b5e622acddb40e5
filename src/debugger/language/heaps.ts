/** Calls of `heapq`: where a line has one, and what it does to its list by comparing two items again and again, as CPython does. */

import type { Program } from '../program.js';
import { attributeName } from './attributes.js';
import { inPlace, spliced } from './items.js';
import type { Part, PartKind } from './parts.js';
import type { Value } from './plan.js';
import { charTokens, isDigitToken, wordToken } from './tokens.js';

export type HeapOperation = 'heappush' | 'heappop' | 'heapify' | 'heapreplace' | 'heappushpop';

/** A call of one of these. */
export interface HeapCall {
  readonly operation: HeapOperation;
  readonly part: Part;
  /** The list, a name. */
  readonly heap: Part;
  readonly item: Part | undefined;
  /** The call with a `-` before it, as a heap for the greatest item is used, if there is one. */
  readonly negated?: Part | undefined;
}

/** Numbers of arguments. */
const operations: ReadonlyMap<string, number> = new Map([
  ['heappush', 2],
  ['heappop', 1],
  ['heapify', 1],
  ['heapreplace', 2],
  ['heappushpop', 2],
]);
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
const [minus, zero] = charTokens('-0');
const none = wordToken('None') as number;
const imported = /^[ \t]*(?:import\s+heapq\b|from\s+heapq\s+import\b)/m;

/** The one call of `heapq` that surely is made in these parts; undefined where there are none or several. */
export function heapCall(
  program: Program,
  code: ArrayLike<number>,
  parts: readonly Part[],
): HeapCall | undefined {
  if (!imported.test(program.source)) return undefined;
  const found: (HeapCall & { readonly isSure: boolean })[] = [];
  const visit = (part: Part, isSure: boolean, around?: Part): void => {
    const call = callAt(program, code, part);
    const isNegated = around?.kind === 'unary' && code[around.first] === minus;
    if (call) found.push({ ...call, isSure, negated: isNegated ? around : undefined });
    const isInside =
      isSure && !undecided.has(part.kind) && !(part.kind === 'compare' && part.parts.length > 2);
    for (const inner of part.parts) visit(inner, isInside, part);
  };
  for (const part of parts) visit(part, true);
  const [only, ...others] = found;
  return others.length === 0 && only?.isSure ? only : undefined;
}

function callAt(program: Program, code: ArrayLike<number>, part: Part): HeapCall | undefined {
  const [callee, heap, item] = part.parts;
  if (part.kind !== 'call' || callee === undefined || heap?.kind !== 'name') return undefined;
  const name = attributeName(program, code[callee.end - 1] as number);
  const isOfModule =
    callee.kind === 'attribute' && attributeName(program, code[callee.first] as number) === 'heapq';
  const isCalled = isOfModule ? callee.end === callee.first + 3 : callee.kind === 'name';
  const isBound = program.scopes.some((scope) => scope.name === name || scope.names.includes(name));
  if (!isCalled || isBound || operations.get(name) !== part.parts.length - 1) return undefined;
  return item?.kind === 'keyword' || item?.kind === 'star'
    ? undefined
    : { operation: name as HeapOperation, part, heap, item };
}

/** The code tokens with what the call gives in its place (None, where that is undefined). */
export function withGiven(
  code: readonly number[],
  { part, negated }: HeapCall,
  given: Value | undefined,
): number[] {
  const number = given && negated && isNumber(given) ? opposite(given) : undefined;
  const { begin, until } = number && negated ? negated : part;
  const place = { until, tokens: inPlace(number ?? given ?? [none], code[until]) };
  return spliced(code, 0, code.length, (at) => (at === begin ? place : undefined));
}

const isNumber = ([sign, digit = sign]: Value): boolean =>
  isDigitToken((sign === minus ? digit : sign) as number);

/** The number with the other sign; an integer 0 has none. */
const opposite = (number: Value): Value =>
  number.join() === `${zero}` ? number : number[0] === minus ? number.slice(1) : [minus as number, ...number];

/** Whether the first value is less than the second. */
export type IsLess = (left: Value, right: Value) => Promise<boolean>;

/** What an operation leaves of a heap, and what it gives; undefined where it raises an IndexError. */
export async function heapChangedBy(
  operation: HeapOperation,
  items: readonly Value[],
  item: Value | undefined,
  isLess: IsLess,
): Promise<{ readonly left: readonly Value[]; readonly given: Value | undefined } | undefined> {
  const heap = new Heap([...items], isLess);
  const [first] = items;
  switch (operation) {
    case 'heappush':
      heap.items.push(item as Value);
      await heap.rise(items.length);
      return { left: heap.items, given: undefined };
    case 'heapify':
      for (let at = Math.floor(items.length / 2) - 1; at >= 0; at -= 1) await heap.sink(at);
      return { left: heap.items, given: undefined };
    case 'heappop': {
      const last = heap.items.pop();
      if (heap.items.length === 0) return last && { left: [], given: last };
      return { left: await heap.replaced(last as Value), given: first };
    }
    case 'heapreplace':
      return first && { left: await heap.replaced(item as Value), given: first };
    case 'heappushpop':
      if (first === undefined || !(await isLess(first, item as Value))) return { left: items, given: item };
      return { left: await heap.replaced(item as Value), given: first };
  }
}

class Heap {
  constructor(
    readonly items: Value[],
    private readonly isLess: IsLess,
  ) {}

  /** With another first item. */
  async replaced(item: Value): Promise<readonly Value[]> {
    this.items[0] = item;
    await this.sink(0);
    return this.items;
  }

  /** Moves the item at a place up, past those that it is less than, not above `top`. */
  async rise(from: number, top = 0): Promise<void> {
    const item = this.items[from] as Value;
    let at = from;
    while (at > top) {
      const above = Math.floor((at - 1) / 2);
      const parent = this.items[above] as Value;
      if (!(await this.isLess(item, parent))) break;
      this.items[at] = parent;
      at = above;
    }
    this.items[at] = item;
  }

  /** Moves the item at a place down to a leaf, the lesser children up, and then up again as far as it belongs. */
  async sink(from: number): Promise<void> {
    const item = this.items[from] as Value;
    let at = from;
    for (let child = 2 * at + 1; child < this.items.length; child = 2 * at + 1) {
      const [left, right] = [this.items[child] as Value, this.items[child + 1]];
      if (right !== undefined && !(await this.isLess(left, right))) child += 1;
      this.items[at] = this.items[child] as Value;
      at = child;
    }
    this.items[at] = item;
    await this.rise(at, from);
  }
}
