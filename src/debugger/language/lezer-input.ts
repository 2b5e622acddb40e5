/**
 * The Lezer grammar refuses a few things Python allows. Each is rewritten here into something with the same names on
 * the same lines that it accepts; every rewrite keeps all offsets, so that lines and columns stay true.
 */
import { isField, type LexicalToken } from './lexer.js';

export interface LezerInput {
  readonly text: string;
  /** Offsets of expressions that are assigned to although the tree shows them as read. */
  readonly stores: ReadonlySet<number>;
  /** Offsets of names that are read although the tree shows them as bound. */
  readonly reads: ReadonlySet<number>;
  /** Offsets of statements that are decorators of the definition after them. */
  readonly decorators: ReadonlySet<number>;
}

/** Rewrites `source` (normalised), whose tokens are `tokens`. */
export function lezerInput(source: string, tokens: readonly LexicalToken[]): LezerInput {
  const rewriter = new Rewriter(source, tokens);
  rewriter.run();
  return {
    text: rewriter.text(),
    stores: rewriter.stores,
    reads: rewriter.reads,
    decorators: rewriter.decorators,
  };
}

const opening = new Set(['(', '[', '{']);
const closing = new Set([')', ']', '}']);

class Rewriter {
  readonly stores = new Set<number>();
  readonly reads = new Set<number>();
  readonly decorators = new Set<number>();
  private readonly edits: { start: number; end: number; text: string }[] = [];

  constructor(
    private readonly source: string,
    private readonly tokens: readonly LexicalToken[],
  ) {}

  /** The rewritten source. */
  text(): string {
    const body = this.source.replaceAll('\f', ' ');
    if (this.edits.length === 0) return body;
    const units = body.split('');
    for (const { start, end, text } of this.edits) {
      for (let offset = start; offset < end; offset += 1) units[offset] = text[offset - start] ?? ' ';
    }
    return units.join('');
  }

  private is(index: number, text: string): boolean {
    const token = this.tokens[index];
    return token !== undefined && token.text === text && (token.kind === 'operator' || token.kind === 'name');
  }

  private edit(index: number, text = ''): void {
    const token = this.tokens[index];
    if (token !== undefined) this.edits.push({ start: token.start, end: token.end, text });
  }

  /** Blanks everything from one offset to another, line ends too: inside brackets they mean nothing. */
  private blank(start: number, end: number): void {
    this.edits.push({ start, end, text: '' });
  }

  run(): void {
    const open: number[] = [];
    for (let index = 0; index < this.tokens.length; index += 1) {
      const token = this.tokens[index];
      if (token === undefined) break;
      const first = this.tokens[index - 1]?.logical !== token.logical;
      if (token.kind === 'number') this.number(token);
      else if (token.kind === 'fstring') this.literalText(token);
      else if (token.kind === 'operator') this.operator(index, first, open);
      else if (token.kind === 'name') this.keyword(index, first);
    }
  }

  private number({ start, end, text }: LexicalToken): void {
    if (/[.jJ]/.test(text)) this.edits.push({ start, end, text: '1'.repeat(text.length) });
  }

  /** `open`: indexes of the brackets that are open here. */
  private operator(index: number, first: boolean, open: number[]): void {
    const { text } = this.tokens[index] as LexicalToken;
    if (opening.has(text)) open.push(index);
    else if (closing.has(text)) open.pop();
    else if (text === '@' && first) this.decoratorLines(index);
    else if (text === '/') this.positionalMark(index);
    else if (text === '*' && (this.is(index - 1, '[') || this.is(index - 1, 'in'))) this.edit(index);
    else if (text === ':=') this.setDisplay(open.at(-1));
  }

  private keyword(index: number, first: boolean): void {
    const { text } = this.tokens[index] as LexicalToken;
    if (text === 'with' && (first || this.is(index - 1, ':') || this.is(index - 1, 'async')))
      this.withStatement(index);
    else if (first && text === 'match') this.matchStatement(index);
    else if (first && text === 'case') this.caseClause(index);
  }

  /** `{x := 1}` is parsed as a list. */
  private setDisplay(open: number | undefined): void {
    if (open === undefined || !this.is(open, '{')) return;
    this.edit(open, '[');
    this.edit(this.partner(open), ']');
  }

  /** The literal text of f-strings: some of its escapes and braces confuse the grammar. */
  private literalText({ literals = [], parts = [] }: LexicalToken): void {
    for (let at = 0; at < literals.length; at += 2) {
      const [start, end] = [literals[at] ?? 0, literals[at + 1] ?? 0];
      const text = this.source.slice(start, end).replace(/[^\n]/g, 'x');
      this.edits.push({ start, end, text });
    }
    for (const part of parts) {
      if (!isField(part)) continue;
      for (const token of part.tokens) {
        if (token.kind === 'fstring') this.literalText(token);
        else if (token.kind === 'number') this.number(token);
      }
    }
  }

  /**
   * Decorators from `index` on: if one is more than a dotted name and a call of it, the `@` of each becomes `-`, and it an expression statement.
   */
  private decoratorLines(index: number): void {
    if (this.decorators.has(this.tokens[index]?.start ?? -1)) return;
    const starts: number[] = [];
    let isPlain = true;
    for (let at = index; this.is(at, '@'); ) {
      starts.push(at);
      const end = this.lineEnd(at);
      isPlain &&= this.dottedCallEnd(at + 1) === end;
      at = end;
    }
    if (isPlain) return;
    for (const at of starts) {
      this.edit(at, '-');
      this.decorators.add((this.tokens[at] as LexicalToken).start);
    }
  }

  /** Index of the first token of the next logical line. */
  private lineEnd(index: number): number {
    const logical = this.tokens[index]?.logical;
    let at = index;
    while (this.tokens[at]?.logical === logical && at < this.tokens.length) at += 1;
    return at;
  }

  /** Index after a dotted name and, if there is one, its argument list. */
  private dottedCallEnd(index: number): number {
    let at = index;
    while (this.tokens[at]?.kind === 'name' && this.is(at + 1, '.')) at += 2;
    if (this.tokens[at]?.kind !== 'name') return -1;
    return this.is(at + 1, '(') ? this.partner(at + 1) + 1 : at + 1;
  }

  /** `lambda a, /, b: ...`: the mark of positional-only parameters. */
  private positionalMark(index: number): void {
    if (!this.is(index - 1, ',')) return;
    if (this.is(index + 1, ',')) {
      this.edit(index);
      this.edit(index + 1);
    } else if (this.is(index + 1, ':')) {
      this.edit(index - 1);
      this.edit(index);
    }
  }

  /** Index of the token that closes the bracket at `open`, or of the first token outside the logical line. */
  private partner(open: number): number {
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

  /** Indexes of the tokens outside brackets from `from` to the `:` of the header. */
  private header(from: number): number[] {
    const out: number[] = [];
    const logical = this.tokens[from]?.logical;
    for (
      let index = from;
      index < this.tokens.length && this.tokens[index]?.logical === logical;
      index += 1
    ) {
      if (this.is(index, ':')) break;
      out.push(index);
      const token = this.tokens[index] as LexicalToken;
      if (token.kind === 'operator' && opening.has(token.text)) {
        index = this.partner(index);
        out.push(index);
      }
    }
    return out;
  }

  /** `with (a as b, c as d):` loses its brackets; `with a as (b, c):` becomes `with a,  (b, c):`. */
  private withStatement(index: number): void {
    let from = index + 1;
    if (this.is(from, '(')) {
      const close = this.partner(from);
      const inner = this.insideTokens(from, close);
      if (this.is(close + 1, ':') && inner.some((at) => this.is(at, 'as'))) {
        this.unwrap(from, close);
        from += 1;
        this.targets(inner);
        return;
      }
    }
    this.targets(this.header(from));
  }

  private insideTokens(open: number, close: number): number[] {
    const out: number[] = [];
    for (let index = open + 1; index < close; index += 1) {
      out.push(index);
      const token = this.tokens[index] as LexicalToken;
      if (token.kind === 'operator' && opening.has(token.text)) {
        index = this.partner(index);
        out.push(index);
      }
    }
    return out;
  }

  private unwrap(open: number, close: number): void {
    this.edit(open);
    this.edit(close);
    if (this.is(close - 1, ',')) this.edit(close - 1);
    for (let index = open; index < close; index += 1) {
      const end = this.tokens[index]?.end ?? 0;
      const next = this.tokens[index + 1]?.start ?? end;
      if (next > end) this.blank(end, next);
    }
  }

  private targets(header: readonly number[]): void {
    header.forEach((index, at) => {
      if (!this.is(index, 'as')) return;
      const target = header[at + 1];
      const after = header[at + 2];
      const simple = after === undefined || this.is(after, ',');
      if (target === undefined || (simple && this.tokens[target]?.kind === 'name')) return;
      this.edit(index, ', ');
      this.stores.add((this.tokens[target] as LexicalToken).start);
    });
  }

  /** `match a, b:` is parsed as `match a+ b:`; both read the same names on the same lines. */
  private matchStatement(index: number): void {
    const header = this.header(index + 1);
    const last = header.at(-1);
    if (last === undefined || !this.is(last + 1, ':') || this.is(index + 1, '=')) return;
    for (const at of header) {
      if (this.is(at, ',')) this.edit(at, at === last ? ' ' : '+');
    }
  }

  /** `case int():` loses its empty brackets (the name is still read, not bound); `case []:` becomes `case 0 :`. */
  private caseClause(index: number): void {
    const logical = this.tokens[index]?.logical;
    for (let at = index + 1; this.tokens[at]?.logical === logical; at += 1) {
      if (this.is(at, 'if')) return;
      const before = this.tokens[at - 1] as LexicalToken;
      if (before.kind === 'string' && this.tokens[at]?.kind === 'string') this.edit(at);
      if (!this.isEmptyBrackets(at)) continue;
      if (before.kind === 'name' && at - 1 > index && this.is(at, '(')) {
        this.blank((this.tokens[at] as LexicalToken).start, (this.tokens[at + 1] as LexicalToken).end);
        this.reads.add(before.start);
      } else {
        this.edit(at, '0');
        this.edit(at + 1);
      }
    }
  }

  private isEmptyBrackets(at: number): boolean {
    return ['()', '[]', '{}'].some(([open = '', close = '']) => this.is(at, open) && this.is(at + 1, close));
  }
}
