/** What every rewrite of program text needs: edits by token, and the way from a bracket or a keyword to what belongs to it. */
import type { LexicalToken } from './lexer.js';

/** What is to be changed in a text, and what the tree of the changed text does not tell. All are offsets. */
export class Rewrites {
  /** Expressions that are assigned to although the tree shows them as read. */
  readonly stores = new Set<number>();
  /** Names that are bound although the tree shows them as read. */
  readonly binds = new Set<number>();
  /** Names that are read although the tree shows them as bound. */
  readonly reads = new Set<number>();
  /** Statements that are decorators of the definition after them. */
  readonly decorators = new Set<number>();
  /** Expressions that were changed beyond what the tree can tell to be wrong. */
  readonly expressions: { readonly start: number; readonly end: number }[] = [];
  readonly edits: { start: number; end: number; text: string }[] = [];

  /** The changed text; later edits go over earlier ones. */
  text(source: string): string {
    const body = source.replaceAll('\f', ' ');
    if (this.edits.length === 0) return body;
    const units = body.split('');
    for (const { start, end, text } of this.edits) {
      for (let offset = start; offset < end; offset += 1) units[offset] = text[offset - start] ?? ' ';
    }
    return units.join('');
  }
}

export const opening = new Set(['(', '[', '{']);
export const closing = new Set([')', ']', '}']);

export class TokenRewriter {
  constructor(
    protected readonly source: string,
    protected readonly tokens: readonly LexicalToken[],
    protected readonly rewrites: Rewrites,
  ) {}

  protected is(index: number, text: string): boolean {
    const token = this.tokens[index];
    return token !== undefined && token.text === text && (token.kind === 'operator' || token.kind === 'name');
  }

  protected edit(index: number, text = ''): void {
    const token = this.tokens[index];
    if (token !== undefined) this.rewrites.edits.push({ start: token.start, end: token.end, text });
  }

  /** Writes over everything from one offset to another, line ends too: inside brackets they mean nothing. */
  protected overwrite(start: number, end: number, text = ''): void {
    this.rewrites.edits.push({ start, end, text });
  }

  protected start(index: number): number {
    return (this.tokens[index] as LexicalToken).start;
  }

  protected end(index: number): number {
    return (this.tokens[index] as LexicalToken).end;
  }

  /** Whether the token at `index` is the first of its logical line. */
  protected isFirst(index: number): boolean {
    return this.tokens[index - 1]?.logical !== this.tokens[index]?.logical;
  }

  /** Index of the first token of the next logical line. */
  protected lineEnd(index: number): number {
    const logical = this.tokens[index]?.logical;
    let at = index;
    while (this.tokens[at]?.logical === logical && at < this.tokens.length) at += 1;
    return at;
  }

  /** Index of the token that closes the bracket at `open`, or of the first token outside the logical line. */
  protected partner(open: number): number {
    const logical = this.tokens[open]?.logical;
    let depth = 0;
    let index = open;
    for (; this.tokens[index]?.logical === logical; index += 1) {
      const { kind, text } = this.tokens[index] as LexicalToken;
      if (kind !== 'operator') continue;
      if (opening.has(text)) depth += 1;
      else if (closing.has(text)) depth -= 1;
      if (depth === 0) return index;
    }
    return index;
  }

  /** Indexes of the tokens outside brackets, and of those brackets, from `from` on as long as `goesOn`. */
  protected outside(from: number, goesOn: (index: number) => boolean): number[] {
    const out: number[] = [];
    for (let index = from; index < this.tokens.length && goesOn(index); index += 1) {
      out.push(index);
      const token = this.tokens[index] as LexicalToken;
      if (token.kind === 'operator' && opening.has(token.text)) {
        index = this.partner(index);
        out.push(index);
      }
    }
    return out;
  }

  /** Those from `from` to the `:` of the header. */
  protected header(from: number): number[] {
    const logical = this.tokens[from]?.logical;
    return this.outside(from, (index) => this.tokens[index]?.logical === logical && !this.is(index, ':'));
  }
}
