/** The clauses of a comprehension or generator expression: what each `for` goes over and binds, and the conditions behind it. */
import { hidden } from './items.js';
import type { Part } from './parts.js';
import { isSlotToken, wordTokens } from './tokens.js';

export interface Clause {
  /** Code tokens. */
  readonly target: readonly number[];
  readonly iterable: Part;
  readonly conditions: readonly Part[];
}

export interface Clauses {
  /** What is made of each pass; of a dict the key and the value. */
  readonly items: readonly Part[];
  readonly clauses: readonly Clause[];
}

const [inWord, ifWord] = wordTokens('in if');

/** undefined where names that it binds are bound again in it: values cannot stand in place of these. */
export function clausesOf(code: ArrayLike<number>, part: Part): Clauses | undefined {
  const items: Part[] = [];
  const clauses: { target: number[]; iterable: Part; conditions: Part[] }[] = [];
  let end = 0;
  for (const inner of part.parts.toSorted((a, b) => a.first - b.first)) {
    const before = code[inner.begin - 1];
    // Behind what comes before stands a `for`, before this one an `in`.
    if (before === inWord) {
      const target = Array.from(code).slice(end + 1, inner.begin - 1);
      clauses.push({ target, iterable: inner, conditions: [] });
    } else if (before === ifWord && clauses.length > 0) clauses.at(-1)?.conditions.push(inner);
    else items.push(inner);
    end = inner.until;
  }
  const bound = clauses.flatMap(({ target }) => target.filter(isSlotToken));
  const isPlain = new Set(bound).size === bound.length && hidden(code, part)?.size === 0;
  return isPlain ? { items, clauses } : undefined;
}
