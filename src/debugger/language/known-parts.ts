/** What is told of the answer to a step before it is read: where its tokens say something else, they are passed over. */
import type { EventKind } from '../state.js';
import { noResults, type Results } from './results.js';

/** By name; undefined: unbound. */
type Names = ReadonlyMap<string, string | undefined>;

/** What is known of a delta without its tokens. */
export interface KnownParts {
  /** Names of the delta's first frame that keep their values. */
  readonly frozen: ReadonlySet<string>;
  /** Those that also keep them while that frame waits for a function that it enters. */
  readonly waiting?: ReadonlySet<string>;
  /** First line of a function that is called from the first frame -> the values with which names of the call begin; undefined: unbound. */
  readonly shared: ReadonlyMap<number, Names>;
  /** What the statement leaves on which the first frame stands. */
  readonly results: Results;
  /** What the frame that was left leaves in the first one, if this goes on; undefined: unbound. */
  readonly left: Names;
  /** Going back, by line: what names stood for on it in the first frame. */
  readonly heads: ReadonlyMap<number, Names>;
  /** Going forward, the `except ... as` around the first frame. */
  readonly handled?: readonly LeftHandler[];
  /** Going back, the frame that is entered by its end, if it is on this line. */
  readonly again?: LeftFrame | undefined;
  /** Whether it is known which values calls have given to the first frame (`withGots`). */
  readonly tellsGots?: boolean;
}

/** What leaving an `except ... as` unbinds. */
export interface LeftHandler {
  readonly name: string;
  /** Lines on which it may be bound yet. */
  readonly lines: ReadonlySet<number>;
}

/** A frame as it was left. */
export interface LeftFrame {
  readonly line: number;
  /** All that were bound. */
  readonly names: ReadonlyMap<string, string>;
  /** What it gave, if that is known. */
  readonly value: string | undefined;
}

export const nothingKnown: KnownParts = {
  frozen: new Set(),
  shared: new Map(),
  results: noResults,
  left: new Map(),
  heads: new Map(),
};

/** A frame of a delta: its number from 1, from the outermost that the delta tells of, its event if it is the last, its line. */
export interface KnownAt {
  readonly number: number;
  readonly event: EventKind | undefined;
  readonly line: number;
}

/** What the frame returns or meets. `before`: the line on which the first frame stood. */
export function valueAt(known: KnownParts, at: KnownAt, before: number | undefined): string | undefined {
  if (isAgain(known, at)) return known.again?.value;
  if (at.number === 1 && at.event === 'exception') return known.results.raised;
  const isSame = at.number === 1 && before === at.line;
  return isSame && at.event === 'return' ? known.results.returned : undefined;
}

/** Names whose values are known: with which a call begins, that a statement that has ended has assigned, or that a function has left behind. */
export function namesAt(known: KnownParts, at: KnownAt): Names {
  const { shared, left, heads, results, again } = known;
  const { number, event, line } = at;
  if (isAgain(known, at)) return again?.names ?? noResults.assigned;
  if (number === 2 && event === 'call') return shared.get(line) ?? noResults.assigned;
  if (number > 1 || event === undefined || event === 'call') return noResults.assigned;
  if (event === 'exception') return left;
  if (isWithin(known, at)) return left;
  const unbound = unboundAt(known.handled, at);
  return (
    (event === 'line' && heads.get(line)) ||
    new Map([...(results.stays ?? []), ...left, ...results.assigned, ...unbound])
  );
}

/** The names of the `except ... as` that a frame has left where it is. */
export const unboundAt = (
  handled: readonly LeftHandler[] = [],
  { event, line }: Pick<KnownAt, 'event' | 'line'>,
): [string, undefined][] =>
  handled
    .filter(({ lines }) => event === 'return' || (event === 'line' && !lines.has(line)))
    .map(({ name }) => [name, undefined]);

/** Whether a name of the frame is what it was, or is not bound in it. */
export function staysAt(known: KnownParts, at: KnownAt, name: string): boolean {
  if (at.number === 1 && (known.frozen.has(name) || isWithin(known, at))) return true;
  if (at.number === 1 && at.event === undefined && known.waiting?.has(name)) return true;
  return isAgain(known, at) && known.again?.names.has(name) !== true;
}

/** Whether the first frame is still in the statement on which it stood, which changes nothing before its end. */
const isWithin = ({ results }: KnownParts, { event, line }: KnownAt): boolean =>
  event === 'line' && results.within?.has(line) === true;

/** Whether it is the frame that is known to be entered by its end. */
const isAgain = ({ again }: KnownParts, { number, event, line }: KnownAt): boolean =>
  number === 2 && event === 'return' && line === again?.line;
