/** Places in lists that are in order, and orders, found by comparing two items again and again. */
import type { Value } from './plan.js';

/** Whether the first value is less than the second. */
export type IsLess = (left: Value, right: Value) => Promise<boolean>;

/** Where `bisect` would put an item into a list that is in order: before what is equal to it, or behind. */
export async function placeFor(
  items: readonly Value[],
  item: Value,
  isBefore: boolean,
  isLess: IsLess,
): Promise<number> {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const other = items[middle] as Value;
    const isHigher = isBefore ? await isLess(other, item) : !(await isLess(item, other));
    if (isHigher) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** What is ordered, and what by. */
export interface Ordered {
  readonly by: Value;
}

/** Entries with the greatest first, with one more, which stands behind what is equal to it. */
export async function withEntry<Entry extends Ordered>(
  entries: readonly Entry[],
  entry: Entry,
  isLess: IsLess,
): Promise<Entry[]> {
  let [low, high] = [0, entries.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (await isLess((entries[middle] as Entry).by, entry.by)) high = middle;
    else low = middle + 1;
  }
  return [...entries.slice(0, low), entry, ...entries.slice(low)];
}

/** Entries with the greatest first; what is equal stays in its order. */
export async function greatestFirst<Entry extends Ordered>(
  entries: readonly Entry[],
  isLess: IsLess,
): Promise<Entry[]> {
  let ordered: Entry[] = [];
  for (const entry of entries) ordered = await withEntry(ordered, entry, isLess);
  return ordered;
}
