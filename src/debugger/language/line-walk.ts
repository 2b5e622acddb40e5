/** Goes through a line in the order in which it is evaluated, and tells what has to be asked of it (docs/trace-language.md, section 9). */
import type { Program } from '../program.js';
import type { Frame } from '../state.js';
import { inColumns, type Operation } from './columns.js';
import type { Literals } from './frame-literals.js';
import { withValues } from './here.js';
import { hidden, listed, spliced, substituted, taken, targetOf } from './items.js';
import { iterated } from './iterated.js';
import { changesNothing, consumes, givesItems, isKnownFunction, isLazy } from './known-calls.js';
import { isDisplay, isLiteral, isMutable, truthOfConstant, truthOfLiteral } from './literal-values.js';
import { expressionParts, type LineParts, type Part, type PartKind, partTokens } from './parts.js';
import { inPositions } from './positions.js';
import { reordered } from './reordered.js';
import { calculated, type Found, isComputed, operationOf, questionsOf } from './sums.js';
import { charTokens, isSlotToken, operatorToken, special, wordToken } from './tokens.js';
import { toldValue } from './told.js';

/** Most questions for one step. */
const mostWorkings = 12;
/** Most code tokens of what is asked, and tokens of a value that is of use. */
const longestWorking = 64;
const longestResult = 96;
/** Most questions for the items of the comprehensions of a line and for operations that are made of others. */
const mostItemWorkings = 64;

/** `<|value|>` or `<|exception|>`, and a value: an answer of section 7 without its end. `null`: there is none that can be used. */
export type WorkedAnswer = readonly number[] | null;
/** Answers by the code tokens they are for, joined by commas. */
export type WorkedAnswers = ReadonlyMap<string, WorkedAnswer>;

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
const [opening, closing, minus, square] = charTokens('()-[');
const power = operatorToken('**');
const forWord = wordToken('for');
/** Whether an answer can stand in place of what it is for: it is short, and a literal or an exception that tells of no name. */
const isUsable = ([mark, ...value]: readonly number[]): boolean =>
  value.length <= longestResult && (mark === special.value ? isLiteral(value) : !value.includes(special.ref));

/** Nothing more is worked out: an expression raises, or there were enough. */
class Ended extends Error {}

/** What all parts of a line have in common. */
export interface Around {
  readonly program: Program;
  readonly frame: Frame;
  readonly literals: Literals;
  /** Whether the step goes into what the line calls. */
  readonly enters: boolean;
  /** Whether something was called since the values of the frame were seen. */
  readonly isStale: boolean;
  /** Whether the code is a line, not an expression that is asked for. */
  readonly isLine: boolean;
}

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
type Made = readonly number[] | undefined;

/** Goes through the parts of one line in the order in which they are evaluated. */
export class LineWalk {
  /** Where a part begins, brackets included: where it ends, and its answer; the longest part of those that begin there. */
  private readonly worked = new Map<number, { readonly until: number; readonly answer: readonly number[] }>();
  private readonly open: Working[];
  /** What has no answer yet, asked or not. */
  private readonly unanswered: Pick<Part, 'first' | 'end'>[] = [];
  private readonly seen = new Set<string>();
  /** Most questions that the comprehensions up to here need, item by item, and the operations that are made of others. */
  private itemsAsked = 0;
  /** Whether something was called that may have changed what names are bound to. */
  private mayDiffer: boolean;
  private readonly root: LineWalk;
  /** Whether the code is a line; that of an item of a comprehension is none. */
  private readonly isLine: boolean;
  /** Whether it is the head of a `for`. */
  private readonly isLoop: boolean;
  /** Parts of the head of a loop that have the items it goes over. */
  private readonly gone = new Set<Part>();

  /** whole: the walk through the comprehension that has this as an expression of one of its items. */
  constructor(
    private readonly around: Around,
    private readonly code: ArrayLike<number>,
    private readonly answers: WorkedAnswers,
    private readonly whole?: LineWalk,
  ) {
    this.open = whole?.open ?? [];
    this.mayDiffer = whole?.mayDiffer ?? around.isStale;
    this.isLine = whole === undefined && around.isLine;
    this.isLoop = this.isLine && code[0] === forWord;
    this.root = whole?.root ?? this;
  }

  of(line: LineParts): Workings {
    const { values, inner } = line;
    if (this.isLoop) for (const part of values) this.goesOver(part);
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
    const list = code && this.known(this.code[0] as number);
    const part = list?.[0] === square ? expressionParts(code as readonly number[]) : undefined;
    if (code === undefined || part === undefined) return [];
    const inside = new LineWalk(this.around, code, this.answers, this);
    if (inPositions(code, part, (inner) => inside.told(inner)) === undefined) return [];
    const value = this.valueOf(code);
    return typeof value === 'object' ? [special.value, ...value] : [];
  }

  /** Notes what a loop goes over, and what that takes its items from. */
  private goesOver(part: Part): void {
    const { kind, parts } = part;
    this.gone.add(part);
    if (kind === 'subscript' || kind === 'attribute') this.goesOver(parts[0] as Part);
    if (kind === 'call' && givesItems(this.code, parts[0] as Part))
      for (const inner of parts) this.goesOver(inner);
  }

  /** The code tokens with values in place of what was worked out. */
  private written(first: number, end: number): number[] {
    return spliced(this.code, first, end, (at) => {
      const found = this.worked.get(at);
      if (found === undefined || found.until > end) return undefined;
      const { until, answer } = found;
      const value = answer[0] === special.value ? answer.slice(1) : answer;
      const isGrouped = value[0] === minus && this.code[until] === power;
      return { until, tokens: isGrouped ? [opening, ...value, closing] : value };
    });
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
    const isList = kind === 'comprehension' && this.code[part.first] === square;
    if (isList && !this.isLoop && this.unroll(part)) return;
    const isShort = part.end - part.first <= longestWorking;
    if (asked.has(kind) && isShort && this.isKnown(part, none)) {
      if (isShown && !(this.isLine && this.isAskedAloud(part))) this.calculate(part, this.operation(part));
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
  }

  /** Whether what is called may change an item of something: the step has to see of what. */
  private changesItem(callee: Part): boolean {
    const isOfItem = callee.kind === 'attribute' && callee.parts[0]?.kind === 'subscript';
    return isOfItem && !changesNothing(this.code, callee);
  }

  /** Whether evaluating the part, visited or not, may change what a name is bound to. (A lambda does nothing until it is called.) */
  private mayChange({ kind, first, end, parts }: Part): boolean {
    if (kind === 'text') return this.slice(first, end).includes(opening);
    if (kind === 'lambda') return false;
    const changes = kind === 'call' && !changesNothing(this.code, parts[0] as Part);
    return changes || parts.some((inner) => this.mayChange(inner));
  }

  /** Operands up to the one that decides. */
  private walkJoined({ kind, parts }: Part): void {
    for (const inner of parts) {
      this.walk(inner, false);
      const holds = this.truthOf(inner);
      if (holds === undefined || holds === (kind === 'or')) return;
    }
  }

  private walkTernary({ parts }: Part, isShown: boolean): void {
    const [condition, chosen, other] = parts as [Part, Part, Part];
    this.walk(condition, false);
    const holds = this.truthOf(condition);
    if (holds !== undefined) this.walk(holds ? chosen : other, isShown);
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
    const unseen = hidden(this.code, part);
    if (target === undefined || unseen === undefined) return false;
    if (!inside.every((inner) => this.isKnown(inner, bound))) return false;
    if (this.waits(iterable)) return this.postpone(part);
    const items = this.isKnown(iterable, none)
      ? iterated(this.code, iterable, (part) => this.told(part))
      : undefined;
    const values = items?.map((item) => taken(target, item));
    if (!values?.every((found) => found !== undefined)) return false;
    const shown = values.map((found) => new Map([...found].filter(([slot]) => !unseen.has(slot))));
    const codes = shown.map((found) =>
      inside.map((inner) => substituted(this.slice(inner.first, inner.end), found)),
    );
    const different = new Map(codes.map((written) => [written.join(';'), written]));
    const questions = inside.reduce((sum, inner) => sum + operations(inner), 0);
    this.root.itemsAsked += different.size * questions;
    if (this.root.itemsAsked > mostItemWorkings) return false;
    const made = new Map([...different].map(([key, written]) => [key, this.ofItem(written)]));
    const all = codes.map((written) => made.get(written.join(';')));
    if (all.includes('waits')) return this.postpone(part);
    if (all.includes(undefined)) return false;
    const list = listed((all as number[][]).filter(({ length }) => length > 0));
    if (list.length > longestResult) return false;
    this.worked.set(part.begin, { until: part.until, answer: [special.value, ...list] });
    return true;
  }

  /** Has what is around the part wait for it. */
  private postpone(part: Part): true {
    this.unanswered.push(part);
    return true;
  }

  /** What the comprehension makes of an item. item, conditions: the code of each, with the item's values. */
  private ofItem([item, ...conditions]: readonly (readonly number[])[]): Made | 'waits' {
    for (const condition of conditions) {
      const found = this.valueOf(condition);
      if (found === undefined || found === 'waits') return found;
      if (!truthOfLiteral(found)) return [];
    }
    return this.valueOf(item as readonly number[]);
  }

  /** The value of an expression that stands for a part of a comprehension. */
  private valueOf(code: readonly number[]): Found {
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

  /** The value of a part as it is written canonically: worked out, or told by the code alone. */
  private told(part: Part): Made {
    return toldValue(this.code, part, ({ kind, first, begin, until }) => {
      const found = this.worked.get(begin);
      if (found?.until === until) return found.answer[0] === special.value ? found.answer.slice(1) : null;
      return kind === 'name' ? (this.known(this.code[first] as number) ?? null) : undefined;
    });
  }

  /** What the part comes to, if it is an operation on integers. */
  private operation(part: Part): Operation | undefined {
    return operationOf(this.code, part, (inner) => this.told(inner));
  }

  /** Works out an operation on integers that is made of several in columns; false for other parts, and where that fails. */
  private calculate(part: Part, operation: Operation | undefined): boolean {
    if (operation === undefined || inColumns(operation)) return false;
    this.root.itemsAsked += questionsOf(operation);
    if (this.root.itemsAsked > mostItemWorkings) return false;
    const value = calculated(operation, (code) => this.valueOf(code));
    if (value === 'waits') return this.postpone(part);
    if (value === undefined) return false;
    this.worked.set(part.begin, { until: part.until, answer: [special.value, ...value] });
    return true;
  }

  private work(part: Part): void {
    if (this.calculate(part, this.operation(part))) return;
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

  private slice(first: number, end: number): number[] {
    return partTokens(this.code, { first, end });
  }

  private keyOf(first: number, end: number): string {
    return this.slice(first, end).join();
  }

  /** Whether the value of the part counts as true; undefined: it is not known. */
  private truthOf({ kind, first, end, begin, until }: Part): boolean | undefined {
    let value: readonly number[] | undefined = this.slice(first, end);
    const worked = this.worked.get(begin);
    if (kind === 'constant') return truthOfConstant(value);
    if (worked?.until === until) value = worked.answer.slice(1);
    else if (kind === 'name') value = this.known(value[0] as number) ?? value;
    else value = this.usable(value.join())?.slice(1);
    return value !== undefined && isLiteral(value) ? truthOfLiteral(value) : undefined;
  }

  private usable(key: string): readonly number[] | undefined {
    const answer = this.answers.get(key);
    return answer && isUsable(answer) ? answer : undefined;
  }

  /** The value of a name, if it is bound, its value a literal and nothing has changed it. */
  private known(token: number): readonly number[] | undefined {
    const value = isSlotToken(token) ? this.around.literals.of(token) : undefined;
    return this.mayDiffer && value && isMutable(value) ? undefined : value;
  }

  /** Whether the part can be worked out: all its names are known or bound in it, and it calls nothing but builtins that change nothing. */
  private isKnown({ kind, first, parts, bound }: Part, around: ReadonlySet<number>): boolean {
    if (kind === 'name') {
      const token = this.code[first] as number;
      if (around.has(token)) return true;
      return isSlotToken(token) ? this.known(token) !== undefined : isKnownFunction(token);
    }
    if (kind === 'text' || kind === 'attribute') return false;
    // What may be entered is shown.
    if (this.around.enters && (kind === 'generator' || kind === 'lambda')) return false;
    if (kind === 'call') {
      const [callee, ...given] = parts as [Part, ...Part[]];
      const inside = callee.kind === 'attribute' ? [...callee.parts, ...given] : given;
      return changesNothing(this.code, callee) && inside.every((inner) => this.isKnown(inner, around));
    }
    const inside = bound.size === 0 ? around : new Set([...around, ...bound]);
    const isComprehension = kind === 'comprehension' || kind === 'generator';
    return parts.every((inner, index) =>
      this.isKnown(inner, isComprehension && index === 0 ? around : inside),
    );
  }
}

const none: ReadonlySet<number> = new Set();

/** How many questions a part can need. */
const operations = ({ kind, parts }: Part): number =>
  parts.reduce((sum, inner) => sum + operations(inner), asked.has(kind) ? 1 : 0);
