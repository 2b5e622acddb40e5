/** What a statement leaves, where its line tells it once it has been worked out: nothing is left to predict of `x = 3` but what comes next. */
import type { Program } from '../program.js';
import type { Running } from '../running.js';
import { changesNothing } from './known-calls.js';
import { truthOfLiteral } from './literal-values.js';
import type { LineParts, Part } from './parts.js';
import { wordToken } from './tokens.js';
import { ToldLine } from './told-line.js';

/** Canonical reprs of what a statement leaves, as far as they are told. */
export interface Results {
  /** By name. */
  readonly assigned: ReadonlyMap<string, string>;
  readonly returned?: string;
  /** What a condition comes to. */
  readonly holds?: boolean;
}

export const noResults: Results = { assigned: new Map() };

const returnWord = wordToken('return');
const conditionWords = new Set(['if', 'elif', 'while'].map(wordToken));

/**
 * What a line of code tokens, with these parts, leaves that begins in the frame. `isStale`: something was called since the values of the frame were seen, or may yet be, and
 * may have changed lists and their like. `computed`: canonical repr of what the line computes, where it is known.
 */
export function resultsOf(
  program: Program,
  running: Running,
  code: ArrayLike<number>,
  line: LineParts,
  isStale: boolean,
  computed?: string,
): Results {
  const [value] = line.values;
  const calls = [...line.values, ...line.inner].some((part) => mayCall(code, part));
  const top = value && computed !== undefined ? { part: value, text: computed } : undefined;
  const told = new ToldLine(program, running, code, isStale || calls, top);
  const text = value && told.text(value);
  if (code[0] === returnWord) {
    const returned = code.length === 1 ? 'None' : text;
    return returned === undefined ? noResults : { ...noResults, returned };
  }
  if (conditionWords.has(code[0] as number)) {
    const tokens = value && told.tokens(value);
    return tokens === undefined ? noResults : { ...noResults, holds: truthOfLiteral(tokens) };
  }
  const assigned = new Map<string, string>();
  if (value !== undefined)
    for (const target of line.targets)
      for (const [name, found] of told.assigned(target, value)) assigned.set(name, found);
  return { assigned };
}

/** Whether something is called that may change what names are bound to. */
const mayCall = (code: ArrayLike<number>, { kind, parts }: Part): boolean =>
  kind === 'text' ||
  (kind === 'call' && !changesNothing(code, parts[0] as Part)) ||
  parts.some((inner) => mayCall(code, inner));
