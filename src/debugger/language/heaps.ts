/** What the functions of `heapq` do to a list, by comparing two items again and again, as CPython does. */
import type { IsLess } from './bisections.js';
import type { Value } from './plan.js';

export const heapOperations = ['heappush', 'heappop', 'heapify', 'heapreplace', 'heappushpop'] as const;
export type HeapOperation = (typeof heapOperations)[number];

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
