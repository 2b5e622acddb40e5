/**
 * The values of the expressions that a step or a question is made of, worked out before it and written in their place (docs/trace-language.md, section 9).
 * Here is told what has to be asked, given the answers so far; who asks is another matter (session/work-out.ts).
 */
import type { Action } from '../action.js';
import type { Program } from '../program.js';
import { currentFrame, type DebuggerState, type Frame } from '../state.js';
import { goingOn, lineTokens, withValues } from './here.js';
import { isDisplay, isLiteral, isMutable, truthOfConstant, truthOfLiteral } from './literal-values.js';
import { expressionParts, type LineParts, lineParts, type Part, type PartKind } from './parts.js';
import { charToken, isSlotToken, operatorToken, slotBase, special, wordToken } from './tokens.js';
import { encodeValue } from './values.js';

/** Most questions for one step. */
const mostWorkings = 12;
/** Most code tokens of what is asked, and tokens of a value that is of use. */
const longestWorking = 64;
const longestResult = 48;

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

const words = (texts: string): Set<number> => new Set(texts.split(' ').map((text) => wordToken(text) ?? -1));
const functions = words(
  'abs all any ascii bin bool bytes chr complex dict divmod enumerate filter float format frozenset hex int isinstance len list map max min oct ord range repr reversed round set sorted str sum tuple zip',
);
const methods = words(
  'capitalize casefold center count encode endswith expandtabs find index isalnum isalpha isascii isdecimal isdigit isidentifier islower isnumeric isprintable isspace istitle isupper join ljust lower lstrip partition removeprefix removesuffix replace rfind rindex rjust rpartition rsplit rstrip split splitlines startswith strip swapcase title upper zfill copy get items keys values difference intersection isdisjoint issubset issuperset symmetric_difference union bit_length is_integer decode',
);
/** Calls whose values are no literals: iterators and views. */
const lazy = words('enumerate filter map range reversed zip items keys values');
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
const [opening, closing, minus] = Array.from('()-', charToken) as [number, number, number];
const power = operatorToken('**');
const word = (text: string): number => wordToken(text) ?? -1;
/** Whether an answer can stand in place of what it is for: it is short, and a literal or an exception that tells of no name. */
const isUsable = ([mark, ...value]: readonly number[]): boolean =>
  value.length <= longestResult && (mark === special.value ? isLiteral(value) : !value.includes(special.ref));

/** What a step by `action` needs worked out; undefined where it needs nothing, whatever the answers. */
export function stepWorkings(
  program: Program,
  state: DebuggerState | null,
  action: Action,
): ((answers: WorkedAnswers) => Workings) | undefined {
  const isSingle = action.kind === 'step_into' || action.kind === 'step_over';
  const frame = state === null || !isSingle ? undefined : goingOn(state);
  if (frame === undefined) return undefined;
  const code = lineTokens(program, frame.line);
  const found = lineParts(code);
  const literals = new Literals(program, frame);
  return found && ((answers) => new Walk(program, code, frame, answers, literals, true).of(found));
}

/** What a question for an expression needs worked out; its own value is what is asked. */
export function expressionWorkings(
  program: Program,
  state: DebuggerState,
  code: readonly number[],
): ((answers: WorkedAnswers) => Workings) | undefined {
  const found = expressionParts(code);
  const frame = currentFrame(state);
  const literals = new Literals(program, frame);
  const line = found && { values: [found], inner: [] };
  return line && ((answers) => new Walk(program, code, frame, answers, literals, false).of(line));
}

/** The names of a frame that are bound to literals, each encoded once. */
class Literals {
  private readonly found = new Map<number, readonly number[] | undefined>();

  constructor(
    private readonly program: Program,
    private readonly frame: Frame,
  ) {}

  of(slot: number): readonly number[] | undefined {
    if (!this.found.has(slot)) this.found.set(slot, this.encoded(slot));
    return this.found.get(slot);
  }

  private encoded(slot: number): readonly number[] | undefined {
    const text = this.frame.locals.get(this.program.slotNames[slot - slotBase] ?? '');
    const value = text === undefined ? undefined : encodeValue(this.program, text);
    return value !== undefined && isLiteral(value) ? value : undefined;
  }
}

/** Nothing more is worked out: an expression raises, or there were enough. */
class Ended extends Error {}

/** Goes through the parts of one line in the order in which they are evaluated. */
class Walk {
  /** Where a part begins, brackets included: where it ends, and its answer; the longest part of those that begin there. */
  private readonly worked = new Map<number, { readonly until: number; readonly answer: readonly number[] }>();
  private readonly open: Working[] = [];
  /** What has no answer yet, asked or not. */
  private readonly unanswered: Pick<Part, 'first' | 'end'>[] = [];
  private readonly seen = new Set<string>();
  /** Whether something was called that may have changed what names are bound to. */
  private mayDiffer = false;

  constructor(
    private readonly program: Program,
    private readonly code: ArrayLike<number>,
    private readonly frame: Frame,
    private readonly answers: WorkedAnswers,
    private readonly literals: Literals,
    private readonly isStep: boolean,
  ) {}

  of({ values, inner }: LineParts): Workings {
    try {
      for (const part of values) this.walk(part, true);
      for (const part of inner) this.walk(part, false);
    } catch (error) {
      if (!(error instanceof Ended)) throw error;
    }
    return { code: this.written(0, this.code.length), open: this.open };
  }

  /** The code tokens with values in place of what was worked out. */
  private written(first: number, end: number): number[] {
    const out: number[] = [];
    for (let at = first; at < end; ) {
      const found = this.worked.get(at);
      if (found === undefined || found.until > end) {
        out.push(this.code[at] as number);
        at += 1;
        continue;
      }
      const { until, answer } = found;
      const value = answer[0] === special.value ? answer.slice(1) : answer;
      const isGrouped = value[0] === minus && this.code[until] === power;
      out.push(...(isGrouped ? [opening, ...value, closing] : value));
      at = until;
    }
    return out;
  }

  /** What is in the part, then the part itself unless the step shows its value anyway. */
  private walk(part: Part, isShown: boolean): void {
    const { kind, parts } = part;
    if (kind === 'and' || kind === 'or') this.walkJoined(part);
    else if (kind === 'ternary') this.walkTernary(part, isShown);
    else if (kind === 'comprehension' || kind === 'generator') this.walk(parts[0] as Part, false);
    else if (kind === 'subscript') this.walkSubscripts(part);
    else if (kind === 'compare') for (const inner of parts.slice(0, 2)) this.walk(inner, false);
    else if (kind !== 'lambda') for (const inner of parts) this.walk(inner, false);
    const isShort = part.end - part.first <= longestWorking;
    if (asked.has(kind) && isShort && this.isKnown(part, none)) {
      if (!isShown && !this.isLazy(part)) this.work(part);
    } else if (unvisited.has(kind) || kind === 'call') this.mayDiffer ||= this.mayChange(part);
  }

  /** The indices of subscripts one behind the other: marks show what they look up together. */
  private walkSubscripts({ parts }: Part): void {
    const [base, index] = parts as [Part, Part];
    if (base.kind === 'subscript') this.walkSubscripts(base);
    else this.walk(base, false);
    this.walk(index, false);
  }

  /** Whether evaluating the part, visited or not, may change what a name is bound to. (A lambda does nothing until it is called.) */
  private mayChange({ kind, first, end, parts }: Part): boolean {
    if (kind === 'text') return this.slice(first, end).includes(opening);
    if (kind === 'lambda') return false;
    const changes = kind === 'call' && !this.changesNothing(parts[0] as Part);
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

  private work({ first, end, begin, until }: Part): void {
    const key = this.keyOf(first, end);
    if (!this.seen.has(key) && this.seen.size === mostWorkings) throw new Ended();
    this.seen.add(key);
    const answer = this.answers.get(key);
    if (answer === undefined) {
      this.ask(key, first, end);
      return;
    }
    if (answer === null) return;
    if (isUsable(answer) && !this.isOfAnotherPass(answer)) this.worked.set(begin, { until, answer });
    if (answer[0] !== special.value) throw new Ended();
  }

  /**
   * Whether the head of a loop is better shown as it is written: the item that comes next has a mark in the display it is in, and after the first pass
   * nothing raises that is not evaluated again.
   */
  private isOfAnotherPass([mark, ...value]: readonly number[]): boolean {
    if (!this.isStep || this.code[0] !== word('for')) return false;
    if (mark !== special.value) return (this.frame.its.at(-1) ?? 0) > 0;
    return isDisplay(value);
  }

  /** Opens a question, unless it is open, or waits for one inside it. */
  private ask(key: string, first: number, end: number): void {
    const waits = this.unanswered.some((inner) => inner.first >= first && inner.end <= end);
    if (!waits && !this.open.some((other) => other.key === key)) {
      const code = this.written(first, end);
      this.open.push({ key, question: [special.evaluate, ...withValues(this.program, code, this.frame)] });
    }
    this.unanswered.push({ first, end });
  }

  private slice(first: number, end: number): number[] {
    return Array.from({ length: end - first }, (_, index) => this.code[first + index] as number);
  }

  private keyOf(first: number, end: number): string {
    return this.slice(first, end).join();
  }

  /** Whether the value of the part counts as true; undefined: it is not known. */
  private truthOf({ kind, first, end }: Part): boolean | undefined {
    let value: readonly number[] | undefined = this.slice(first, end);
    if (kind === 'constant') return truthOfConstant(value);
    if (kind === 'name') value = this.known(value[0] as number) ?? value;
    else value = this.usable(value.join())?.slice(1);
    return value !== undefined && isLiteral(value) ? truthOfLiteral(value) : undefined;
  }

  private usable(key: string): readonly number[] | undefined {
    const answer = this.answers.get(key);
    return answer && isUsable(answer) ? answer : undefined;
  }

  /** The value of a name, if it is bound, its value a literal and nothing has changed it. */
  private known(token: number): readonly number[] | undefined {
    const value = isSlotToken(token) ? this.literals.of(token) : undefined;
    return this.mayDiffer && value && isMutable(value) ? undefined : value;
  }

  private isLazy({ kind, parts }: Part): boolean {
    const callee = kind === 'call' ? parts[0] : undefined;
    return callee !== undefined && lazy.has(this.code[callee.end - 1] as number);
  }

  /** Whether the part can be worked out: all its names are known or bound in it, and it calls nothing but builtins that change nothing. */
  private isKnown({ kind, first, parts, bound }: Part, around: ReadonlySet<number>): boolean {
    if (kind === 'name') {
      const token = this.code[first] as number;
      if (around.has(token)) return true;
      return isSlotToken(token) ? this.known(token) !== undefined : functions.has(token);
    }
    if (kind === 'text' || kind === 'attribute') return false;
    // A step may enter these: its line shows them.
    if (this.isStep && (kind === 'generator' || kind === 'lambda')) return false;
    if (kind === 'call') {
      const [callee, ...given] = parts as [Part, ...Part[]];
      const inside = callee.kind === 'attribute' ? [...callee.parts, ...given] : given;
      return this.changesNothing(callee) && inside.every((inner) => this.isKnown(inner, around));
    }
    const inside = bound.size === 0 ? around : new Set([...around, ...bound]);
    const isComprehension = kind === 'comprehension' || kind === 'generator';
    return parts.every((inner, index) =>
      this.isKnown(inner, isComprehension && index === 0 ? around : inside),
    );
  }

  /** Whether the callee is a function or a method of builtins that leaves everything as it is. */
  private changesNothing({ kind, end }: Part): boolean {
    const name = this.code[end - 1] as number;
    return kind === 'attribute' ? methods.has(name) : kind === 'name' && functions.has(name);
  }
}

const none: ReadonlySet<number> = new Set();
