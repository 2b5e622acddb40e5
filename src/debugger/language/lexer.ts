/**
 * The lexer of the trace language: Python source to tokens, by the rules of docs/trace-language.md, section 2.
 * It mirrors python/foretrace/language/lexer.py rule by rule. It accepts some text Python refuses; the syntax
 * tree has the last word.
 */

import { programTokens, SourceBounds } from './source-bounds.js';
import { problem, SourceMap, type SourcePosition } from './source-error.js';
import { literalText } from './strings.js';

/** A replacement field of an f-string; `conversion` is 'r', 's', 'a' or ''. */
export interface Field {
  readonly tokens: readonly LexicalToken[];
  readonly conversion: string;
  readonly spec: readonly Part[] | undefined;
}

/** Literal text of an f-string (code points of its value, braces single) or a field. */
export type Part = readonly number[] | Field;
export const isField = (part: Part): part is Field => !Array.isArray(part);

export type LexicalKind = 'name' | 'number' | 'string' | 'bytes' | 'fstring' | 'operator';

export interface LexicalToken {
  readonly kind: LexicalKind;
  /** Source text; a name in form NFKC. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** Physical line of its first character, from 1. */
  readonly line: number;
  /** Nesting of the logical line it belongs to, and that line's index. */
  readonly level: number;
  readonly logical: number;
  /** The inside of an f-string. */
  readonly parts?: readonly Part[];
  /** Offsets of its literal text: start, end, start, end, ... */
  readonly literals?: readonly number[];
}

const quoted = String.raw`(?:'''(?:[^\\]|\\.)*?'''|"""(?:[^\\]|\\.)*?"""|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")`;
const digits = '[0-9](?:_?[0-9])*';
const kinds = [
  'space',
  'newline',
  'comment',
  'join',
  'fstring',
  'bytes',
  'string',
  'name',
  'number',
  'operator',
] as const;
const patterns: Record<(typeof kinds)[number], string> = {
  space: '[ \\t\\f]+',
  newline: '\\n',
  comment: '#[^\\n]*',
  join: '\\\\\\n',
  fstring: `(?:[fF][rR]?|[rR][fF])(?:'''|"""|'|")`,
  bytes: `(?:[bB][rR]?|[rR][bB])${quoted}`,
  string: `[rRuU]?${quoted}`,
  name: '[A-Za-z_\\u{80}-\\u{10ffff}][A-Za-z0-9_\\u{80}-\\u{10ffff}]*',
  number:
    '0[xX](?:_?[0-9a-fA-F])+|0[bB](?:_?[01])+|0[oO](?:_?[0-7])+' +
    `|(?:${digits}(?:\\.(?:${digits})?)?|\\.${digits})(?:[eE][+-]?${digits})?[jJ]?`,
  operator: String.raw`\*\*=|//=|>>=|<<=|\.\.\.|[!<>=]=|->|:=|[-+*/%@&|^]=|\*\*|//|<<|>>|[-+*/%@&|^~<>=()\[\]{},:;.!]`,
};
const tokenPattern = new RegExp(kinds.map((kind) => `(${patterns[kind]})`).join('|'), 'suy');
const indentPattern = /[ \t\f]*/y;
const tabWidth = 8;
/** Nesting of f-strings; deeper ones are no program anybody wrote. */
const maximumNesting = 32;

/** Line ends as `\n`, no byte order mark. */
export const normaliseSource = (source: string): string =>
  (source.startsWith('\ufeff') ? source.slice(1) : source).replace(/\r\n?/g, '\n');

/** The tokens of a normalised source, of which there may be `most`. Throws invalid_python, program_too_long. */
export const lex = (source: string, most = programTokens): LexicalToken[] => new Lexer(source, most).run();

/** Tokens by logical line, which each have some; the index is that of the line. */
export function logicalLines(tokens: readonly LexicalToken[]): LexicalToken[][] {
  const lines: LexicalToken[][] = [];
  for (const token of tokens) {
    lines[token.logical] ??= [];
    lines[token.logical]?.push(token);
  }
  return lines;
}

const bracketStep = (text: string): number => ('([{'.includes(text) ? 1 : ')]}'.includes(text) ? -1 : 0);

class Lexer {
  private readonly map: SourceMap;
  private readonly bounds: SourceBounds;
  private level = 0;
  private logical = 0;
  private nesting = 0;
  private literals: number[] = [];

  constructor(
    private readonly source: string,
    most: number,
  ) {
    this.bounds = new SourceBounds(most);
    this.map = new SourceMap(source);
  }

  private at(offset: number): SourcePosition {
    return this.map.position(offset);
  }

  private match(pos: number): { kind: (typeof kinds)[number]; text: string; end: number } | undefined {
    tokenPattern.lastIndex = pos;
    const match = tokenPattern.exec(this.source);
    if (match === null) return undefined;
    const kind = kinds[kinds.findIndex((_, index) => match[index + 1] !== undefined)];
    return kind === undefined ? undefined : { kind, text: match[0], end: pos + match[0].length };
  }

  run(): LexicalToken[] {
    const { source } = this;
    const out: LexicalToken[] = [];
    const indents = [0];
    let depth = 0;
    let fresh = true;
    let pos = 0;
    while (pos < source.length) {
      if (fresh) {
        pos = this.indent(pos, indents);
        fresh = false;
        continue;
      }
      const match = this.match(pos);
      if (match === undefined) throw this.unexpected(pos);
      const { kind, text, end } = match;
      pos = end;
      if (kind === 'newline') {
        if (depth !== 0) continue;
        fresh = true;
        if (out.at(-1)?.logical === this.logical) this.logical += 1;
      } else if (kind !== 'space' && kind !== 'comment' && kind !== 'join') {
        if (kind === 'operator') depth += bracketStep(text);
        this.bounds.token(depth, () => this.at(end - text.length));
        pos = this.token(kind, text, end - text.length, out);
      }
    }
    return out;
  }

  private unexpected(pos: number): Error {
    const char = String.fromCodePoint(this.source.codePointAt(pos) ?? 0);
    const what =
      char === "'" || char === '"'
        ? 'unterminated string literal'
        : `unexpected character ${JSON.stringify(char)}`;
    return problem(what, this.at(pos));
  }

  /** Reads the white space at the start of a line; a line with code on it sets the level. */
  private indent(pos: number, indents: number[]): number {
    indentPattern.lastIndex = pos;
    const space = indentPattern.exec(this.source)?.[0] ?? '';
    const end = pos + space.length;
    const next = this.source[end];
    if (next === undefined || next === '\n' || next === '#') return end;
    let width = 0;
    for (const char of space) {
      width = char === ' ' ? width + 1 : char === '\f' ? 0 : (Math.floor(width / tabWidth) + 1) * tabWidth;
    }
    const deepest = indents.at(-1) ?? 0;
    while (width < (indents.at(-1) ?? 0)) indents.pop();
    if (width > (indents.at(-1) ?? 0)) {
      if (width < deepest) throw problem('unindent does not match any outer indentation level', this.at(end));
      indents.push(width);
    }
    this.level = indents.length - 1;
    return end;
  }

  /** Appends a token; returns where the text goes on. */
  private token(kind: LexicalKind, matched: string, start: number, out: LexicalToken[]): number {
    const level = this.level;
    const logical = this.logical;
    const line = this.map.lineOf(start);
    let end = start + matched.length;
    if (kind !== 'fstring') {
      const text = kind === 'name' ? matched.normalize('NFKC') : matched;
      out.push({ kind, text, start, end, line, level, logical });
      return end;
    }
    this.nesting += 1;
    if (this.nesting > maximumNesting) throw problem('f-strings nested too deeply', this.at(start));
    const quote = matched.replace(/^[fFrR]+/, '');
    const outer = this.literals;
    this.literals = [];
    const inside = this.inside(end, quote, /r/i.test(matched), false);
    this.nesting -= 1;
    end = inside.end;
    const text = this.source.slice(start, end);
    out.push({ kind, text, start, end, line, level, logical, parts: inside.parts, literals: this.literals });
    this.literals = outer;
    return end;
  }

  /** Literal text and fields up to the closing quote (in a format spec: up to its `}`, which is not consumed). */
  private inside(
    start: number,
    quote: string,
    raw: boolean,
    inSpec: boolean,
  ): { parts: Part[]; end: number } {
    const { source } = this;
    const parts: Part[] = [];
    let text = '';
    let pos = start;
    const flush = (): void => {
      if (text !== '') parts.push(literalText(text, raw, this.at(start)));
      text = '';
    };
    while (pos < source.length) {
      const char = source[pos] ?? '';
      if (!inSpec && source.startsWith(quote, pos)) {
        flush();
        return { parts, end: pos + quote.length };
      }
      if (inSpec && char === '}') {
        flush();
        return { parts, end: pos };
      }
      if (!inSpec && (char === '{' || char === '}') && source[pos + 1] === char) {
        flush();
        this.literals.push(pos, pos + 2);
        parts.push([char.charCodeAt(0)]);
        pos += 2;
      } else if (char === '}') {
        throw problem("f-string: single '}' is not allowed", this.at(pos));
      } else if (char === '{') {
        flush();
        pos = this.field(pos + 1, quote, raw, parts);
      } else {
        const next = source[pos + 1];
        const width = char === '\\' && next !== '{' && next !== '}' ? 2 : 1;
        text += source.slice(pos, pos + width);
        this.literals.push(pos, pos + width);
        pos += width;
      }
    }
    throw problem('unterminated f-string literal', this.at(start));
  }

  /** One replacement field, from after its `{` to after its `}`. */
  private field(start: number, quote: string, raw: boolean, parts: Part[]): number {
    const { source } = this;
    const tokens: LexicalToken[] = [];
    let depth = 0;
    let pos = start;
    let shown: string | undefined;
    for (;;) {
      const match = this.match(pos);
      if (match === undefined)
        throw problem('replacement field of an f-string is not closed', this.at(start));
      const { kind, text } = match;
      let end = match.end;
      if (kind === 'operator' && depth === 0 && ['}', '!', ':', ':=', '='].includes(text)) {
        if (text !== '=') break;
        while (/^[ \t\f\n]$/.test(source[end] ?? '')) end += 1;
        shown = source.slice(start, end);
      } else if (kind !== 'newline' && kind !== 'join' && kind !== 'space' && kind !== 'comment') {
        if (kind === 'operator') depth += bracketStep(text);
        this.bounds.token(depth, () => this.at(start));
        end = this.token(kind, text, pos, tokens);
      }
      pos = end;
    }
    return this.closeField(pos, quote, raw, parts, tokens, shown);
  }

  private closeField(
    from: number,
    quote: string,
    raw: boolean,
    parts: Part[],
    tokens: LexicalToken[],
    shown: string | undefined,
  ): number {
    const { source } = this;
    let pos = from;
    let conversion = '';
    let spec: Part[] | undefined;
    if (source[pos] === '!') {
      conversion = source[pos + 1] ?? '';
      if (!/^[rsa]$/.test(conversion)) throw problem('an f-string conversion is !r, !s or !a', this.at(pos));
      indentPattern.lastIndex = pos + 2;
      pos += 2 + (indentPattern.exec(source)?.[0].length ?? 0);
    }
    if (source[pos] === ':') {
      this.nesting += 1;
      if (this.nesting > maximumNesting) throw problem('f-strings nested too deeply', this.at(pos));
      const inside = this.inside(pos + 1, quote, raw, true);
      this.nesting -= 1;
      spec = inside.parts;
      pos = inside.end;
    }
    if (source[pos] !== '}') throw problem('replacement field of an f-string is not closed', this.at(pos));
    if (shown !== undefined) {
      parts.push(Array.from(shown, (char) => char.codePointAt(0) ?? 0));
      if (conversion === '' && spec === undefined) conversion = 'r';
    }
    parts.push({ tokens, conversion, spec });
    return pos + 1;
  }
}
