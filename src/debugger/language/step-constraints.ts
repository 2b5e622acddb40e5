/**
 * Which events a single step of a frame can lead to, forward and back, by the control flow of its function (control-flow.ts). The code that
 * follows a line is known without a model; what the model decides is which branch is taken and what the values are.
 */
import { loopsOf, type Scope } from '../program.js';
import type { EventKind } from '../state.js';
import { behindLine, type Follow, type FunctionFlow } from './flow.js';
import type { Direction } from './question-automaton.js';
import { calledAgain, standings, suspended } from './suspending.js';

/** How a call ended: the last of its statement, which perhaps is a condition that it decides, with another one to come, or by an exception. */
/**
 * How it is known that a line ends. `passes`: without an exception, and it enters nothing. Of a line with `yield`: `gives`: it gives a value; `resumed`: it is over,
 * having given what it had to. `continues`: a generator function is called again, `callee` the line on which it waits, or its first one.
 */
export type Ended =
  | 'ended'
  | 'holds'
  | 'fails'
  | 'passes'
  | 'calls'
  | 'enters'
  | 'raised'
  | 'gives'
  | 'resumed'
  | 'continues';
const endings: readonly Ended[] = ['ended', 'holds', 'fails', 'calls', 'raised'];
/** A function is entered; where it is known which, perhaps nothing can be raised before (`enters`). */
const entering: readonly Ended[] = ['calls', 'enters'];
/** The name of the scopes of generator expressions. */
const expression = '<genexpr>';

/** What is known of a step besides where its frame stands. */
export interface Known {
  /**
   * Of a paused frame, and of a condition or the head of a loop on which a frame stands, where it is known; of a statement on several lines, that it calls nothing (more)
   * on this one (`ended`). Of a generator expression on one line: whether
   * the pass gives an item (`holds`), passes one over (`fails`) or finds none; going back the pass before, or whatever (`ended`) led to a `return`.
   */
  readonly ended?: Ended | undefined;
  /** Where a call comes next (`calls`): the first line of the function that it enters, if that is known. */
  readonly callee?: number | undefined;
  /** The line of the same statement or of the one behind it that comes next, if that is known. */
  readonly next?: number | undefined;
  /** Of a paused frame: whether what was left is no generator that was closed, and has dropped none (`dropsNothing`). */
  readonly isPlain?: boolean | undefined;
  /** Going back from a `line` event: some of the ways to it (`waysTo`), the only ones that the frame's values allow. */
  readonly ways?: ReadonlySet<Way> | undefined;
}

/** Where a frame stands; `paused`: a function it called has just been left. */
export interface Standing extends Known {
  readonly event: EventKind | 'paused';
  readonly line: number;
  /** See Frame. */
  readonly lineBefore?: number | undefined;
}

/** The event of the same frame before a `line` event, unless it is an exception: the call, or a `line` event on this line. */
export type Way = 'call' | number;

export interface StepConstraint {
  /** Tells the constraints of one scope and direction apart. */
  readonly name: string;
  /** Next events of the frame with the lines they can be on; `null`: any of the event's lines. */
  readonly events: ReadonlyMap<EventKind, ReadonlySet<number> | null>;
  /** Whether the frame enters a function before any of these events but an exception. */
  readonly enters?: boolean;
  /** Whether that comes before an exception, too. */
  readonly comesFirst?: boolean;
  /** First lines of the functions it can enter (going back: come from); without it, any. */
  readonly entered?: ReadonlySet<number> | undefined;
  /** Whether what is entered begins: it is no generator that goes on. */
  readonly begins?: boolean;
  /** The line on which a generator function is called again, or its first one. */
  readonly continues?: number;
  /** Going back: lines that surely enter a function, so that stepping into what was before leads into that. */
  readonly passed?: ReadonlySet<number>;
  /** Going back: a function that was left gave something, and was not left by an exception. */
  readonly gave?: boolean;
  /** Lines on which the frame can wait for a function it enters; none: it enters none; `null`: any of its lines. */
  readonly waits: ReadonlySet<number> | null;
  /** What comes once a condition has been decided, where the line is one. */
  readonly outcomes?: { readonly holds?: StepConstraint; readonly fails?: StepConstraint };
}

/** The constraint on a step from `at`; undefined where the control flow says nothing. */
export function stepConstraint(scope: Scope, direction: Direction, at: Standing): StepConstraint | undefined {
  return direction === 'forward' ? forward(scope, at) : backward(scope, at);
}

/** All constraints on steps of a scope. continuing: the lines on which a line may have generator functions called again. */
export function stepConstraints(
  scope: Scope,
  direction: Direction,
  continuing: (line: number) => readonly number[] = () => [],
): StepConstraint[] {
  const events = ['call', 'line', 'return', 'exception', 'paused'] as const;
  const found = new Map<string, StepConstraint>();
  const constraintAt = (standing: Standing): StepConstraint | undefined =>
    stepConstraint(scope, direction, { isPlain: true, ...standing });
  for (const line of [...scope.lines, ...scope.callLines]) {
    for (const event of events) {
      const constraint = constraintAt({ event, line });
      if (constraint !== undefined) found.set(constraint.name, constraint);
    }
    if (direction === 'reverse')
      for (const ways of choicesOf(waysTo(scope, line))) {
        const constraint = constraintAt({ event: 'line', line, ways });
        if (constraint !== undefined) found.set(constraint.name, constraint);
      }
    const behind = [...(scope.flow?.lines.get(line)?.behind?.keys() ?? [])];
    const known =
      direction === 'forward' && callsApart(scope, line) ? [undefined, 'ended' as const] : [undefined];
    for (const lineBefore of [undefined, ...behind])
      for (const ended of known) {
        const constraint = constraintAt({ event: 'line', line, ended, lineBefore });
        if (constraint !== undefined) found.set(constraint.name, constraint);
      }
    const { decides, trial, next: following = [] } = scope.flow?.lines.get(line) ?? {};
    for (const next of direction === 'forward' && (decides || trial) ? following : []) {
      // A line of a statement that has only brackets or the rest of a string is none that comes.
      if (!scope.lines.includes(next)) continue;
      const constraint = constraintAt({ event: 'line', line, next });
      if (constraint !== undefined) found.set(constraint.name, constraint);
    }
    for (const standing of direction === 'forward' ? standings(scope, line, continuing(line)) : []) {
      const constraint = constraintAt(standing);
      if (constraint !== undefined) found.set(constraint.name, constraint);
    }
    if (direction === 'forward' && mayPass(scope, line)) {
      const constraint = constraintAt({ event: 'line', line, ended: 'passes' });
      if (constraint !== undefined) found.set(constraint.name, constraint);
    }
    const isDecided = direction === 'forward' && scope.flow?.conditions.has(line);
    for (const callee of direction === 'forward' ? calleesOf(scope, line) : [])
      for (const ended of entering) {
        const constraint = constraintAt({ event: 'line', line, ended, callee });
        if (constraint !== undefined) found.set(constraint.name, constraint);
      }
    for (const ended of direction === 'forward' || scope.name === expression ? endings : []) {
      const isOutcome = ended === 'holds' || ended === 'fails';
      const isOfLine = (isDecided && isOutcome) || ended === 'calls' || ended === 'raised';
      const standing = isOfLine ? (['paused', 'line'] as const) : (['paused'] as const);
      for (const event of scope.name === expression ? events : standing) {
        const constraint = constraintAt({ event, line, ended });
        if (constraint !== undefined) found.set(constraint.name, constraint);
      }
    }
  }
  return [...found.values()];
}

/** Whether it may be known that a statement passes: it is an `assert`, or stands on one line and decides nothing. */
export function mayPass({ flow, isGenerator }: Scope, line: number): boolean {
  const known = flow?.lines.get(line);
  if (known?.asserts) return true;
  if (known === undefined || known.own.size !== 1 || flow?.conditions.has(line)) return false;
  // What a line gives is another matter.
  if (isGenerator && known.returns !== known.ends) return false;
  return known.next.size > 0 || known.returns;
}

/** Whether it may be known that a statement calls nothing on one of its lines, or the head of a loop in one of its passes. */
function callsApart({ flow }: Scope, line: number): boolean {
  const { made, goesOn, effects } = flow?.lines.get(line) ?? {};
  return made !== undefined || (goesOn === true && effects?.calls === true);
}

/** Most functions that a line may enter first which are told apart. */
const mostCallees = 16;

/** First lines of the functions that a line may call, at least of those that it may call first, as far as they are told apart. */
function calleesOf(scope: Scope, line: number): readonly number[] {
  const { called, entered, named, effects } = scope.flow?.lines.get(line) ?? {};
  const sets = effects?.calls ? [called, entered, named] : [scope.called, scope.named];
  return [...(sets.find((callees) => callees && callees.size <= mostCallees) ?? [])];
}

/** Most ways of which all choices are told apart; of more, single ones and pairs, and of more than twice as many single ones. */
const mostWays = 4;

/** The ways that lead to a `line` event; none where the control flow says nothing. */
export function waysTo(scope: Scope, line: number): Way[] {
  const { events } = backward(scope, { event: 'line', line }) ?? { events: new Map() };
  return [...(events.get('line') ?? []), ...(events.has('call') ? ['call' as const] : [])];
}

/** The choices of some of these ways, not all, that a constraint can be held to. */
function choicesOf(ways: readonly Way[]): ReadonlySet<Way>[] {
  const most = ways.length <= mostWays ? ways.length - 1 : ways.length <= 2 * mostWays ? 2 : 1;
  let choices: Way[][] = [[]];
  for (const way of ways)
    choices = [...choices, ...choices.filter(({ length }) => length < most).map((some) => [...some, way])];
  return choices.filter(({ length }) => length > 0).map((some) => new Set(some));
}

const none: ReadonlySet<number> = new Set();
const anything = new Map<EventKind, null>([
  ['line', null],
  ['exception', null],
  ['return', null],
]);

/** A generator expression that goes on on the line of its element, or whose pass has been worked out. */
function passed(scope: Scope, standing: Standing): StepConstraint | undefined {
  const { event, line, ended } = standing;
  const own = scope.callLines.at(-1) ?? line;
  if (scope.clauses === 0 || (line !== own && event !== 'call')) return undefined;
  const isPass = ended !== undefined && (event === 'line' || (event === 'paused' && ended !== 'raised'));
  if (isPass && isEntering(ended)) return entersNext(new Set([own]), standing);
  if (!isPass && event !== 'call') return undefined;
  const next = event === 'call' || ended === 'fails' ? 'line' : 'return';
  return { name: `${next} alone ${own}`, events: new Map([[next, new Set([own])]]), waits: none };
}

function forward(scope: Scope, standing: Standing): StepConstraint | undefined {
  const { event, line, ended } = standing;
  const pass = passed(scope, standing);
  if (pass !== undefined) return pass;
  if (scope.flow === undefined || event === 'return') return undefined;
  if (event === 'exception') return behindException(scope.flow, line);
  if (event === 'call' && line === scope.firstLine) {
    if (scope.isGenerator || scope.flow.entry.size === 0) return undefined;
    return { name: 'entry', events: new Map([['line', scope.flow.entry]]), waits: none };
  }
  if (ended === 'gives' || ended === 'resumed') return suspended(scope, standing);
  if (ended === 'continues') return calledAgain(scope, standing);
  // What was left may have been the finalizer of something that an exception of this frame dropped.
  const isOpen = scope.flow.finalizers === 'any' || (scope.flow.finalizers === 'loops' && !standing.isPlain);
  if (event === 'paused' && ended !== 'raised' && isOpen) return undefined;
  const condition = event === 'line' ? scope.flow.conditions.get(line) : undefined;
  const outcomes = condition && {
    holds: decided(`${line} holds`, line, condition.holds),
    fails: decided(`${line} fails`, line, condition.fails),
  };
  const decision = ended === 'holds' || ended === 'fails' ? scope.flow.conditions.get(line) : undefined;
  if (ended !== undefined && decision !== undefined) {
    const follow = ended === 'holds' ? decision.holds : decision.fails;
    const sure = decided(`${line} ${ended}`, line, follow);
    // The outcome is said, though it is known.
    return event === 'line'
      ? { name: `${line} surely ${ended}`, events: new Map(), waits: none, outcomes: { [ended]: sure } }
      : sure;
  }
  const flow = scope.lines.includes(line) ? scope.flow.lines.get(line) : undefined;
  if ((flow?.decides || flow?.trial) && event === 'line' && standing.next !== undefined)
    return {
      name: `from ${line} on ${standing.next}`,
      events: new Map([['line', new Set([standing.next])]]),
      waits: none,
    };
  if (flow !== undefined && ended !== undefined && isEntering(ended)) return entersNext(flow.own, standing);
  if (flow !== undefined && ended === 'raised')
    return { name: `${ended} ${line}`, events: new Map([['exception', flow.own]]), waits: none };
  if (flow !== undefined && ended === 'passes') {
    const events = new Map<EventKind, ReadonlySet<number>>([['line', flow.next]]);
    if (flow.returns) events.set('return', flow.own);
    return { name: `${ended} ${line}`, events, waits: none };
  }
  if (flow === undefined) {
    if (ended === 'raised') return { name: 'raised', events: new Map([['exception', null]]), waits: none };
    const next = scope.lines.includes(line) ? scope.flow.cleanups.get(line) : undefined;
    const events = next ? new Map([...anything, ['line' as const, next]]) : anything;
    return (next ?? outcomes) && { name: `open ${line}`, events, waits: null, ...(outcomes && { outcomes }) };
  }
  const { lineBefore } = standing;
  const known = event === 'line' ? behindLine(flow, lineBefore) : flow;
  const { next, returns } = known;
  const events = new Map<EventKind, ReadonlySet<number>>([['exception', flow.own]]);
  if (next.size > 0) events.set('line', next);
  if (returns) events.set('return', flow.own);
  // A generator that goes on, and a frame whose function has just been left, may call on the same line.
  const calls = ended === undefined && (flow.effects.calls || event !== 'line');
  const enters = flow.enters && event === 'line' && ended === undefined;
  const waits = calls ? flow.own : none;
  // After a call of the same line anything that is named there can come; after it was dropped, a finalizer.
  const entered = event === 'line' ? flow.entered : undefined;
  const name = `from ${line} ${calls} ${enters} ${event === 'line'}${known === flow ? '' : ` behind ${lineBefore}`}`;
  return { name, events, enters, entered, waits, ...(outcomes && { outcomes }) };
}

/** A frame that has raised something goes on where that is caught or cleaned up behind, or is left. */
function behindException({ lines, finalizers }: FunctionFlow, line: number): StepConstraint | undefined {
  const { caught, mayHold } = lines.get(line) ?? {};
  // What the statement held is dropped, which may call something.
  if (caught === undefined || finalizers === 'any' || mayHold) return undefined;
  const events = new Map<EventKind, ReadonlySet<number>>();
  if (caught.lines.size > 0) events.set('line', caught.lines);
  if (caught.ends) events.set('return', new Set([line]));
  return { name: `raised on ${line}`, events, waits: none };
}

const isEntering = (ended: Ended): boolean => ended === 'calls' || ended === 'enters';

/** A function is entered, or something is raised on one of the lines of the statement. */
function entersNext(own: ReadonlySet<number>, { line, ended, callee }: Standing): StepConstraint {
  const isSure = ended === 'enters' && callee !== undefined;
  const name = `${isSure ? 'enters' : 'calls'} ${line}`;
  const events = new Map([['exception' as const, own]]);
  if (callee === undefined) return { name, events, waits: own };
  const first = isSure && { comesFirst: true };
  return {
    name: `${name} ${callee}`,
    events,
    waits: own,
    entered: new Set([callee]),
    begins: true,
    ...first,
  };
}

/** On a line that is a condition in one of the functions it may belong to. */
export const perhapsDecided: StepConstraint = {
  name: 'perhaps decided',
  events: anything,
  waits: null,
  outcomes: {
    holds: decided('holds', 0, undefined),
    fails: decided('fails', 0, undefined),
  },
};

/** The frame goes on after a condition that was decided, or ends. */
function decided(name: string, line: number, follow: Follow | undefined): StepConstraint {
  if (follow === undefined) return { name: 'something follows', events: anything, waits: none };
  const { lines, ends } = follow;
  const events = new Map<EventKind, ReadonlySet<number>>();
  if (lines.size > 0) events.set('line', lines);
  if (ends) events.set('return', new Set([line]));
  return { name, events, waits: none };
}

/** A generator expression on one line that was called again because it had given an item (`holds`), or came here from its own line. */
function passedBefore(scope: Scope, { event, line, ended }: Standing): StepConstraint | undefined {
  if (scope.name !== expression || loopsOf(scope, line).length === 0 || ended === undefined) return undefined;
  if (event !== 'line' && event !== 'return') return undefined;
  const before = ended === 'holds' ? 'call' : 'line';
  return { name: `${before} alone ${line}`, events: new Map([[before, new Set([line])]]), waits: none };
}

/** Lines after which `comes` holds, and those of which nothing is known. */
function before(scope: Scope, comes: (line: number) => boolean): Set<number> {
  return new Set(scope.lines.filter((line) => !scope.flow?.lines.has(line) || comes(line)));
}

function backward(scope: Scope, standing: Standing): StepConstraint | undefined {
  const { event, line, ways } = standing;
  const { flow } = scope;
  const pass = passedBefore(scope, standing);
  if (pass !== undefined) return pass;
  if (flow === undefined || event === 'call') return undefined;
  const of = (other: number) => flow.lines.get(other);
  const sources = {
    line: () => before(scope, (other) => of(other)?.next.has(line) === true),
    return: () => before(scope, (other) => of(other)?.returns === true && of(other)?.own.has(line) === true),
    exception: () => before(scope, (other) => of(other)?.own.has(line) === true),
    paused: () => before(scope, (other) => of(other)?.own.has(line) === true),
  }[event]();
  const lines = ways ? new Set([...sources].filter((other) => ways.has(other))) : sources;
  const events = new Map<EventKind, ReadonlySet<number> | null>([['line', lines]]);
  const isQuiet = event === 'return' && lines.size > 0 && of(line)?.isQuiet === true;
  if (!isQuiet) events.set('exception', null);
  // A generator is called again wherever it has yielded.
  const isCalled = scope.isGenerator || (event === 'line' && flow.entry.has(line));
  if (isCalled && ways?.has('call') !== false) events.set('call', null);
  const [isDone, name] = [event === 'line' || event === 'return', `to ${event} ${line}`];
  return {
    name: ways ? `${name} by ${[...ways].join()}` : name,
    events,
    // A finalizer may have run on any line, whatever it did.
    entered:
      flow.finalizers !== 'none' ? undefined : joinedLines([...lines].map((other) => of(other)?.called)),
    passed: new Set(isDone ? [...lines].filter((other) => of(other)?.enters) : []),
    // The body of a class may take an exception, which no event shows.
    gave:
      event !== 'exception' && flow.finalizers === 'none' && ![...lines].some((other) => of(other)?.hasBody),
    waits: flow.finalizers === 'none' ? lines : null,
  };
}

/** All lines; undefined where one set is not known. */
const joinedLines = (sets: readonly (ReadonlySet<number> | undefined)[]): ReadonlySet<number> | undefined =>
  sets.some((lines) => lines === undefined)
    ? undefined
    : new Set(sets.flatMap((lines) => [...(lines ?? [])]));

/**
 * Lines on which a frame may have returned, rather than having been left by an exception. (A function that its name alone enters was called by a statement, which raises
 * again what the function raised.)
 */
export function givingLines({
  isNamed,
  isPlain,
  isGenerator,
  lines,
  callLines,
  flow,
}: Scope): readonly number[] {
  if (isGenerator || !(isNamed || isPlain)) return [...lines, ...callLines];
  return lines.filter((line) => flow?.lines.get(line)?.returns !== false);
}
