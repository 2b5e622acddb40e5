/** What is known of where a frame may stop next: by line, joined where lines fall together. */
import { type Attempt, attemptsOnCodeLines } from './attempts.js';
import { type Effects, joined } from './effects.js';
import type { Foreign } from './hidden-calls.js';

/** How a frame may go on. */
export type Onward = Pick<LineFlow, 'next' | 'returns'>;

/** How a frame may go on, and the texts of what may decide that and is not known: first of what may run on its line. */
export interface Decided extends Onward {
  readonly open: readonly string[];
}

/**
 * How a frame goes on that stopped on `line` and on `lineBefore` before it, given what conditions in its statement come to, by their texts. As CPython 3.11 does, which
 * versions have in common but for lines of jumps.
 */
export type Deciding = (
  line: number,
  lineBefore: number,
  truths: ReadonlyMap<string, boolean>,
) => Decided | undefined;

/** A `case` whose head stands on one line. Its subject names what it did when the statement began. */
export interface Trial {
  /** The line of the `match`, which is its only one. */
  readonly match: number;
  /** Whether what may have been tried before it has left all objects as they were. */
  readonly isUntouched: boolean;
  readonly holds: Follow;
  readonly fails: Follow;
}

/** What a statement on several lines calls on one of them. */
export interface MadeCalls {
  /** How many calls are written in the statement. */
  readonly written: number;
  /** By the line on which the frame stopped before: the calls that may be made before it stops on another one, each by its place among those (callsWrittenIn); -1: one that is none of them. */
  readonly behind: ReadonlyMap<number, ReadonlySet<number>>;
}

/** What can happen after a frame has stopped on a line. */
export interface LineFlow {
  /** Lines of the statements on this line: where they raise, return, or wait for a call. */
  readonly own: ReadonlySet<number>;
  /** Lines of the next `line` event of the same frame, unless something is raised. */
  readonly next: ReadonlySet<number>;
  /** Whether the frame may return (or yield) before it stops on another line. */
  readonly returns: boolean;
  /** Whether it may end, rather than be left to be resumed there. */
  readonly ends: boolean;
  /** `next` and `returns`, by the line on which the frame stopped before (0: one of another statement), as far as that tells more. */
  readonly behind?: ReadonlyMap<number, Onward> | undefined;
  /** Of a statement on several lines: what it calls on this one, where that is known. */
  readonly made?: MadeCalls | undefined;
  /** Of a statement on several lines that decides something. */
  readonly decides?: Deciding | undefined;
  readonly trial?: Trial | undefined;
  /** Whether a statement on several lines may come right after itself: its lines do not tell whether it has ended. */
  readonly comesAgain: boolean;
  /** Whether a function of the program is entered before the frame stops again, unless something is raised. */
  readonly enters: boolean;
  /** First lines of the functions of the program that the frame can enter first; undefined: any. */
  readonly entered: ReadonlySet<number> | undefined;
  /** The same of all that it can enter before it stops again. */
  readonly called: ReadonlySet<number> | undefined;
  /** Of those that it names. */
  readonly named: ReadonlySet<number>;
  /** Whether the body of a class runs on it. */
  readonly hasBody: boolean;
  /** Whether the statements on this line can raise nothing. */
  readonly isQuiet: boolean;
  /** What comes after an `exception` event on this line; undefined: anything. */
  readonly caught: Follow | undefined;
  /** Of the head of a loop: whether it runs nothing of the program but before its first pass. */
  readonly goesOn: boolean;
  /** Whether one of them may hold a generator, or stands in a loop that does. */
  readonly mayHold: boolean;
  /** Whether one of them is an `assert`. */
  readonly asserts: boolean;
  /** What the statements on this line can do to the frame's names. */
  readonly effects: Effects;
  /** Of these the names of `except ... as` that are still bound wherever the frame goes from its `line` event; behind an exception they may be unbound. */
  readonly keeps: ReadonlySet<string>;
}

/** The flow of a frame that stopped on such a line before (see Frame; undefined: not known). */
export function behindLine(flow: LineFlow, lineBefore: number | undefined): LineFlow {
  const onward = lineBefore === undefined ? undefined : flow.behind?.get(lineBefore);
  return onward === undefined ? flow : { ...flow, ...onward };
}

/** An `if`, `elif`, `while` or `for`, and what follows it; undefined: anything. */
export interface Condition {
  readonly holds: Follow | undefined;
  readonly fails: Follow | undefined;
  /** Lines of what runs if it holds (of a loop: if there is another item), both included. */
  readonly body: { readonly first: number; readonly last: number };
}

/**
 * Where code of the program may run as something is dropped: nowhere; where a statement is left that may hold a generator (`mayHold`); anywhere. An exception that leaves a
 * statement drops what it held.
 */
export type Finalizers = 'none' | 'loops' | 'any';

export interface FunctionFlow {
  /** Lines of the first `line` event. */
  readonly entry: ReadonlySet<number>;
  /** By line: those that decide a branch and nothing else, as the trace language has them (docs/trace-language.md, section 6). */
  readonly conditions: ReadonlyMap<number, Condition>;
  /** By line; after a line that is missing anything may happen, but for what `cleanups` says. */
  readonly lines: ReadonlyMap<number, LineFlow>;
  /** Of lines of `finally` that are missing: those of the next `line` event of the same frame. */
  readonly cleanups: ReadonlyMap<number, ReadonlySet<number>>;
  readonly attempts: readonly Attempt[];
  readonly finalizers: Finalizers;
  /** Whether such code may change something. */
  readonly cleansUp: boolean;
  readonly foreign: Foreign;
}

/** What comes after a statement that ends normally. */
export interface Follow {
  readonly lines: ReadonlySet<number>;
  /** The function may end. */
  readonly ends: boolean;
}

export const nowhere: Follow = { lines: new Set(), ends: false };
export const functionEnd: Follow = { lines: new Set(), ends: true };
/** What either allows. */
export const both = (a: Follow, b: Follow): Follow => ({
  lines: new Set([...a.lines, ...b.lines]),
  ends: a.ends || b.ends,
});
export const onLines = (lines: Iterable<number>): Follow => ({ lines: new Set(lines), ends: false });

/** The flow of an `async` function, which may be suspended in places that nobody wrote: where it branches, but not where it goes. */
export function conditionsAlone({ conditions, ...facts }: FunctionFlow): FunctionFlow {
  const open = [...conditions].map(
    ([line, { body }]) => [line, { holds: undefined, fails: undefined, body }] as const,
  );
  const nothing = { entry: nowhere.lines, lines: new Map(), cleanups: new Map(), attempts: [] };
  return { ...facts, ...nothing, conditions: new Map(open) };
}

/** Both sets; lines of one statement share theirs, which is then given back as it is. */
const union = (a: ReadonlySet<number>, b: ReadonlySet<number>): ReadonlySet<number> =>
  a === b ? a : new Set([...a, ...b]);

/** Adds what is known of one line. */
export function merge(into: Map<number, LineFlow>, line: number, flow: LineFlow): void {
  const known = into.get(line);
  if (known === undefined) into.set(line, flow);
  else if (known !== flow) {
    into.set(line, {
      own: union(known.own, flow.own),
      next: union(known.next, flow.next),
      returns: known.returns || flow.returns,
      ends: known.ends || flow.ends,
      behind: undefined,
      made: undefined,
      decides: undefined,
      trial: undefined,
      comesAgain: known.comesAgain || flow.comesAgain,
      enters: known.enters && flow.enters,
      entered: known.entered && flow.entered && union(known.entered, flow.entered),
      called: known.called && flow.called && union(known.called, flow.called),
      named: union(known.named, flow.named),
      hasBody: known.hasBody || flow.hasBody,
      isQuiet: known.isQuiet && flow.isQuiet,
      caught: known.caught && flow.caught && both(known.caught, flow.caught),
      goesOn: known.goesOn && flow.goesOn,
      mayHold: known.mayHold || flow.mayHold,
      asserts: known.asserts || flow.asserts,
      keeps: new Set([...known.keeps].filter((name) => flow.keeps.has(name))),
      effects: known.effects === flow.effects ? known.effects : joined(known.effects, flow.effects),
    });
  }
}

/** The same by code lines, of which each of the statement has one of its own. */
function decidingOnCodeLines(
  decides: Deciding,
  own: Iterable<number>,
  snap: (line: number) => number,
): Deciding {
  const written = new Map([...own].map((line) => [snap(line), line]));
  return (line, lineBefore, truths) => {
    const found = decides(written.get(line) ?? line, written.get(lineBefore) ?? lineBefore, truths);
    return found && { ...found, next: new Set([...found.next].map(snap)) };
  };
}

const madeOnCodeLines = ({ written, behind }: MadeCalls, snap: (line: number) => number): MadeCalls => ({
  written,
  behind: new Map([...behind].map(([from, calls]) => [from && snap(from), calls])),
});

/** The same flow by code lines; `lines` are all of the function, `snap` gives the code line of each. */
export function flowOnCodeLines(
  flow: FunctionFlow,
  lines: Iterable<number>,
  snap: (line: number) => number,
): FunctionFlow {
  const known = new Map<ReadonlySet<number>, ReadonlySet<number>>();
  const snapped = (set: ReadonlySet<number>): ReadonlySet<number> => {
    const found = known.get(set) ?? new Set([...set].map(snap));
    known.set(set, found);
    return found;
  };
  const merged = new Map<number, LineFlow>();
  const on = (follow: Follow): Follow => ({ ...follow, lines: snapped(follow.lines) });
  const after = (follow: Follow | undefined): Follow | undefined => follow && on(follow);
  for (const [
    line,
    { own, next, entered, called, named, caught, behind, made, decides, trial, ...rest },
  ] of flow.lines) {
    const into = {
      entered: entered && snapped(entered),
      called: called && snapped(called),
      named: snapped(named),
      caught: after(caught),
    };
    // Lines that fall together do not tell where the frame came from.
    const isTold = snapped(own).size === own.size;
    const ways = isTold ? [...(behind ?? [])] : [];
    const known = ways.map(([from, on]) => [from && snap(from), { ...on, next: snapped(on.next) }] as const);
    const lasting = {
      ...rest,
      ...into,
      behind: known.length > 0 ? new Map(known) : undefined,
      made: made && isTold ? madeOnCodeLines(made, snap) : undefined,
      decides: decides && isTold ? decidingOnCodeLines(decides, own, snap) : undefined,
      trial: trial && { ...trial, match: snap(trial.match), holds: on(trial.holds), fails: on(trial.fails) },
    };
    merge(merged, snap(line), { ...lasting, own: snapped(own), next: snapped(next) });
  }
  const cleanups = new Map([...flow.cleanups].map(([line, next]) => [snap(line), snapped(next)]));
  const taken = new Set<number>();
  for (const line of lines) {
    const own = snap(line);
    if (!flow.lines.has(line)) merged.delete(own);
    // Of lines that fall together one says too little.
    if (!flow.cleanups.has(line) || taken.has(own)) cleanups.delete(own);
    taken.add(own);
  }
  const conditions = new Map<number, Condition>();
  for (const [line, { holds, fails, body }] of flow.conditions)
    conditions.set(snap(line), { holds: after(holds), fails: after(fails), body });
  const attempts = attemptsOnCodeLines(flow.attempts, snap);
  return { ...flow, entry: snapped(flow.entry), conditions, lines: merged, cleanups, attempts };
}
