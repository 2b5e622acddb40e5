/** What is put in order, by way of comparisons of two items (docs/trace-language.md, section 9). */
import { isSequence, isSet, isText, itemsIn } from './displays.js';
import { listed } from './items.js';
import { iterated } from './iterated.js';
import { decidingItems, decidingNumbers } from './lesser.js';
import { type Part, partTokens } from './parts.js';
import type { Found, Plan, Told, Value, ValueFor } from './plan.js';
import { compared, holdsFor, isInteger, operatorOf } from './sums.js';
import { charTokens, special, wordTokens } from './tokens.js';

const [sorted, max, min, length] = wordTokens('sorted max min len') as [number, number, number, number];
const [reverse, key] = wordTokens('reverse key');
const [less, opening, closing] = charTokens('<()');

/** What the keyword arguments say. */
interface Order {
  readonly isBackwards: boolean;
  readonly isByLength: boolean;
}

/** An item and what it is compared by. */
interface Item {
  readonly value: Value;
  readonly by: Value;
}

/** How `sorted` of several items comes about, and `max` and `min` of those that are not integers; undefined for other parts. */
export function orderingPlan(
  code: ArrayLike<number>,
  { kind, first, parts }: Part,
  told: Told,
): Plan | undefined {
  const [callee, argument, ...given] = parts;
  const name = code[first] as number;
  const isCall = kind === 'call' && callee?.kind === 'name' && [sorted, max, min].includes(name);
  if (!isCall || argument === undefined) return undefined;
  const [items = [], order] = [itemsGiven(code, argument, told), orderOf(code, given)];
  if (order === undefined || items.length < 2 || !areComparable(items, order.isByLength)) return undefined;
  const lengths = order.isByLength ? items.length : 0;
  if (name === sorted) {
    const questions = lengths + comparisons(items.length);
    return { questions, value: (valueFor) => inOrder(items, order, valueFor) };
  }
  if (order.isBackwards || items.every(isInteger)) return undefined;
  const questions = lengths + items.length - 1;
  return { questions, value: (valueFor) => extreme(name, items, order, valueFor) };
}

/**
 * How a comparison of two lists, two tuples or two texts comes about: as that of the first items that differ, if these are integers or texts, or of the numbers of the first characters; undefined
 * for other parts.
 */
export function sequencePlan(code: ArrayLike<number>, part: Part, told: Told): Plan | undefined {
  const operator = operatorOf(code, part);
  if (operator === undefined || !compared.has(operator)) return undefined;
  const [first, second] = part.parts.map(told);
  if (first === undefined || second === undefined) return undefined;
  const areTexts = isText(first) && isText(second);
  const areAlike = isSequence(first) && isSequence(second) && first[0] === second[0];
  if (!areTexts && !areAlike) return undefined;
  const deciding = areTexts ? decidingNumbers(first, second) : decidingItems(first, second);
  if (typeof deciding === 'boolean') {
    const holds = holdsFor(operator, deciding, first.join() === second.join());
    return { questions: 0, value: () => [holds ? special.holds : special.fails] };
  }
  if (!deciding.every(isInteger) && !deciding.every(isText)) return undefined;
  const [one, other] = deciding;
  return { questions: 1, value: (valueFor) => valueFor([...one, operator, ...other]) };
}

/** `reverse=True` or `reverse=False`, `key=len`; undefined for others. */
function orderOf(code: ArrayLike<number>, given: readonly Part[]): Order | undefined {
  const found = new Map<number | undefined, readonly number[]>();
  for (const { kind, first, parts } of given) {
    if (kind !== 'keyword' || found.has(code[first])) return undefined;
    found.set(code[first], partTokens(code, parts[0] as Part));
  }
  const [backwards, by] = [found.get(reverse), found.get(key)];
  const isRead = found.size === Number(backwards !== undefined) + Number(by !== undefined);
  const isConstant =
    backwards === undefined || [`${special.holds}`, `${special.fails}`].includes(backwards.join());
  const isLength = by === undefined || by.join() === `${length}`;
  if (!isRead || !isConstant || !isLength) return undefined;
  return { isBackwards: backwards?.[0] === special.holds, isByLength: by !== undefined };
}

/** The items of an argument, in the order in which they come; of a set in the order of their texts. */
function itemsGiven(code: ArrayLike<number>, part: Part, told: Told): Value[] | undefined {
  const value = told(part);
  return value === undefined || !isSet(value) ? iterated(code, part, told) : itemsIn(value);
}

/** Whether all are integers or all are strings, or tuples of such; by length, whether all are strings, lists or tuples. */
function areComparable(items: readonly Value[], isByLength: boolean): boolean {
  if (isByLength) return items.every((item) => isText(item) || isSequence(item));
  if (items.every(isInteger) || items.every(isText)) return true;
  const first = items[0] as Value;
  if (!items.every((item) => isSequence(item) && item[0] === first[0])) return false;
  const inside = items.map(itemsIn);
  const size = inside[0]?.length ?? 0;
  if (inside.some((inner) => inner.length !== size)) return false;
  return Array.from({ length: size }, (_, at) => inside.map((inner) => inner[at] as Value)).every((column) =>
    areComparable(column, false),
  );
}

/** Most comparisons that merging needs for so many items. */
function comparisons(count: number): number {
  const levels = Math.ceil(Math.log2(count));
  return count * levels - 2 ** levels + 1;
}

function inOrder(values: readonly Value[], order: Order, valueFor: ValueFor): Found {
  const items = withKeys(values, order, valueFor);
  if (typeof items !== 'object') return items;
  const found = merged(items, (left, right) =>
    order.isBackwards ? isLess(left.by, right.by, valueFor) : isLess(right.by, left.by, valueFor),
  );
  return typeof found === 'object' ? listed(found.map(({ value }) => value)) : found;
}

/** The greatest or least item, each compared with the best so far, which stays where both are equal. */
function extreme(name: number, values: readonly Value[], order: Order, valueFor: ValueFor): Found {
  const items = withKeys(values, order, valueFor);
  if (typeof items !== 'object') return items;
  let best = items[0] as Item;
  for (const item of items.slice(1)) {
    const isBetter = name === max ? isLess(best.by, item.by, valueFor) : isLess(item.by, best.by, valueFor);
    if (typeof isBetter !== 'boolean') return isBetter;
    if (isBetter) best = item;
  }
  return best.value;
}

function withKeys(
  values: readonly Value[],
  { isByLength }: Order,
  valueFor: ValueFor,
): readonly Item[] | 'waits' | undefined {
  const found = values.map((value) => ({
    value,
    by: isByLength ? valueFor([length, opening, ...value, closing]) : value,
  }));
  if (found.some(({ by }) => by === undefined)) return undefined;
  return found.some(({ by }) => by === 'waits') ? 'waits' : (found as Item[]);
}

/** The items in order, halves put in order first. `goesFirst`: whether an item must stand before one that is left of it now. */
function merged(
  items: readonly Item[],
  goesFirst: (left: Item, right: Item) => boolean | 'waits' | undefined,
): readonly Item[] | 'waits' | undefined {
  if (items.length < 2) return items;
  const middle = Math.ceil(items.length / 2);
  const halves = [items.slice(0, middle), items.slice(middle)].map((half) => merged(half, goesFirst));
  if (halves.includes(undefined)) return undefined;
  if (halves.includes('waits')) return 'waits';
  const [left = [], right = []] = halves.map((half) => [...(half as readonly Item[])]);
  const out: Item[] = [];
  while (left[0] !== undefined && right[0] !== undefined) {
    const isFirst = goesFirst(left[0], right[0]);
    if (typeof isFirst !== 'boolean') return isFirst;
    out.push((isFirst ? right : left).shift() as Item);
  }
  return [...out, ...left, ...right];
}

/** Whether one is less than the other. */
function isLess(left: Value, right: Value, valueFor: ValueFor): boolean | 'waits' | undefined {
  const deciding = decidingItems(left, right);
  if (typeof deciding === 'boolean') return deciding;
  const found = valueFor([...deciding[0], less, ...deciding[1]]);
  return typeof found === 'object' ? found.length === 1 && found[0] === special.holds : found;
}
