/** Goes through a line in the order in which it is evaluated, and tells what has to be asked of it (docs/trace-language.md, section 9). */
import { aloud } from './aloud.js';
import { isAsked, isShort, questionsOf } from './asked-parts.js';
import { valueAt } from './attributes.js';
import { closed } from './closed.js';
import { expressionParts } from './expression-parts.js';
import { withValues } from './here.js';
import { hidden, listed, readsAny, substituted, taken, targetOf } from './items.js';
import { iterated } from './iterated.js';
import { changesNothing, consumes, isLazy } from './known-calls.js';
import type { LineParts } from './line-parts.js';
import { type Around, isUsable, LineValues, longestResult, type WorkedAnswers } from './line-values.js';
import { isLiteral, truthOfLiteral } from './literal-values.js';
import { LoopItems } from './loop-items.js';
import { marked, marks } from './marks.js';
import { type Asked, OpenQuestions, type Working } from './open-questions.js';
import type { Part, PartKind } from './parts.js';
import type { Found, Value } from './plan.js';
import { planOf } from './plans.js';
import { inPositions } from './positions.js';
import { reordered } from './reordered.js';
import { isComputed } from './sums.js';
import { charToken, isSlotToken, special, wordTokens } from './tokens.js';
import { shownWhole } from './told-values.js';

/** What a line comes to, as far as there are answers. */
export interface Workings {
  /** The code tokens with values in place of what was worked out so far. */
  readonly code: readonly number[];
  /** What can be asked now, in any order; none: the code is what it will be. */
  readonly open: readonly Working[];
}

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
const [square, star] = ['[', '*'].map(charToken);
const [forWord] = wordTokens('for');

/** Nothing more is worked out: an expression raises, or there were enough. */
class Ended extends Error {}

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
  private readonly questions: OpenQuestions;
  /** Whether the code is a line; that of an item of a comprehension is none. */
  private readonly isLine: boolean;
  /** Whether what is visited is evaluated, whatever comes of what is around it. */
  private isCertain = true;
  /** Of the head of a `for`. */
  private loop: LoopItems | undefined;

  /** whole: the walk through the comprehension that has this as an expression of one of its items. */
  constructor(around: Around, code: ArrayLike<number>, answers: WorkedAnswers, whole?: LineWalk) {
    super(around, code, answers, whole?.mayDiffer ?? around.isStale);
    this.questions = new OpenQuestions(whole?.questions);
    this.isLine = whole === undefined && around.isLine;
  }

  of(line: LineParts): Workings {
    const { values, inner } = line;
    if (this.isLine && this.code[0] === forWord)
      this.loop = new LoopItems(this.code, values, this.around.frame.its.at(-1));
    const left = this.isLine ? this.leftBy(line) : [];
    try {
      for (const part of values) this.walk(part, true);
      for (const part of inner) this.walk(part, false);
    } catch (error) {
      if (!(error instanceof Ended)) throw error;
    }
    return { code: [...this.written(0, this.code.length), ...left], open: this.questions.open };
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
    return { pass, open: this.questions.open };
  }

  private passOf(part: Part, passes: number, within: Around | undefined): Pass | undefined {
    const [iterable] = part.parts as [Part];
    const target = targetOf(this.code, part);
    const items =
      target && !this.questions.waits(iterable)
        ? (this.itemsOf(iterable, mostPasses) ?? this.objectsOf(iterable))
        : undefined;
    if (target === undefined || items === undefined) return undefined;
    const [before, item] = [items[passes - 1], items[passes]];
    const [previous, values] = [before && taken(target, before), item && taken(target, item)];
    const isTold =
      (before === undefined) === (previous === undefined) && (item === undefined) === (values === undefined);
    if (!isTold || passes > items.length) return undefined;
    // What holds objects is looked up in the frame.
    const isLiterals = values && [...values.values()].every(isLiteral);
    const codes = isLiterals ? this.codesFor(part, values) : undefined;
    const made = codes && within && new LineWalk(within, this.code, this.answers, this).ofItem(codes);
    return { values, previous, made: made === 'waits' ? undefined : made };
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
    if (isList && this.loop === undefined) {
      if (this.unroll(part)) return;
      for (const inner of parts.slice(1)) this.walkFixed(inner, part.bound);
    }
    if (this.worked.get(part.begin)?.until === part.until || this.lookUp(part)) return;
    if (isAsked(part) && this.isKnown(part, none)) {
      if (isShown && !(this.isLine && this.isAskedAloud(part))) this.make(part);
      else if (!isLazy(this.code, part)) this.work(part);
    } else if (unvisited.has(kind) || kind === 'call') this.mayDiffer ||= this.mayChange(part);
  }

  /** Whether a step is not left to come to the part by itself, though it shows its value. */
  private isAskedAloud(part: Part): boolean {
    if (isComputed(this.code, part)) return true;
    return this.loop === undefined && aloud(this.code, part, (inner) => this.told(inner)) !== undefined;
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
    if (this.questions.waits(part)) return this.questions.postpone(part);
    const value = this.lookedUp(lookup);
    if (value === undefined) {
      this.raises();
      return true;
    }
    const isShown =
      value.length <= longestResult && !this.loop?.isOfAnotherPass(part, [special.value, ...value]);
    if (isShown) this.put(part, value);
    return true;
  }

  /** Whether what is called may change an item of something: the step has to see of what. */
  private changesItem(callee: Part): boolean {
    const isOfItem = callee.kind === 'attribute' && callee.parts[0]?.kind === 'subscript';
    return isOfItem && !changesNothing(this.code, callee);
  }

  /** Of a comprehension that is not gone through what is the same for every item: sizes of rows, and their like. */
  private walkFixed(part: Part, bound: ReadonlySet<number>): void {
    const { kind, parts } = part;
    if (kind === 'lambda' || kind === 'constant' || kind === 'name') return;
    const [left, right] = parts;
    const isRow = kind === 'binary' && left?.kind === 'display' && this.code[left.until] === star;
    const inside = new Set([...bound, ...part.bound]);
    if (isRow) this.walkFixed(right as Part, bound);
    else if (kind === 'display' || kind === 'comprehension' || readsAny(this.code, part, bound))
      for (const inner of parts) this.walkFixed(inner, inside);
    else {
      const wasCertain = this.isCertain;
      // There may be no item.
      this.isCertain = false;
      this.walk(part, false);
      this.isCertain = wasCertain;
    }
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
      if (this.questions.waits(left) || this.questions.waits(right)) return this.questions.postpone(part);
      const values = [this.told(left), this.told(right)];
      if (!values.every((value) => value !== undefined) || !this.questions.hasRoom(1)) return false;
      const [first, second] = values as [Value, Value];
      const found = this.valueFor([...first, ...this.slice(left.until, right.begin), ...second]);
      if (found === 'waits') return this.questions.postpone(part);
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

  /**
   * Works out a comprehension with one `for` item by item, if what it goes over is known: whether its list takes its place, or will once all answers are
   * there.
   */
  private unroll(part: Part): boolean {
    const { parts, bound } = part;
    if (!isShort(part)) return false;
    const [iterable, ...inside] = parts as [Part, Part, ...Part[]];
    const target = targetOf(this.code, part);
    if (target === undefined || !inside.every((inner) => this.isKnown(inner, bound))) return false;
    if (this.questions.waits(iterable)) return this.questions.postpone(part);
    const values = this.itemsOf(iterable)?.map((item) => taken(target, item));
    if (!values?.every((found) => found !== undefined)) return false;
    const codes = values.map((found) => this.codesFor(part, found));
    if (!codes.every((written) => written !== undefined)) return false;
    const different = new Map(codes.map((written) => [written.join(';'), written]));
    const questions = inside.reduce((sum, inner) => sum + questionsOf(inner), 0);
    if (!this.questions.hasRoom(different.size * questions)) return false;
    const made = new Map([...different].map(([key, written]) => [key, this.ofItem(written)]));
    const all = codes.map((written) => made.get(written.join(';')));
    if (all.includes('waits')) return this.questions.postpone(part);
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

  /** The items of what a generator expression goes over, objects among them, as they are written. */
  private objectsOf(iterable: Part): Value[] | undefined {
    const { program, frame, isStale } = this.around;
    if (isStale || this.mayDiffer) return undefined;
    const shown = (part: Part): Value | undefined =>
      this.told(part) ?? shownWhole(program, this.code, part, frame);
    return iterated(this.code, iterable, shown, mostPasses);
  }

  /** The code of what a comprehension makes of an item, and of its conditions, with the values that its names have for it. */
  private codesFor(part: Part, values: ReadonlyMap<number, Value>): number[][] | undefined {
    const unseen = hidden(this.code, part);
    const shown = unseen && new Map([...values].filter(([slot]) => !unseen.has(slot)));
    return shown && part.parts.slice(1).map(({ first, end }) => substituted(this.slice(first, end), shown));
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
    return inner.questions.isWaiting ? 'waits' : inner.told(found);
  }

  /** Works out an operation that is made of others; false for other parts, and where that fails. */
  private make(part: Part): boolean {
    const plan = this.loop?.stays(part) ? undefined : planOf(this.code, part, (inner) => this.told(inner));
    const value =
      plan && this.questions.hasRoom(plan.questions) ? plan.value((code) => this.valueFor(code)) : undefined;
    if (value === 'waits') return this.questions.postpone(part);
    if (value === undefined || value.length > longestResult) return false;
    const following = this.loop?.following(part);
    const places = following === undefined ? [] : marks(value, { keys: [], isWhole: true }, following);
    this.put(part, marked(value, places));
    return true;
  }

  private work(part: Part): void {
    if (this.make(part)) return;
    const { first, end, begin, until } = part;
    const key = this.keyOf(first, end);
    if (!this.questions.admits(key)) throw new Ended();
    const answer = this.answers.get(key);
    if (answer === undefined) this.questions.ask(key, part, () => this.questionFor(part));
    if (!answer || (answer[0] !== special.value && !this.isCertain)) return;
    if (isUsable(answer) && !this.loop?.isOfAnotherPass(part, answer))
      this.worked.set(begin, { until, answer });
    if (answer[0] !== special.value) this.raises();
  }

  /** Ends the workings, if what raises is surely evaluated. */
  private raises(): void {
    if (this.isCertain) throw new Ended();
  }

  private questionFor(part: Part): Asked {
    const { program, frame } = this.around;
    const spoken = aloud(this.code, part, (inner) => this.told(inner));
    if (spoken) return { question: spoken, closed: spoken.some(isSlotToken) ? undefined : spoken };
    const code = this.written(part.first, part.end);
    return { question: withValues(program, code, frame), closed: closed(program, code, frame) };
  }

  private keyOf(first: number, end: number): string {
    return this.slice(first, end).join();
  }
}

const none: ReadonlySet<number> = new Set();
