/** Assigning to several names at once: what each is bound to, a starred one among them, and what is raised where there are too many or too few items. */
import { hasItems, itemsIn } from './displays.js';
import { itemsInOrder, listed } from './items.js';
import { integerOf } from './literal-values.js';
import type { Value } from './plan.js';
import { charTokens, isSlotToken } from './tokens.js';

const [opening, closing, square, star, comma] = charTokens('()[*,') as [
  number,
  number,
  number,
  number,
  number,
];

/** A name, which takes an item as it is, or the targets that its items are assigned to; undefined for other targets. */
function targetsOf(target: Value): number | readonly Value[] | undefined {
  const inside = itemsIn([opening, ...target, closing]);
  const [first] = target;
  if (inside.length !== 1 || first === undefined || target.at(-1) === comma) return inside;
  // Round brackets around one target mean nothing.
  if (first === opening) return targetsOf(target.slice(1, -1));
  if (first === square) return itemsIn(target);
  return target.length === 1 && isSlotToken(first) ? first : undefined;
}

const isStarred = ([first]: Value): boolean => first === star;

/** The values of the slots of a target (`x`, `i, x`, `i, (a, b)`, `x, *rest`) that is assigned an item; undefined where they are not told. */
export function unpacked(target: Value, item: Value): Map<number, Value> | undefined {
  const targets = targetsOf(target);
  if (typeof targets === 'number') return new Map([[targets, item]]);
  const items = itemsInOrder(item, Number.POSITIVE_INFINITY);
  const given = targets && items && shared(targets, items);
  if (targets === undefined || given === undefined) return undefined;
  const found = new Map<number, Value>();
  for (const [index, inner] of targets.entries()) {
    const bound = unpacked(isStarred(inner) ? inner.slice(1) : inner, given[index] as Value);
    if (bound === undefined) return undefined;
    for (const [slot, value] of bound) found.set(slot, value);
  }
  return found;
}

/** What each of these targets gets of these items; undefined where they are too many or too few. */
function shared(targets: readonly Value[], items: readonly Value[]): readonly Value[] | undefined {
  const at = targets.findIndex(isStarred);
  if (at < 0) return items.length === targets.length ? items : undefined;
  const behind = items.length - (targets.length - at - 1);
  if (behind < at) return undefined;
  return [...items.slice(0, at), listed(items.slice(at, behind)), ...items.slice(behind)];
}

/** The canonical repr of what taking an item apart by the names of a target raises; undefined where it raises nothing, and for targets in targets. */
export function unpackingRaises(target: Value, item: Value): string | undefined {
  const targets = targetsOf(target);
  if (targets === undefined || typeof targets === 'number') return undefined;
  const isNamed = (inner: Value): boolean =>
    typeof targetsOf(isStarred(inner) ? inner.slice(1) : inner) === 'number';
  if (!targets.every(isNamed)) return undefined;
  if (integerOf(item) !== undefined) return "TypeError('cannot unpack non-iterable int object')";
  if (!hasItems(item)) return undefined;
  const [count, hasStar] = [itemsIn(item).length, targets.some(isStarred)];
  const most = hasStar ? Number.POSITIVE_INFINITY : targets.length;
  const least = targets.length - Number(hasStar);
  if (count > most) return `ValueError('too many values to unpack (expected ${most})')`;
  const expected = hasStar ? `at least ${least}` : least;
  return count < least
    ? `ValueError('not enough values to unpack (expected ${expected}, got ${count})')`
    : undefined;
}
