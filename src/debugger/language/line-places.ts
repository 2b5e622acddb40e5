/** Orders of instructions: where each may come right behind which, put together from those of parts, and what that says of their lines. */
import type { Span } from './logic.js';

type Lines = ReadonlySet<number>;

/** The lines of a statement. */
export interface LineOrder {
  /** Where it may begin, and end. */
  readonly first: Lines;
  readonly last: Lines;
  /** Line -> lines that may come right after it, itself among them. */
  readonly next: ReadonlyMap<number, Lines>;
  /** Line -> the line that came before it, 0 for one of another statement -> what may come then. */
  readonly behind: ReadonlyMap<number, ReadonlyMap<number, Behind>>;
}

/** What comes behind a line. */
export interface Behind {
  /** Other lines that may come next. */
  readonly next: Lines;
  /** Whether the statement may end; a condition, because it holds or because it fails. */
  readonly holds: boolean;
  readonly fails: boolean;
  /** What decides how it goes on, among what may run on the line. */
  readonly tests: readonly Span[];
  /** The calls that are made before another line comes, in order; undefined where there are several ways. */
  readonly calls: readonly Span[] | undefined;
}

/** It is not known how this is compiled. */
export class Unknown extends Error {}

/** Stands for the lines of other statements. */
export const outside = 0;

/** Most places of a statement. */
const mostPlaces = 300;

/** An instruction, or several in a row on one line: a place in an order. */
interface Place {
  readonly line: number;
  /** The innermost of what decides how the statement goes on, if it is of such. */
  test?: Span;
  /** What is called there, in order; null: that is not known. */
  calls?: readonly Span[] | null;
}

type Places = ReadonlySet<Place>;

/** The places of an expression or statement. */
export interface Order {
  /** Where it may begin, and end. */
  readonly first: Places;
  readonly last: Places;
  /** Place -> places that may come right after it. */
  readonly next: ReadonlyMap<Place, Places>;
  /** Whether it may have no instruction at all. */
  readonly isEmpty: boolean;
}

/** The places of a condition. */
export interface Branches extends Order {
  /** Where it may end if it holds, and if it fails. */
  readonly holds: Places;
  readonly fails: Places;
}

export const nothing: Order = { first: new Set(), last: new Set(), next: new Map(), isEmpty: true };

/** One instruction, on any of these lines. */
export function at(...lines: number[]): Order {
  const set = new Set([...new Set(lines)].map((line) => ({ line })));
  return { first: set, last: set, next: new Map(), isEmpty: false };
}

/** The same, where each of the instructions with which it may begin makes these calls, with all that comes before them on the line; null: it is not known which. */
export function making(order: Order, calls: readonly Span[] | null): Order {
  for (const place of order.first) place.calls = calls;
  return order;
}

/** Instructions on these lines in any order. */
export function anyOrder(lines: readonly number[]): Order {
  const order = at(...lines);
  return { ...order, next: new Map([...order.first].map((place) => [place, order.first])) };
}

const union = <Element>(a: ReadonlySet<Element>, b: ReadonlySet<Element>): ReadonlySet<Element> =>
  new Set([...a, ...b]);

function joinedNext(...all: ReadonlyMap<Place, Places>[]): Map<Place, Places> {
  const [first, ...others] = all;
  const next = new Map(first);
  for (const one of others)
    for (const [place, places] of one) {
      const known = next.get(place);
      next.set(place, known === undefined ? places : union(known, places));
    }
  // Putting orders together takes the square of their places.
  if (next.size > mostPlaces) throw new Unknown();
  return next;
}

export const either = (a: Order, b: Order): Order => ({
  first: union(a.first, b.first),
  last: union(a.last, b.last),
  next: joinedNext(a.next, b.next),
  isEmpty: a.isEmpty || b.isEmpty,
});

export const maybe = (order: Order): Order => either(order, nothing);

export const sequence = (...orders: readonly Order[]): Order =>
  orders.reduce(
    (a, b) => ({
      first: a.isEmpty ? union(a.first, b.first) : a.first,
      last: b.isEmpty ? union(a.last, b.last) : b.last,
      next: joinedNext(a.next, b.next, new Map([...a.last].map((place) => [place, b.first]))),
      isEmpty: a.isEmpty && b.isEmpty,
    }),
    nothing,
  );

/** A part that is run where a condition has come to this. */
export const behindTest = (test: Branches, holds: boolean, part: Order): Order =>
  test.isEmpty
    ? sequence(test, maybe(part))
    : sequence({ ...test, last: holds ? test.holds : test.fails }, part);

/** A condition with an order of another kind: it may end in either way wherever it ends. */
export const undecided = (order: Order): Branches => ({ ...order, holds: order.last, fails: order.last });

/** A condition that ends in these ways. */
const branches = (order: Omit<Order, 'last'>, holds: Places, fails: Places): Branches => ({
  ...order,
  last: union(holds, fails),
  holds,
  fails,
});

/** A condition with perhaps one more instruction behind it, on any of these lines. */
export function jumping(test: Branches, ...lines: number[]): Branches {
  if (test.isEmpty) return undecided(sequence(test, maybe(at(...lines))));
  const [whenHolds, whenFails] = [at(...lines), at(...lines)];
  const next = joinedNext(
    test.next,
    new Map([...test.holds].map((place) => [place, whenHolds.first])),
    new Map([...test.fails].map((place) => [place, whenFails.first])),
  );
  return branches({ ...test, next }, union(test.holds, whenHolds.last), union(test.fails, whenFails.last));
}

/** `a and b`, or `a or b` where `holds` is false: the second is run where the first has come to that. */
export function joinedTests(first: Branches, second: Branches, holds: boolean): Branches {
  if (first.isEmpty || second.isEmpty) return undecided(sequence(first, maybe(second)));
  const on = holds ? first.holds : first.fails;
  const next = joinedNext(first.next, second.next, new Map([...on].map((place) => [place, second.first])));
  return branches(
    { first: first.first, next, isEmpty: false },
    holds ? second.holds : union(first.holds, second.holds),
    holds ? union(first.fails, second.fails) : second.fails,
  );
}

/** The same order, all of which decides what `test` comes to, but for what something in it decides. */
export function ofTest<Kind extends Order>(order: Kind, test: Span): Kind {
  const { first, last, next } = order;
  for (const places of [first, last, next.keys(), ...next.values()])
    for (const place of places) place.test ??= test;
  return order;
}

/** The calls that are made from one of these places on, all of one line, till that is left; undefined where they are not the same on all ways. */
function callsFrom(
  places: readonly Place[],
  after: (place: Place) => Places,
  isLeft: (place: Place) => boolean,
): readonly Span[] | undefined {
  /** undefined: not the same on all ways; null: no way leads out that has not been followed. */
  const known = new Map<Place, readonly Span[] | undefined | null>();
  const joinedWays = (ways: readonly (readonly Span[] | undefined | null)[]) => {
    const leading = ways.filter((one) => one !== null);
    if (leading.length === 0) return null;
    const [way, ...others] = leading;
    return way && others.every((other) => other && isSame(way, other)) ? way : undefined;
  };
  const from = (place: Place): readonly Span[] | undefined | null => {
    if (known.has(place)) return known.get(place);
    known.set(place, null);
    const next = [...after(place)].filter(({ line }) => line === place.line);
    const way = joinedWays([...(isLeft(place) ? [[]] : []), ...next.map(from)]);
    const { calls = [] } = place;
    const found = way && (calls === null ? undefined : [...calls, ...way]);
    known.set(place, found);
    return found;
  };
  return joinedWays(places.map(from)) ?? undefined;
}

const isSame = (a: readonly Span[], b: readonly Span[]): boolean =>
  a.length === b.length && a.every(({ from, to }, index) => from === b[index]?.from && to === b[index]?.to);

const linesOf = (places: Iterable<Place>): Set<number> => new Set([...places].map(({ line }) => line));

/** What is known of the lines, one by one and with the line before. */
function orderOfLines({ first, last, next, holds, fails }: Branches): LineOrder {
  const after = (place: Place): Places => next.get(place) ?? new Set();
  const [lines, behind] = [new Map<number, Set<number>>(), new Map<number, Map<number, Set<Place>>>()];
  const comes = (place: Place, from: number): void => {
    const ways = behind.get(place.line) ?? new Map<number, Set<Place>>();
    behind.set(place.line, ways.set(from, (ways.get(from) ?? new Set()).add(place)));
  };
  for (const place of first) comes(place, outside);
  for (const [from, places] of next)
    for (const place of places) {
      lines.set(from.line, (lines.get(from.line) ?? new Set()).add(place.line));
      if (place.line !== from.line) comes(place, from.line);
    }
  const isLeft = (place: Place): boolean =>
    last.has(place) || [...after(place)].some(({ line }) => line !== place.line);
  const behindOf = (line: number, places: Set<Place>): Behind => {
    const calls = callsFrom([...places], after, isLeft);
    // A set takes in what is added while it is gone through.
    for (const place of places) for (const other of after(place)) if (other.line === line) places.add(other);
    const others = [...linesOf([...places].flatMap((place) => [...after(place)]))];
    return {
      next: new Set(others.filter((other) => other !== line)),
      holds: [...places].some((place) => holds.has(place)),
      fails: [...places].some((place) => fails.has(place)),
      tests: [...new Set([...places].flatMap(({ test }) => test ?? []))],
      calls,
    };
  };
  const told = [...behind].map(
    ([line, ways]) =>
      [line, new Map([...ways].map(([from, places]) => [from, behindOf(line, places)]))] as const,
  );
  return { first: linesOf(first), last: linesOf(last), next: lines, behind: new Map(told) };
}

/** The order of the lines that a walk through a statement finds; undefined where it does not know. */
export function attempt(walk: () => Branches): LineOrder | undefined {
  try {
    return orderOfLines(walk());
  } catch (error) {
    if (error instanceof Unknown) return undefined;
    throw error;
  }
}
