/** What f-strings come to whose fields are told: the text between these, and what `format` makes of their values. */
import type { Program } from '../program.js';
import { type CodeCursor, readFrom } from './code-cursor.js';
import { quotes } from './displays.js';
import { ExpressionParser } from './expression-parts.js';
import { formattedNumber, formattedText } from './format-spec.js';
import { derivesFromBuiltins } from './own-reprs.js';
import type { Part } from './parts.js';
import { literalRepr } from './strings.js';
import { charTokens, special } from './tokens.js';
import { decodeValue } from './values.js';

const [opening, closing, colon, exclamation] = charTokens('{}:!');
const [r, s, backslash] = charTokens('rs\\');

const isQuoted = (repr: string): boolean => /^['"]/.test(repr);

/** A value: its repr, and the repr of the text that `str` makes of it where that is no other way to write the repr. */
export interface Shown {
  readonly repr: string;
  readonly text?: string | undefined;
}

/** What `str`, or `repr`, makes of a value, with the escapes that a repr of that has. */
function charactersOf({ repr, text }: Shown, isRepr: boolean): string | undefined {
  const string = text ?? (isQuoted(repr) ? repr : undefined);
  if (!isRepr && string !== undefined) return string.slice(1, -1);
  // The escapes in a repr are characters of it.
  return repr.includes('\\') ? undefined : repr;
}

/** The repr of what an f-string comes to, or strings beside one; undefined where one of its fields is not told. */
export function fStringText(
  program: Program,
  code: ArrayLike<number>,
  { first, end }: Part,
  told: (part: Part) => Shown | undefined,
): string | undefined {
  if (derivesFromBuiltins(program)) return undefined;
  const escaped = readFrom(code, first, (cursor) => new FString(program, cursor, told).strings(end));
  if (escaped === undefined) return undefined;
  const quoted = escaped.replace(/\\.|'/gs, (found) => (found === "'" ? "\\'" : found));
  return literalRepr(`'${quoted}'`, { line: 1, column: 1 });
}

/** Reads strings side by side; what is read has the escapes of a repr, but quotes with and without. */
class FString {
  constructor(
    private readonly program: Program,
    private readonly cursor: CodeCursor,
    private readonly told: (part: Part) => Shown | undefined,
  ) {}

  strings(end: number): string {
    let found = '';
    while (this.cursor.at < end)
      found += this.cursor.takes(special.fstring) ? this.inside(special.fend) : this.quoted();
    return found;
  }

  private quoted(): string {
    const first = this.cursor.at;
    const quote = this.cursor.peek();
    if (!quotes.includes(quote)) this.cursor.fail();
    this.cursor.pass();
    while (!this.cursor.takes(quote)) this.passCharacter();
    return this.characters(first).slice(1, -1);
  }

  /** Text and fields up to this token. */
  private inside(ends: number): string {
    const { cursor } = this;
    let found = '';
    let first = cursor.at;
    while (cursor.peek() !== ends) {
      const token = cursor.peek();
      if (token !== opening && token !== closing) this.passCharacter();
      else {
        found += this.characters(first);
        cursor.pass();
        const isDoubled = cursor.takes(token);
        if (!isDoubled && token === closing) cursor.fail();
        found += isDoubled ? (token === opening ? '{' : '}') : this.field();
        first = cursor.at;
      }
    }
    found += this.characters(first);
    cursor.pass();
    return found;
  }

  private passCharacter(): void {
    this.cursor.pass(this.cursor.peek() === backslash ? 2 : 1);
    if (this.cursor.isAtEnd) this.cursor.fail();
  }

  private field(): string {
    const { cursor } = this;
    const value = this.told(new ExpressionParser(cursor).several());
    const isConverted = cursor.takes(exclamation);
    const isRepr = isConverted && cursor.takes(r);
    if (isConverted && !isRepr) cursor.expect(s);
    const spec = cursor.takes(colon) ? this.spec() : '';
    cursor.expect(closing);
    if (value === undefined) return cursor.fail();
    const isText = isConverted || spec === '' || isQuoted(value.repr);
    if (!isText) return formattedNumber(value.repr, spec) ?? cursor.fail();
    return formattedText(charactersOf(value, isRepr) ?? cursor.fail(), spec) ?? cursor.fail();
  }

  /** A specification without fields of its own. */
  private spec(): string {
    const first = this.cursor.at;
    while (this.cursor.peek() !== closing) {
      if (this.cursor.peek() === opening) this.cursor.fail();
      this.passCharacter();
    }
    return this.characters(first);
  }

  private characters(first: number): string {
    const text = decodeValue(this.program, [special.raw, ...this.cursor.since(first)]);
    return typeof text === 'string' ? text : this.cursor.fail();
  }
}
