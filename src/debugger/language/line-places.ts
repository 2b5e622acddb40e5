/** Orders of instructions: where each may come right behind which, put together from those of parts, and what that says of their lines. */

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
  /** Whether the statement may end. */
  readonly isLast: boolean;
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

export const nothing: Order = { first: new Set(), last: new Set(), next: new Map(), isEmpty: true };

/** One instruction, on any of these lines. */
export function at(...lines: number[]): Order {
  const set = new Set([...new Set(lines)].map((line) => ({ line })));
  return { first: set, last: set, next: new Map(), isEmpty: false };
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

const linesOf = (places: Iterable<Place>): Set<number> => new Set([...places].map(({ line }) => line));

/** What is known of the lines, one by one and with the line before. */
function orderOfLines({ first, last, next }: Order): LineOrder {
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
  const behindOf = (line: number, places: Set<Place>): Behind => {
    // A set takes in what is added while it is gone through.
    for (const place of places) for (const other of after(place)) if (other.line === line) places.add(other);
    const others = [...linesOf([...places].flatMap((place) => [...after(place)]))];
    return {
      next: new Set(others.filter((other) => other !== line)),
      isLast: [...places].some((place) => last.has(place)),
    };
  };
  const told = [...behind].map(
    ([line, ways]) =>
      [line, new Map([...ways].map(([from, places]) => [from, behindOf(line, places)]))] as const,
  );
  return { first: linesOf(first), last: linesOf(last), next: lines, behind: new Map(told) };
}

/** The order of the lines that a walk through a statement finds; undefined where it does not know. */
export function attempt(walk: () => Order): LineOrder | undefined {
  try {
    return orderOfLines(walk());
  } catch (error) {
    if (error instanceof Unknown) return undefined;
    throw error;
  }
}
