/** Goes through a line in the order in which it is evaluated, and tells what has to be asked of it (docs/trace-language.md, section 9). */
import { valueAt } from './attributes.js';
import { inColumns } from './columns.js';
import { withValues } from './here.js';
import { hidden, listed, substituted, taken, targetOf } from './items.js';
import { iterated } from './iterated.js';
import { changesNothing, consumes, givesItems, isLazy } from './known-calls.js';
import { type Around, isUsable, LineValues, longestResult, type WorkedAnswers } from './line-values.js';
import { isDisplay, truthOfLiteral } from './literal-values.js';
import { marked, marks } from './marks.js';
import { expressionParts, type LineParts, type Part, type PartKind } from './parts.js';
import type { Found, Value } from './plan.js';
import { planOf } from './plans.js';
import { inPositions } from './positions.js';
import { reordered } from './reordered.js';
import { isComputed, operationOf } from './sums.js';
import { lookedUp } from './tables.js';
import { charToken, special, wordTokens } from './tokens.js';

/** Most questions for one step. */
const mostWorkings = 12;
/** Most code tokens of what is asked. */
const longestWorking = 64;
/** Most questions for the items of the comprehensions of a line and for operations that are made of others. */
const mostItemWorkings = 64;

/** A question that has to be answered before what needs it can be asked. */
export interface Working {
  /** Its place among the answers. */
  readonly key: string;
  /** `<|evaluate|>` and the expression as far as it was worked out, with the values of its names. */
  readonly question: readonly number[];
}

export interface Workings {
  /** The code tokens with values in place of what was worked out so far. */
  readonly code: readonly number[];
  /** What can be asked now, in any order; none: the code is what it will be. */
  readonly open: readonly Working[];
}

const asked: ReadonlySet<PartKind> = new Set([
  'binary',
  'unary',
  'not',
  'compare',
  'and',
  'or',
  'ternary',
  'subscript',
  'call',
  'comprehension',
]);

/** Kinds that have parts which are not always visited. */
const unvisited: ReadonlySet<PartKind> = new Set([
  'text',
  'and',
  'or',
  'ternary',
  'compare',
  'comprehension',
  'generator',
]);
const square = charToken('[');
const [forWord, sorted, enumerate] = wordTokens('for sorted enumerate');

/** Nothing more is worked out: an expression raises, or there were enough. */
class Ended extends Error {}

/** The question for a part of the code, without its first token, that is answered in columns or in positions; undefined for others. */
export function aloud(
  code: ArrayLike<number>,
  part: Part,
  told: (part: Part) => readonly number[] | undefined,
): readonly number[] | undefined {
  const operation = operationOf(code, part, told);
  return (operation && inColumns(operation)) ?? inPositions(code, part, told);
}

/** What a comprehension makes of an item: its value, nothing where a condition does not hold; undefined: not known. */
export type Made = readonly number[] | undefined;

/** A pass of a generator expression. */
export interface Pass {
  /** What its names stand for; undefined: there is no item left. */
  readonly values: ReadonlyMap<number, Value> | undefined;
  /** What they stood for before; undefined: the pass is the first one, and they are unbound. */
  readonly previous: ReadonlyMap<number, Value> | undefined;
  /** What it gives, where that was asked for. */
  readonly made: Made;
}

/** Most items of what a generator expression goes over, of which one is needed. */
const mostPasses = 4096;

/** Goes through the parts of one line in the order in which they are evaluated. */
export class LineWalk extends LineValues {
  private readonly open: Working[];
  /** What has no answer yet, asked or not. */
  private readonly unanswered: Pick<Part, 'first' | 'end'>[] = [];
  private readonly seen = new Set<string>();
  /** Most questions that the comprehensions up to here need, item by item, and the operations that are made of others. */
  private itemsAsked = 0;
  private readonly root: LineWalk;
  /** Whether the code is a line; that of an item of a comprehension is none. */
  private readonly isLine: boolean;
  /** Whether it is the head of a `for`. */
  private readonly isLoop: boolean;
  /** Parts of the head of a loop that have the items it goes over. */
  private readonly gone = new Set<Part>();
  /** Of these the calls of `sorted` whose items it goes over as they come. */
  private readonly inOrder = new Set<Part>();

  /** whole: the walk through the comprehension that has this as an expression of one of its items. */
  constructor(
    around: Around,
    code: ArrayLike<number>,
    answers: WorkedAnswers,
    private readonly whole?: LineWalk,
  ) {
    super(around, code, answers, whole?.mayDiffer ?? around.isStale);
    this.open = whole?.open ?? [];
    this.isLine = whole === undefined && around.isLine;
    this.isLoop = this.isLine && code[0] === forWord;
    this.root = whole?.root ?? this;
  }

  of(line: LineParts): Workings {
    const { values, inner } = line;
    if (this.isLoop)
      for (const part of values) {
        this.goesOver(part);
        this.goesInOrder(part);
      }
    const left = this.isLine ? this.leftBy(line) : [];
    try {
      for (const part of values) this.walk(part, true);
      for (const part of inner) this.walk(part, false);
    } catch (error) {
      if (!(error instanceof Ended)) throw error;
    }
    return { code: [...this.written(0, this.code.length), ...left], open: this.open };
  }

  /** The list that a statement leaves which puts it in another order, behind `<|value|>`. */
  private leftBy(line: LineParts): readonly number[] {
    const code = reordered(this.code, line);
    const { program, frame } = this.around;
    const list = code && valueAt(program, this.code, 0, frame).value;
    const part = list?.[0] === square ? expressionParts(code as readonly number[]) : undefined;
    if (code === undefined || part === undefined) return [];
    const inside = new LineWalk(this.around, code, this.answers, this);
    const told = (inner: Part) => inside.told(inner);
    if ((planOf(code, part, told) ?? inPositions(code, part, told)) === undefined) return [];
    const value = this.valueFor(code);
    return typeof value === 'object' ? [special.value, ...value] : [];
  }

  /** The pass of a generator expression behind so many others. within: its own frame, where what the pass gives is asked for. */
  pass(
    part: Part,
    passes: number,
    within?: Around,
  ): { readonly pass: Pass | undefined; readonly open: readonly Working[] } {
    let pass: Pass | undefined;
    try {
      this.walk(part.parts[0] as Part, false);
      pass = this.passOf(part, passes, within);
    } catch (error) {
      if (!(error instanceof Ended)) throw error;
    }
    return { pass, open: this.open };
  }

  private passOf(part: Part, passes: number, within: Around | undefined): Pass | undefined {
    const [iterable] = part.parts as [Part];
    const target = targetOf(this.code, part);
    const items = target && !this.waits(iterable) ? this.itemsOf(iterable, mostPasses) : undefined;
    if (target === undefined || items === undefined) return undefined;
    const [before, item] = [items[passes - 1], items[passes]];
    const [previous, values] = [before && taken(target, before), item && taken(target, item)];
    const isTold =
      (before === undefined) === (previous === undefined) && (item === undefined) === (values === undefined);
    if (!isTold || passes > items.length) return undefined;
    const codes = values && this.codesFor(part, values);
    const made = codes && within && new LineWalk(within, this.code, this.answers, this).ofItem(codes);
    return { values, previous, made: made === 'waits' ? undefined : made };
  }

  /** Notes what a loop goes over, and what that takes its items from. */
  private goesOver(part: Part): void {
    const { kind, parts } = part;
    this.gone.add(part);
    if (kind === 'subscript' || kind === 'attribute') this.goesOver(parts[0] as Part);
    if (kind === 'call' && givesItems(this.code, parts[0] as Part))
      for (const inner of parts) this.goesOver(inner);
  }

  /** Notes a call of `sorted` that a loop goes over, by itself or counted. */
  private goesInOrder(part: Part): void {
    const isCounted = part.kind === 'call' && this.code[part.first] === enumerate && part.parts.length === 2;
    const over = isCounted ? (part.parts[1] as Part) : part;
    if (over.kind === 'call' && this.code[over.first] === sorted) this.inOrder.add(over);
  }

  /** What is in the part, then the part itself unless the step shows its value anyway. */
  private walk(part: Part, isShown: boolean): void {
    const { kind, parts } = part;
    if (kind === 'and' || kind === 'or') this.walkJoined(part);
    else if (kind === 'ternary') this.walkTernary(part, isShown);
    else if (kind === 'comprehension' || kind === 'generator') this.walk(parts[0] as Part, false);
    else if (kind === 'subscript') this.walkSubscripts(part);
    else if (kind === 'call' && this.changesItem(parts[0] as Part)) {
      this.walkSubscripts(parts[0]?.parts[0] as Part);
      for (const inner of parts.slice(1)) this.walk(inner, false);
    } else if (kind === 'compare') for (const inner of parts.slice(0, 2)) this.walk(inner, false);
    else if (kind !== 'lambda') for (const inner of parts) this.walk(inner, false);
    if (kind === 'call' && !this.around.enters && consumes(this.code, parts[0] as Part))
      for (const inner of parts.slice(1)) if (inner.kind === 'generator') this.unroll(inner);
    if (kind === 'compare' && parts.length > 2 && this.walkChain(part)) return;
    const isList = kind === 'comprehension' && this.code[part.first] === square;
    if (isList && !this.isLoop && this.unroll(part)) return;
    if (this.worked.get(part.begin)?.until === part.until || this.lookUp(part)) return;
    const isShort = part.end - part.first <= longestWorking;
    if (asked.has(kind) && isShort && this.isKnown(part, none)) {
      if (isShown && !(this.isLine && this.isAskedAloud(part))) this.make(part);
      else if (!isLazy(this.code, part)) this.work(part);
    } else if (unvisited.has(kind) || kind === 'call') this.mayDiffer ||= this.mayChange(part);
  }

  /** Whether a step is not left to come to the part by itself, though it shows its value. */
  private isAskedAloud(part: Part): boolean {
    if (isComputed(this.code, part)) return true;
    return !this.isLoop && aloud(this.code, part, (inner) => this.told(inner)) !== undefined;
  }

  /** The indices of subscripts one behind the other: marks show what they look up together. */
  private walkSubscripts({ parts }: Part): void {
    const [base, index] = parts as [Part, Part];
    if (base.kind === 'subscript') this.walkSubscripts(base);
    else this.walk(base, false);
    this.walk(index, false);
    this.lookUp(base);
  }

  /** Looks into a constant of the module that no line shows: whether the part does that. */
  private lookUp(part: Part): boolean {
    const lookup = this.lookup(part);
    if (lookup === undefined || !this.isGiven(lookup, none)) return false;
    if (this.waits(part)) return this.postpone(part);
    const value = lookedUp(lookup, this.tables, (inner) => this.told(inner));
    if (value === undefined) throw new Ended();
    const isShown = value.length <= longestResult && !this.isOfAnotherPass(part, [special.value, ...value]);
    if (isShown) this.put(part, value);
    return true;
  }

  /** Whether what is called may change an item of something: the step has to see of what. */
  private changesItem(callee: Part): boolean {
    const isOfItem = callee.kind === 'attribute' && callee.parts[0]?.kind === 'subscript';
    return isOfItem && !changesNothing(this.code, callee);
  }

  /** Operands up to the one that decides: it is what they all come to. */
  private walkJoined(part: Part): void {
    const { kind, parts } = part;
    for (const inner of parts) {
      this.walk(inner, false);
      const holds = this.truthOf(inner);
      if (holds === undefined) return;
      if (holds === (kind === 'or') || inner === parts.at(-1)) {
        this.standsFor(part, inner);
        return;
      }
    }
  }

  private walkTernary(part: Part, isShown: boolean): void {
    const [condition, first, other] = part.parts as [Part, Part, Part];
    this.walk(condition, false);
    const holds = this.truthOf(condition);
    if (holds === undefined) return;
    const chosen = holds ? first : other;
    this.walk(chosen, isShown);
    this.standsFor(part, chosen);
  }

  /** The comparisons of `a < b < c`, two by two up to the one that does not hold: whether what they come to takes its place, or will. */
  private walkChain(part: Part): boolean {
    const { parts } = part;
    for (const [index, right] of parts.entries()) {
      const left = parts[index - 1];
      if (left === undefined) continue;
      this.walk(right, false);
      if (this.waits(left) || this.waits(right)) return this.postpone(part);
      const values = [this.told(left), this.told(right)];
      if (!values.every((value) => value !== undefined) || !this.hasRoom(1)) return false;
      const [first, second] = values as [Value, Value];
      const found = this.valueFor([...first, ...this.slice(left.until, right.begin), ...second]);
      if (found === 'waits') return this.postpone(part);
      if (found === undefined) return false;
      if (right === parts.at(-1) || !truthOfLiteral(found)) {
        this.put(part, found);
        return true;
      }
    }
    return false;
  }

  /** Writes what a part of it comes to in place of a part, if that is known. */
  private standsFor(part: Part, chosen: Part): void {
    const value = this.told(chosen);
    if (value !== undefined) this.put(part, value);
  }

  /** Whether the line may have so many questions more of items and of what is made of others. */
  private hasRoom(questions: number): boolean {
    this.root.itemsAsked += questions;
    return this.root.itemsAsked <= mostItemWorkings;
  }

  /**
   * Works out a comprehension with one `for` item by item, if what it goes over is known: whether its list takes its place, or will once all answers are
   * there.
   */
  private unroll(part: Part): boolean {
    const { first, end, parts, bound } = part;
    if (end - first > longestWorking) return false;
    const [iterable, ...inside] = parts as [Part, Part, ...Part[]];
    const target = targetOf(this.code, part);
    if (target === undefined || !inside.every((inner) => this.isKnown(inner, bound))) return false;
    if (this.waits(iterable)) return this.postpone(part);
    const values = this.itemsOf(iterable)?.map((item) => taken(target, item));
    if (!values?.every((found) => found !== undefined)) return false;
    const codes = values.map((found) => this.codesFor(part, found));
    if (!codes.every((written) => written !== undefined)) return false;
    const different = new Map(codes.map((written) => [written.join(';'), written]));
    const questions = inside.reduce((sum, inner) => sum + operations(inner), 0);
    if (!this.hasRoom(different.size * questions)) return false;
    const made = new Map([...different].map(([key, written]) => [key, this.ofItem(written)]));
    const all = codes.map((written) => made.get(written.join(';')));
    if (all.includes('waits')) return this.postpone(part);
    if (all.includes(undefined)) return false;
    const list = listed((all as number[][]).filter(({ length }) => length > 0));
    if (list.length > longestResult) return false;
    this.put(part, list);
    return true;
  }

  /** The items of what a comprehension goes over, `most` at most, as far as they are known. */
  private itemsOf(iterable: Part, most?: number): Value[] | undefined {
    if (!this.isKnown(iterable, none)) return undefined;
    return iterated(this.code, iterable, (part) => this.told(part), most);
  }

  /** The code of what a comprehension makes of an item, and of its conditions, with the values that its names have for it. */
  private codesFor(part: Part, values: ReadonlyMap<number, Value>): number[][] | undefined {
    const unseen = hidden(this.code, part);
    const shown = unseen && new Map([...values].filter(([slot]) => !unseen.has(slot)));
    return shown && part.parts.slice(1).map(({ first, end }) => substituted(this.slice(first, end), shown));
  }

  /** Has what is around the part wait for it. */
  private postpone(part: Part): true {
    this.unanswered.push(part);
    return true;
  }

  /** What the comprehension makes of an item. item, conditions: the code of each, with the item's values. */
  private ofItem([item, ...conditions]: readonly (readonly number[])[]): Made | 'waits' {
    for (const condition of conditions) {
      const found = this.valueFor(condition);
      if (found === undefined || found === 'waits') return found;
      if (!truthOfLiteral(found)) return [];
    }
    return this.valueFor(item as readonly number[]);
  }

  /** The value of an expression that stands for a part of a comprehension. */
  private valueFor(code: readonly number[]): Found {
    const found = expressionParts(code);
    if (found === undefined) return undefined;
    const inner = new LineWalk(this.around, code, this.answers, this);
    try {
      inner.walk(found, false);
    } catch (error) {
      if (!(error instanceof Ended)) throw error;
      return undefined;
    }
    return inner.unanswered.length > 0 ? 'waits' : inner.told(found);
  }

  /** Works out an operation that is made of others; false for other parts, and where that fails. */
  private make(part: Part): boolean {
    const isInOrder = this.inOrder.has(part);
    const isMade = isInOrder || !this.gone.has(part);
    const plan = isMade ? planOf(this.code, part, (inner) => this.told(inner)) : undefined;
    const value =
      plan && this.hasRoom(plan.questions) ? plan.value((code) => this.valueFor(code)) : undefined;
    if (value === 'waits') return this.postpone(part);
    if (value === undefined || value.length > longestResult) return false;
    const following = isInOrder ? this.around.frame.its.at(-1) : undefined;
    const places = following === undefined ? [] : marks(value, { keys: [], isWhole: true }, following);
    this.put(part, marked(value, places));
    return true;
  }

  private work(part: Part): void {
    if (this.make(part)) return;
    const { first, end, begin, until } = part;
    const key = this.keyOf(first, end);
    const isFull = this.seen.size === mostWorkings && this.whole === undefined;
    if (!this.seen.has(key) && isFull) throw new Ended();
    this.seen.add(key);
    const answer = this.answers.get(key);
    if (answer === undefined) {
      this.ask(key, part);
      return;
    }
    if (answer === null) return;
    if (isUsable(answer) && !this.isOfAnotherPass(part, answer)) this.worked.set(begin, { until, answer });
    if (answer[0] !== special.value) throw new Ended();
  }

  /**
   * Whether the head of a loop is better shown as it is written: the item that comes next has a mark in the display it is in, and after the first pass
   * nothing raises that is not evaluated again.
   */
  private isOfAnotherPass(part: Part, [mark, ...value]: readonly number[]): boolean {
    if (!this.isLoop) return false;
    if (mark !== special.value) return (this.around.frame.its.at(-1) ?? 0) > 0;
    return isDisplay(value) && this.gone.has(part);
  }

  /** Opens a question, unless it is open, or waits for one inside it. */
  private ask(key: string, part: Part): void {
    const { program, frame } = this.around;
    const { first, end } = part;
    if (!this.waits(part) && !this.open.some((other) => other.key === key)) {
      const asked =
        aloud(this.code, part, (inner) => this.told(inner)) ??
        withValues(program, this.written(first, end), frame);
      this.open.push({ key, question: [special.evaluate, ...asked] });
    }
    this.unanswered.push({ first, end });
  }

  /** Whether something in this part of the code has no answer yet. */
  private waits({ first, end }: Pick<Part, 'first' | 'end'>): boolean {
    return this.unanswered.some((inner) => inner.first >= first && inner.end <= end);
  }

  private keyOf(first: number, end: number): string {
    return this.slice(first, end).join();
  }
}

const none: ReadonlySet<number> = new Set();

/** How many questions a part can need. */
const operations = ({ kind, parts }: Part): number =>
  parts.reduce((sum, inner) => sum + operations(inner), asked.has(kind) ? 1 : 0);
