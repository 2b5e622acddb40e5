/**
 * The Lezer grammar refuses a few things Python allows. Each is rewritten here into something with the same names on
 * the same lines that it accepts; every rewrite keeps all offsets, so that lines and columns stay true.
 */
import { isField, type LexicalToken, type Part } from './lexer.js';
import { parameterLists } from './parameter-lists.js';
import { keywords } from './source-checks.js';
import { StatementRewriter } from './statement-rewriter.js';
import { closing, opening, Rewrites } from './token-rewriter.js';

export interface LezerInput {
  readonly text: string;
  /** Offsets of expressions that are assigned to although the tree shows them as read. */
  readonly stores: ReadonlySet<number>;
  /** Offsets of names that are bound although the tree shows them as read. */
  readonly binds: ReadonlySet<number>;
  /** Offsets of names that are read although the tree shows them as bound. */
  readonly reads: ReadonlySet<number>;
  /** Offsets of statements that are decorators of the definition after them. */
  readonly decorators: ReadonlySet<number>;
  /** Expressions that were changed so much that they must be looked at by themselves: whether they are any. */
  readonly expressions: readonly { readonly start: number; readonly end: number }[];
}

/** Rewrites `source` (normalised), whose tokens are `tokens`. */
export function lezerInput(source: string, tokens: readonly LexicalToken[]): LezerInput {
  const rewrites = new Rewrites();
  new Rewriter(source, tokens, rewrites).run();
  return { ...rewrites, text: rewrites.text(source) };
}

/** Values that are no names, numbers or strings. */
const constants = new Set(['None', 'True', 'False', '...']);

class Rewriter extends StatementRewriter {
  run(): void {
    for (let index = 0; index < this.tokens.length; index += 1) {
      if (this.isFirst(index)) this.statement(this.is(index, 'async') ? index + 1 : index);
    }
    this.expressions();
    this.emptyLines();
  }

  /** Empty lines become spaces before the next line end: of more than 300 behind a long text the parser takes the last one for the end of whatever is open. */
  private emptyLines(): void {
    let from = 0;
    for (const [index, token] of this.tokens.entries()) {
      if (this.isFirst(index)) this.emptyLinesIn(from, token.start);
      from = token.end;
    }
    this.emptyLinesIn(from, this.source.length);
  }

  private emptyLinesIn(from: number, to: number): void {
    const gap = this.source.slice(from, to);
    const end = gap.lastIndexOf('\n');
    if (gap.indexOf('\n') === end || gap.replace(/#.*/g, '').includes('\\')) return;
    this.overwrite(from, from + end, ' '.repeat(end));
  }

  private expressions(): void {
    /** Indexes of the brackets that are open. */
    const open: number[] = [];
    for (const [index, token] of this.tokens.entries()) {
      if (token.kind === 'number') this.number(token);
      else if (token.kind === 'fstring') this.formatted(token);
      else if (token.kind === 'operator') this.operator(index, open);
      else if (token.kind === 'name') this.word(index, open.length > 0);
    }
    this.parameters();
  }

  private number({ start, end, text }: LexicalToken): void {
    if (/[.jJ]/.test(text)) this.overwrite(start, end, '1'.repeat(text.length));
  }

  private operator(index: number, open: number[]): void {
    const { text } = this.tokens[index] as LexicalToken;
    if (opening.has(text)) {
      open.push(index);
      if (text === '[' && this.isSubscript(index)) this.subscript(index);
    } else if (closing.has(text)) open.pop();
    else if (text === ':=') this.setDisplay(open.at(-1));
  }

  private word(index: number, isInside: boolean): void {
    const { text } = this.tokens[index] as LexicalToken;
    // The grammar knows the `print` of Python 2. Names are read from the source, so that another name will do.
    if (text === 'print') this.edit(index, 'xxxxx');
    else if (text === 'for' && isInside) this.comprehension(index);
  }

  /** `[c for *c, d in a]` loses its star. */
  private comprehension(index: number): void {
    this.unstar(
      this.outside(index + 1, (at) => !this.is(at, 'in') && !closing.has(this.tokens[at]?.text ?? '')),
    );
  }

  private isSubscript(open: number): boolean {
    const before = this.tokens[open - 1];
    if (before === undefined || this.isFirst(open)) return false;
    if (closing.has(before.text) || constants.has(before.text)) return true;
    const isWord = keywords.has(before.text) || this.isSoftKeyword(open - 1);
    return before.kind !== 'operator' && !isWord;
  }

  private isSoftKeyword(index: number): boolean {
    const isWord = this.is(index, 'match') || this.is(index, 'case');
    return isWord && this.isFirst(index) && this.is(this.lineEnd(index) - 1, ':');
  }

  /** `a[1, *b]` loses its star. A slice that has one keeps it, and is refused; the stars of a lambda are its own. */
  private subscript(open: number): void {
    const close = this.partner(open);
    const inside = this.outside(open + 1, (at) => at < close);
    if (inside.some((at) => this.is(at, 'lambda'))) return;
    let isSlice = false;
    for (const at of inside.reverse()) {
      if (this.is(at, ':')) isSlice = true;
      else if (this.is(at, ',')) isSlice = false;
      else if (this.is(at, '*') && !isSlice && (at === open + 1 || this.is(at - 1, ','))) this.edit(at);
    }
  }

  /** `{x := 1}` is parsed as a list. */
  private setDisplay(open: number | undefined): void {
    if (open === undefined || !this.is(open, '{')) return;
    this.edit(open, '[');
    this.edit(this.partner(open), ']');
  }

  /** `lambda a, /, b,: c` becomes `lambda a   , b : c`, `*args: *Ts` becomes `*args:  Ts`. */
  private parameters(): void {
    for (const { isLambda, parameters } of parameterLists(this.tokens)) {
      parameters.forEach((part, at) => {
        const [first = 0, , third = 0, fourth = 0] = part;
        const before = parameters[at - 1]?.at(-1);
        if (part.length === 1 && this.is(first, '/') && before !== undefined) {
          this.edit(first - 1);
          this.edit(first);
        } else if (isLambda && part.length === 0 && at === parameters.length - 1 && before !== undefined) {
          this.edit(before + 1);
        } else if (!isLambda && this.is(first, '*') && this.is(third, ':') && this.is(fourth, '*')) {
          this.edit(fourth);
        }
      });
    }
  }

  /** An f-string: some of the escapes and braces of its literal text confuse the grammar; its fields hold expressions. */
  private formatted({ literals = [], parts = [] }: LexicalToken): void {
    for (let at = 0; at < literals.length; at += 2) {
      const [start, end] = [literals[at] ?? 0, literals[at + 1] ?? 0];
      this.overwrite(start, end, this.source.slice(start, end).replace(/[^\n]/g, 'x'));
    }
    this.fields(parts);
  }

  private fields(parts: readonly Part[]): void {
    for (const part of parts) {
      if (!isField(part)) continue;
      new Rewriter(this.source, part.tokens, this.rewrites).expressions();
      this.fields(part.spec ?? []);
    }
  }
}
