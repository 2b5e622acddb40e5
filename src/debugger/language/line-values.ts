/** What is known of the parts of a line: what was worked out, what names are bound to, what the code tells (docs/trace-language.md, section 9). */
import type { Program } from '../program.js';
import type { Frame } from '../state.js';
import { attributeName } from './attributes.js';
import type { Literals } from './frame-literals.js';
import { spliced } from './items.js';
import { changesNothing, isKnownFunction } from './known-calls.js';
import { isLiteral, isMutable, truthOfConstant, truthOfLiteral } from './literal-values.js';
import { isNamed, type Part, partTokens } from './parts.js';
import type { Value } from './plan.js';
import { isLasting } from './program-classes.js';
import { type Lookup, lookedUp, lookupOf, slotOf, type Tables } from './tables.js';
import { charTokens, isSlotToken, operatorToken, special } from './tokens.js';
import { toldValue } from './told.js';

/** Most tokens of a value that is of use. */
export const longestResult = 96;

/** `<|value|>` or `<|exception|>`, and a value: an answer of section 7 without its end. `null`: there is none that can be used. */
export type WorkedAnswer = readonly number[] | null;
/** Answers by the code tokens they are for, joined by commas. */
export type WorkedAnswers = ReadonlyMap<string, WorkedAnswer>;

/** What all parts of a line have in common. */
export interface Around {
  readonly program: Program;
  readonly frame: Frame;
  readonly literals: Literals;
  /** Constants of the module that no line shows, and what is in the frame's `defaultdict`s. */
  readonly tables: Tables;
  /** The latter alone. */
  readonly defaults: Tables;
  /** Whether the step goes into what the line calls. */
  readonly enters: boolean;
  /** Whether something was called since the values of the frame were seen. */
  readonly isStale: boolean;
  /** Whether the code is a line, not an expression that is asked for. */
  readonly isLine: boolean;
}

const [opening, closing, minus] = charTokens('()-');
const power = operatorToken('**');

/** Whether an answer can stand in place of what it is for: it is short, and a literal or an exception that tells of no name. */
export const isUsable = ([mark, ...value]: readonly number[]): boolean =>
  value.length <= longestResult && (mark === special.value ? isLiteral(value) : !value.includes(special.ref));

/** The code of a line, or of an expression, and what is known of its parts. */
export class LineValues {
  /** Where a part begins, brackets included: where it ends, and its answer; the longest part of those that begin there. */
  protected readonly worked = new Map<
    number,
    { readonly until: number; readonly answer: readonly number[] }
  >();

  /** `mayDiffer`: whether something was called that may have changed what names are bound to. */
  constructor(
    protected readonly around: Around,
    protected readonly code: ArrayLike<number>,
    protected readonly answers: WorkedAnswers,
    protected mayDiffer: boolean,
  ) {}

  protected put({ begin, until }: Part, value: Value): void {
    this.worked.set(begin, { until, answer: [special.value, ...value] });
  }

  protected slice(first: number, end: number): number[] {
    return partTokens(this.code, { first, end });
  }

  /** The code tokens with values in place of what was worked out. */
  protected written(first: number, end: number): number[] {
    return spliced(this.code, first, end, (at) => {
      const found = this.worked.get(at);
      if (found === undefined || found.until > end) return undefined;
      const { until, answer } = found;
      const value = answer[0] === special.value ? answer.slice(1) : answer;
      const isGrouped = value[0] === minus && this.code[until] === power;
      return { until, tokens: isGrouped ? [opening, ...value, closing] : value };
    });
  }

  /** The value of a part as it is written canonically: worked out, or told by the code alone. */
  protected told(part: Part): Value | undefined {
    return toldValue(this.code, part, (inner) => {
      const found = this.worked.get(inner.begin);
      if (found?.until === inner.until)
        return found.answer[0] === special.value ? found.answer.slice(1) : null;
      return isNamed(inner) ? (this.known(inner) ?? null) : undefined;
    });
  }

  /** Whether the value of the part counts as true; undefined: it is not known. */
  protected truthOf(part: Part): boolean | undefined {
    const { kind, first, end, begin, until } = part;
    let value: readonly number[] | undefined = this.slice(first, end);
    const worked = this.worked.get(begin);
    if (kind === 'constant') return truthOfConstant(value);
    if (worked?.until === until) value = worked.answer.slice(1);
    else if (isNamed(part)) value = this.known(part) ?? value;
    else value = this.usable(value.join())?.slice(1);
    return value !== undefined && isLiteral(value) ? truthOfLiteral(value) : undefined;
  }

  protected usable(key: string): readonly number[] | undefined {
    const answer = this.answers.get(key);
    return answer && isUsable(answer) ? answer : undefined;
  }

  /** The value of a name or an attribute of one, if it is bound, its value a literal and nothing has changed it. */
  protected known(part: Part): readonly number[] | undefined {
    const value = this.around.literals.at(this.code, part);
    if (!this.mayDiffer || value === undefined) return value;
    return isMutable(value) || (part.kind === 'attribute' && !this.lasts(part)) ? undefined : value;
  }

  /** Whether an attribute of a name is what it was when its object was made. */
  private lasts({ end, parts: [base] }: Part): boolean {
    const name = attributeName(this.around.program, this.code[end - 1] as number);
    return base?.kind === 'name' && isLasting(this.around.program, name);
  }

  /** Whether the part can be worked out: all its names are known or bound in it, and it calls nothing but builtins that change nothing. */
  protected isKnown(part: Part, around: ReadonlySet<number>): boolean {
    const { kind, first, parts, bound } = part;
    const lookup = this.lookup(part);
    if (lookup !== undefined) return this.isGiven(lookup, around);
    if (isNamed(part)) {
      const token = this.code[first] as number;
      if (around.has(token)) return kind === 'name';
      return isSlotToken(token) ? this.known(part) !== undefined : kind === 'name' && isKnownFunction(token);
    }
    if (kind === 'text') return false;
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

  /** What a part looks for in a constant of the module that no line shows, or finds in a `defaultdict` of the frame. */
  protected lookup(part: Part): Lookup | undefined {
    const { tables, defaults } = this.around;
    const found = tables.size === 0 ? undefined : lookupOf(this.code, part, tables);
    if (found === undefined || !defaults.has(slotOf(found))) return found;
    return this.mayDiffer || this.lookedUp(found) === undefined ? undefined : found;
  }

  protected lookedUp(lookup: Lookup): Value | undefined {
    return lookedUp(lookup, this.around.tables, (inner) => this.told(inner));
  }

  /** Whether all is known that is looked for. */
  protected isGiven({ table, given }: Lookup, around: ReadonlySet<number>): boolean {
    const isKnown = given.every((inner) => this.isKnown(inner, around));
    return isKnown && (typeof table === 'number' || this.isGiven(table, around));
  }

  /** Whether evaluating the part, visited or not, may change what a name is bound to. (A lambda does nothing until it is called.) */
  protected mayChange({ kind, first, end, parts }: Part): boolean {
    if (kind === 'text') return this.slice(first, end).includes(opening);
    if (kind === 'lambda') return false;
    const changes = kind === 'call' && !changesNothing(this.code, parts[0] as Part);
    return changes || parts.some((inner) => this.mayChange(inner));
  }
}
