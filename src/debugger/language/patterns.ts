/** The pattern of a `case`, read off its code tokens. */
import type { Program } from '../program.js';
import { attributeName } from './attributes.js';
import { type CodeCursor, readFirst } from './code-cursor.js';
import { constantValue } from './literal-constants.js';
import { literalPart } from './literal-parts.js';
import type { Value } from './plan.js';
import { charTokens, codeTokens, isSlotToken, isWordToken, wordTokens } from './tokens.js';

export type Pattern =
  /** `_`, or a name, which is bound. */
  | { readonly kind: 'any'; readonly slot?: number | undefined }
  | { readonly kind: 'literal'; readonly value: Value }
  | { readonly kind: 'or'; readonly parts: readonly Pattern[] }
  | { readonly kind: 'as'; readonly part: Pattern; readonly slot: number }
  /** star: the place of the one that takes all that is left. */
  | { readonly kind: 'sequence'; readonly parts: readonly Pattern[]; readonly star: number }
  | {
      readonly kind: 'mapping';
      readonly keys: readonly Value[];
      readonly parts: readonly Pattern[];
      readonly rest?: number | undefined;
    }
  /** What is of a class; by name: patterns of its attributes. */
  | {
      readonly kind: 'class';
      readonly name: string;
      readonly given: readonly Pattern[];
      readonly named: readonly (readonly [string, Pattern])[];
    }
  /** Attributes, and literals that are not read. */
  | { readonly kind: 'open' };

const [asWord, ifWord] = wordTokens('as if') as [number, number];
const [round, roundEnd, square, squareEnd, brace, braceEnd] = charTokens('()[]{}');
const [comma, colon, star, minus, dot, equals] = charTokens(',:*-.=');
const [bar, power] = codeTokens('| **') as [number, number];
const closings = new Set([roundEnd, squareEnd, braceEnd]);
const ends = new Set([colon, ifWord, ...closings]);
const open: Pattern = { kind: 'open' };

/** The pattern that code begins with, and where it ends. */
export const patternIn = (
  program: Program,
  code: readonly number[],
): { readonly pattern: Pattern; readonly end: number } | undefined =>
  readFirst(code, (cursor) => {
    const pattern = new PatternParser(program, cursor).several();
    return { pattern, end: cursor.at };
  });

/** One of a sequence: a name with a star takes all that the others leave. */
interface Item {
  readonly pattern: Pattern;
  readonly isStarred: boolean;
}

class PatternParser {
  constructor(
    private readonly program: Program,
    private readonly code: CodeCursor,
  ) {}

  /** Those with commas between them are a sequence. */
  several(): Pattern {
    const items = this.items();
    const [first] = items;
    const isOne = items.length === 1 && this.code.peek(-1) !== comma;
    return isOne && first && !first.isStarred ? first.pattern : sequenceOf(items);
  }

  private items(): Item[] {
    const found: Item[] = [];
    while (!this.code.isAtEnd && !ends.has(this.code.peek())) {
      const isStarred = this.code.takes(star);
      found.push({ pattern: this.whole(), isStarred });
      if (!this.code.takes(comma)) break;
    }
    return found;
  }

  /** One pattern without commas. */
  private whole(): Pattern {
    const parts = [this.closed()];
    while (this.code.takes(bar)) parts.push(this.closed());
    const [first = open] = parts;
    const part: Pattern = parts.length > 1 ? { kind: 'or', parts } : first;
    return this.code.takes(asWord) ? { kind: 'as', part, slot: this.slot() } : part;
  }

  private slot(): number {
    const token = this.code.peek();
    if (!isSlotToken(token)) this.code.fail();
    this.code.pass();
    return token;
  }

  private closed(): Pattern {
    if (this.code.takes(round)) return this.bracketed(roundEnd);
    if (this.code.takes(square)) return this.bracketed(squareEnd);
    if (this.code.takes(brace)) return this.mapping();
    const value = this.literal();
    if (value !== null) return value ? { kind: 'literal', value } : open;
    return this.named();
  }

  private bracketed(end: number): Pattern {
    const items = this.items();
    const isGroup = end === roundEnd && items.length === 1 && this.code.peek(-1) !== comma;
    this.code.expect(end);
    const [first] = items;
    return isGroup && first && !first.isStarred ? first.pattern : sequenceOf(items);
  }

  /** null where no literal stands, undefined where it is not told what it is. */
  private literal(): Value | null | undefined {
    const first = this.code.at;
    const isNegative = this.code.takes(minus);
    const part = literalPart(this.code);
    if (part === undefined) return isNegative ? this.code.fail() : null;
    return constantValue(this.code.since(first));
  }

  private mapping(): Pattern {
    const [keys, parts]: [Value[], Pattern[]] = [[], []];
    let rest: number | undefined;
    let isOpen = false;
    while (!this.code.takes(braceEnd)) {
      if (this.code.takes(power)) rest = this.slot();
      else {
        const key = this.literal();
        isOpen ||= !key;
        if (key === null) this.named();
        this.code.expect(colon);
        keys.push(key ?? []);
        parts.push(this.whole());
      }
      if (this.code.peek() !== braceEnd) this.code.expect(comma);
    }
    return isOpen ? open : { kind: 'mapping', keys, parts, rest };
  }

  /** What begins with a name. */
  private named(): Pattern {
    const token = this.code.peek();
    if (!isSlotToken(token) && !isWordToken(token)) this.code.fail();
    this.code.pass();
    const name = attributeName(this.program, token);
    if (this.code.peek() === dot) {
      while (this.code.takes(dot)) this.code.pass();
      if (this.code.takes(round)) this.ofClass(name);
      return open;
    }
    if (this.code.takes(round)) return this.ofClass(name);
    if (name === '_') return { kind: 'any' };
    return isSlotToken(token) ? { kind: 'any', slot: token } : open;
  }

  /** A class, behind its opening bracket. */
  private ofClass(name: string): Pattern {
    const [given, named]: [Pattern[], [string, Pattern][]] = [[], []];
    while (!this.code.takes(roundEnd)) {
      const attribute =
        this.code.peek(1) === equals ? attributeName(this.program, this.code.peek()) : undefined;
      if (attribute !== undefined) this.code.pass(2);
      const part = this.whole();
      if (attribute === undefined) given.push(part);
      else named.push([attribute, part]);
      if (this.code.peek() !== roundEnd) this.code.expect(comma);
    }
    return { kind: 'class', name, given, named };
  }
}

/** The sequence of these. */
function sequenceOf(items: readonly Item[]): Pattern {
  const star = items.findIndex(({ isStarred }) => isStarred);
  return { kind: 'sequence', parts: items.map(({ pattern }) => pattern), star };
}
