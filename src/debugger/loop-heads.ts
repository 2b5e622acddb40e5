/**
 * Heads of loops: what their names stand for next, what they stood for before the pass that has begun, and how many passes a loop had that is over. The text tells it where it
 * tells what the loop goes over, or going back where that is a range: then each integer tells the one before it.
 */
import { type Action, isReverse, singleSteps } from './action.js';
import { firstBound } from './first-bound.js';
import { mayChangeHeld } from './held-attributes.js';
import { attributeName } from './language/attributes.js';
import { looksInto, valueOfName } from './language/constants.js';
import { toldIn } from './language/frame-literals.js';
import { iterated } from './language/iterated.js';
import { lineParts } from './language/line-parts.js';
import { integerOf, isLiteral, isMutable } from './language/literal-values.js';
import { lookedAt } from './language/lookups.js';
import { dictOf } from './language/nested-items.js';
import type { Part } from './language/parts.js';
import type { Value } from './language/plan.js';
import { charTokens, isSlotToken, textTokens, wordTokens } from './language/tokens.js';
import { shownWhole } from './language/told-values.js';
import { unpacked, unpackingRaises } from './language/unpacking.js';
import { decodeValue, encodeValue } from './language/values.js';
import { liveItem, liveList } from './live-list.js';
import { lineTokens, loopsOf, nameOfSlot, type Program, type Scope } from './program.js';
import { type Running, scopeOf } from './running.js';
import { currentFrame, type DebuggerState } from './state.js';

/** By line: what names stood for on it; undefined: unbound. */
export type Heads = ReadonlyMap<number, ReadonlyMap<string, string | undefined>>;

const nothing: Heads = new Map();
const [forWord, range, enumerate, reversed] = wordTokens('for range enumerate reversed');
/** What may stand between the names of a target. */
const between = new Set(charTokens('(,)[]*'));
const inside = new Set(charTokens('[.'));
const [dot, opening] = charTokens('.(');
/** Most items of what a loop goes over, of which the next one is told. */
const mostPasses = 4096;

/** The names of the loop whose body has begun a pass, as they were at its head, if that is where a step back leads. */
export function headsBefore(program: Program, state: DebuggerState | null, action: Action): Heads {
  if (state?.event !== 'line' || !isReverse(action.kind) || !singleSteps.has(action.kind)) return nothing;
  const frame = currentFrame(state);
  const scope = scopeOf(program, frame, 'line');
  // The head of a loop belongs to the loop, but it is not its body.
  const loops = scope ? loopsOf(scope, frame.line).filter((loop) => loop !== frame.line) : [];
  const [line, passes] = [loops.at(-1), frame.its[loops.length - 1]];
  const head = scope && line !== undefined ? headOf(program, { frame, scope }, line) : undefined;
  if (line === undefined || head === undefined || passes === undefined) return nothing;
  return new Map([[line, passes > 0 ? head.valuesAt(passes - 1) : head.valuesAtFirst()]]);
}

/** What the names of the head of a loop stood for in the pass of a number, from 0 on, the one before the pass that a frame is in; undefined where the body may change that. */
export const headInPass = (
  program: Program,
  running: Running,
  line: number,
  pass: number,
): ReadonlyMap<string, string | undefined> | undefined => headOf(program, running, line)?.valuesAt(pass);

/**
 * What the names of the head of a loop stand for next, where a frame has come to it; 'over': there is no item left; undefined where that is not told. code: code tokens of
 * the line, as far as it was worked out.
 */
export function nextPass(
  program: Program,
  running: Running,
  code: readonly number[],
): ReadonlyMap<string, string> | 'over' | undefined {
  const next = nextItem(program, running, code);
  if (next === undefined) return undefined;
  return next.item === 'over' ? next.item : next.head.given(next.item);
}

/** What the pass raises that comes next, whose item has more or fewer items than the head has names. */
export function raisedByPass(
  program: Program,
  running: Running,
  code: readonly number[],
): string | undefined {
  const next = nextItem(program, running, code);
  return next && next.item !== 'over' ? next.head.raises(next.item) : undefined;
}

function nextItem(
  program: Program,
  running: Running,
  code: readonly number[],
): { readonly head: LoopHead; readonly item: Value | 'over' } | undefined {
  const head = headAt(program, running, code);
  const passes = running.frame.its.at(-1);
  if (head === undefined || passes === undefined) return undefined;
  const isSame = passes === 0 || head.goesOverTheSame();
  const item = (isSame ? head.following(passes) : undefined) ?? head.followingInList(passes);
  return item && { head, item };
}

/** The head of the loop on a line, that on which the frame stands if none is said, if it binds names of the function and nothing else. */
export function headAt(
  program: Program,
  running: Running,
  code: readonly number[],
  line = running.frame.line,
): LoopHead | undefined {
  const iterable = code[0] === forWord ? lineParts(code)?.values[0] : undefined;
  const head = iterable && new LoopHead(program, running, line, code, iterable);
  return head?.bindsNames() ? head : undefined;
}

/**
 * How many passes the loop on a line had when it was over, seen from a `line` event behind it; undefined where that is not told. `isEntered`: whether it is taken to have had
 * one.
 */
export function passesOf(
  program: Program,
  state: DebuggerState,
  line: number,
  isEntered: boolean,
): number | undefined {
  const frame = currentFrame(state);
  const scope = state.event === 'line' ? scopeOf(program, frame, 'line') : undefined;
  return scope && headOf(program, { frame, scope }, line)?.passes(isEntered);
}

/** The head of a loop that stands on one line and binds names that its body leaves alone. */
function headOf(program: Program, running: Running, line: number): LoopHead | undefined {
  const head = headAt(program, running, [...lineTokens(program, line)], line);
  return head?.isKept() ? head : undefined;
}

/** The lines of a loop but for its head. */
export const bodyOf = (scope: Scope, head: number): readonly number[] =>
  scope.lines.filter((line) => line !== head && loopsOf(scope, line).includes(head));

class LoopHead {
  private readonly body: readonly number[];
  private readonly target: readonly number[];
  private readonly names: readonly string[];

  constructor(
    private readonly program: Program,
    private readonly running: Running,
    private readonly line: number,
    private readonly code: readonly number[],
    readonly iterable: Part,
  ) {
    this.target = code.slice(1, iterable.begin - 1);
    this.names = this.target.filter(isSlotToken).map((token) => this.nameOf(token));
    this.body = bodyOf(running.scope, line);
  }

  /** Whether the head binds names of the function, and nothing else. */
  bindsNames(): boolean {
    const { scope } = this.running;
    const isBound = this.target.every((token) => isSlotToken(token) || between.has(token));
    return isBound && this.names.every((name) => scope.names.includes(name));
  }

  /** Whether the body binds neither the names of the head nor those in what it goes over, and changes none of the latter. */
  isKept(): boolean {
    const read = this.read();
    const names = [...this.names, ...read.map((slot) => this.nameOf(slot))];
    const isOnce = new Set(names).size === this.names.length + new Set(read).size;
    return this.bindsNames() && isOnce && this.stays(names) && this.isLookedInto(read);
  }

  /** Whether nothing changes what the loop goes over: not what it reads, by that name or by another one. */
  goesOverTheSame(): boolean {
    const { frame } = this.running;
    const attributes = this.attributesRead();
    const read = attributes.size > 0 ? this.lookedUp() : this.read();
    const names = read.map((slot) => this.nameOf(slot));
    const values = new Set(names.map((name) => frame.locals.get(name)));
    const isOther = ([name, text]: readonly [string, string]): boolean =>
      names.includes(name) || !values.has(text) || !isMutable(encodeValue(this.program, text));
    const roots = attributes.size > 0 ? this.read().map((slot) => this.nameOf(slot)) : [];
    const isBound = [...names, ...roots].some((name) => this.names.includes(name));
    const { program, running, body } = this;
    const isChanged = [...attributes].some((name) => mayChangeHeld(program, running.scope, body, name));
    return (
      !isBound &&
      !isChanged &&
      this.stays(roots) &&
      [...frame.locals].every(isOther) &&
      this.stays(names) &&
      this.isLookedInto(read)
    );
  }

  /** Code tokens of what it goes over, as they are written. */
  private written(): readonly number[] {
    return [...lineTokens(this.program, this.line)].slice(this.target.length + 2, -1);
  }

  /** Names of attributes in what it goes over, methods of builtins apart. */
  private attributesRead(): ReadonlySet<string> {
    const written = this.written();
    const isRead = (at: number): boolean => written[at - 1] === dot && written[at + 1] !== opening;
    return new Set(
      written.flatMap((token, at) => (isRead(at) ? attributeName(this.program, token) || [] : [])),
    );
  }

  /** Names in it that are no attributes, and of which none are read. */
  private lookedUp(): readonly number[] {
    return this.written().filter((token, at, all) => {
      const isCalled = all[at + 1] !== dot || all[at + 3] === opening;
      return isSlotToken(token) && all[at - 1] !== dot && isCalled;
    });
  }

  private read(): readonly number[] {
    return this.written().filter(isSlotToken);
  }

  /** Whether the body binds none of these names. */
  private stays(names: readonly string[]): boolean {
    const binds = this.body.map((line) => this.bindsOn(line));
    return !names.some(
      (name) => this.program.reboundNames.has(name) || binds.some((found) => found.has(name)),
    );
  }

  /** Names that a line of the body may bind. Where its flow is open (`except`, `with`), that may be any that stands on it. */
  private bindsOn(line: number): ReadonlySet<string> {
    const flow = this.running.scope.flow?.lines.get(line);
    if (flow !== undefined) return flow.effects.binds;
    const slots = Array.from(lineTokens(this.program, line)).filter(isSlotToken);
    return new Set(slots.map((slot) => this.nameOf(slot)));
  }

  /** Whether a name stands for the same object all the time, though that may change. */
  private keepsName(slot: number, name: string): boolean {
    const isKept = this.body.every((line) => {
      const tokens = lineTokens(this.program, line);
      // `xs[i] = x` is no more than a change of what is behind the name.
      const isInside = Array.from(tokens).every(
        (token, at) => token !== slot || inside.has(tokens[at + 1] as number),
      );
      return isInside || !this.bindsOn(line).has(name);
    });
    return isKept && !this.program.reboundNames.has(name);
  }

  /** Whether the body does no more with lists and their like than look into them. */
  private isLookedInto(read: readonly number[]): boolean {
    const { frame } = this.running;
    const changing = read.filter((slot) => isMutable(valueOfName(this.program, frame, slot) ?? []));
    return this.body.every((line) => {
      const tokens = lineTokens(this.program, line);
      return changing.every((slot) => looksInto(this.program, tokens, slot));
    });
  }

  /** The item that comes behind so many passes. */
  following(passes: number): Value | 'over' | undefined {
    const items = iterated(
      this.code,
      this.iterable,
      (part) => this.told(part) ?? this.shown(part),
      mostPasses,
    );
    return items === undefined || passes > items.length ? undefined : (items[passes] ?? 'over');
  }

  /** What the names stand for in a pass with this item, if that is told of all of them. */
  given(item: Value): ReadonlyMap<string, string> | undefined {
    const values = this.bound(unpacked(this.target, item));
    return values.size === new Set(this.names).size ? values : undefined;
  }

  /** What taking this item apart raises, if anything. */
  raises(item: Value): string | undefined {
    return unpackingRaises(this.target, item);
  }

  /** The same of a list that the body may change, but whose name it leaves alone. */
  followingInList(passes: number): Value | 'over' | undefined {
    const list = liveList(this.code, this.iterable);
    const name = list && this.nameOf(list.slot);
    if (list === undefined || name === undefined || this.names.includes(name)) return undefined;
    if (passes > 0 && !this.keepsName(list.slot, name)) return undefined;
    return liveItem(this.program, this.running, list, passes);
  }

  /** What the names stand for in the pass of this number, from 0 on. */
  valuesAt(pass: number): ReadonlyMap<string, string | undefined> {
    const item = this.items()?.[pass];
    if (item !== undefined) return this.bound(unpacked(this.target, item));
    const before = this.integerBefore();
    return before === undefined ? new Map() : new Map([[before.name, `${before.value}`]]);
  }

  /** Before the first pass: names that nothing else can have bound are unbound. */
  valuesAtFirst(): ReadonlyMap<string, string | undefined> {
    const first = firstBound(this.program, this.running, this.line, this.names);
    return new Map(first.map((name) => [name, undefined]));
  }

  /** How many passes there were in all. What is left of a loop over integers tells it, unless this is left from the loop before it. */
  passes(isEntered: boolean): number | undefined {
    const items = this.items();
    if (items !== undefined) return items.length;
    const counter = this.counter();
    if (counter?.start === undefined || !(isEntered || this.isFirstTime())) return undefined;
    if (!this.running.frame.locals.has(counter.name)) return 0;
    const last = this.integerNow(counter.name);
    return last === undefined ? undefined : (last - counter.start) / counter.step + 1;
  }

  /** Whether nothing can have bound its names before the passes that the counters tell of. */
  private isFirstTime(): boolean {
    const { program, running, line, names } = this;
    return firstBound(program, running, line, names, line).length === names.length;
  }

  private items(): readonly Value[] | undefined {
    return iterated(this.code, this.iterable, (part) => this.told(part));
  }

  /** The name that counts by itself: over a range, one that goes backwards, or what `enumerate` counts. */
  private counter(): { name: string; start: number | undefined; step: number } | undefined {
    const { kind, first, parts } = this.iterable;
    const [, over, ...more] = parts;
    const name = this.names[0] as string;
    if (kind !== 'call' || over === undefined) return undefined;
    if (this.code[first] === enumerate) {
      const isPair = isSlotToken(this.target[0] as number) && this.names.length > 1;
      return isPair && more.length === 0 ? { name, start: 0, step: 1 } : undefined;
    }
    const isBackwards = this.code[first] === reversed && more.length === 0;
    const call = isBackwards ? over : this.iterable;
    if (call.kind !== 'call' || this.code[call.first] !== range || this.target.length !== 1) return undefined;
    const bounds = call.parts.slice(1);
    const step = bounds.length < 3 ? 1 : this.integer(bounds[2] as Part);
    if (step === undefined || step === 0) return undefined;
    const start = bounds.length === 1 ? 0 : this.integer(bounds[0] as Part);
    return isBackwards ? { name, start: undefined, step: -step } : { name, start, step };
  }

  private integerBefore(): { name: string; value: number } | undefined {
    const counter = this.counter();
    const now = counter && this.integerNow(counter.name);
    return now === undefined || counter === undefined
      ? undefined
      : { name: counter.name, value: now - counter.step };
  }

  private integerNow(name: string): number | undefined {
    return integerOf(textTokens(this.running.frame.locals.get(name) ?? ''));
  }

  private integer(part: Part): number | undefined {
    return integerOf(this.told(part) ?? []);
  }

  private told(part: Part): Value | undefined {
    const inFrame = (inner: Part): Value | undefined =>
      toldIn(this.program, this.running.frame, this.code, inner);
    return inFrame(part) ?? lookedAt(this.code, part, inFrame) ?? this.defaults(part);
  }

  /** What holds objects, if it is shown whole. */
  private shown(part: Part): Value | undefined {
    const value = shownWhole(this.program, this.code, part, this.running.frame);
    return value && (dictOf(this.program, value) ?? value);
  }

  /** The dict of a `defaultdict` that a name stands for. */
  private defaults({ kind, first }: Part): Value | undefined {
    const value =
      kind === 'name' ? valueOfName(this.program, this.running.frame, this.code[first] as number) : undefined;
    const dict = value && dictOf(this.program, value);
    return dict && isLiteral(dict) ? dict : undefined;
  }

  private bound(found: ReadonlyMap<number, Value> | undefined): ReadonlyMap<string, string> {
    return new Map(
      [...(found ?? [])].flatMap(([slot, value]) => {
        const text = decodeValue(this.program, value);
        return typeof text === 'string' ? [[this.nameOf(slot), text] as const] : [];
      }),
    );
  }

  private nameOf(slot: number): string {
    return nameOfSlot(this.program, slot);
  }
}
