/** What the head of a `for` takes its items from, and what is better shown in it as it is written. */
import { givesItems } from './known-calls.js';
import { isDisplay } from './literal-values.js';
import type { Part } from './parts.js';
import { special, wordTokens } from './tokens.js';

const [sorted, enumerate] = wordTokens('sorted enumerate');

export class LoopItems {
  /** Parts of the head that have the items it goes over. */
  private readonly gone: ReadonlySet<Part>;
  /** Of these the calls of `sorted` whose items it goes over as they come. */
  private readonly inOrder: ReadonlySet<Part>;

  /** over: what the loop goes over. passes: how many it has completed, where that is known. */
  constructor(
    code: ArrayLike<number>,
    over: readonly Part[],
    private readonly passes: number | undefined,
  ) {
    this.gone = new Set(over.flatMap((part) => goneOver(code, part)));
    this.inOrder = new Set(over.flatMap((part) => sortedItems(code, part)));
  }

  /** The number of the item that comes next, of a call of `sorted` that has it; undefined for other parts. */
  following(part: Part): number | undefined {
    return this.inOrder.has(part) ? this.passes : undefined;
  }

  /** Whether a part has the items and stays as it is written: all that do but such a call. */
  stays(part: Part): boolean {
    return this.gone.has(part) && !this.inOrder.has(part);
  }

  /**
   * Whether the head is better shown as it is written: the item that comes next has a mark in the display it is in, and after the first pass nothing
   * raises that is not evaluated again.
   */
  isOfAnotherPass(part: Part, [mark, ...value]: readonly number[]): boolean {
    if (mark !== special.value) return (this.passes ?? 0) > 0;
    return isDisplay(value) && this.gone.has(part);
  }
}

/** What a loop goes over, and what that takes its items from. */
function goneOver(code: ArrayLike<number>, part: Part): Part[] {
  const { kind, parts } = part;
  const isInside = kind === 'subscript' || kind === 'attribute';
  const isGiven = kind === 'call' && givesItems(code, parts[0] as Part);
  const from = isInside ? parts.slice(0, 1) : isGiven ? parts : [];
  return [part, ...from.flatMap((inner) => goneOver(code, inner))];
}

/** The call of `sorted` that a loop goes over, by itself or counted, if it goes over one. */
function sortedItems(code: ArrayLike<number>, part: Part): Part[] {
  const isCounted = part.kind === 'call' && code[part.first] === enumerate && part.parts.length === 2;
  const over = isCounted ? (part.parts[1] as Part) : part;
  return over.kind === 'call' && code[over.first] === sorted ? [over] : [];
}
