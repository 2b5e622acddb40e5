/** What f-strings come to whose fields are told: the text between these, and what `format` makes of their values. */
import type { Program } from '../program.js';
import { type CodeCursor, readFrom } from './code-cursor.js';
import { derivesFromBuiltins } from './derived-builtins.js';
import { quotes } from './displays.js';
import { ExpressionParser } from './expression-parts.js';
import { formattedNumber, formattedText } from './format-spec.js';
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
  /** What `format` makes of it, where more than putting characters together was needed for that. */
  readonly formatted?: string | undefined;
}

/** Text with the escapes of a repr, but quotes with and without, or a field. */
export type Piece = string | Field;

/** What stands between braces. */
export interface Field {
  /** Its expression. */
  readonly part: Part;
  readonly conversion: 'repr' | 'text' | undefined;
  readonly spec: readonly Piece[];
}

/** The value of the expression of a field; spec: how it is formatted. */
type Tell = (part: Part, spec: string) => Shown | undefined;

/** The repr of what an f-string comes to, or strings beside one; undefined where one of its fields is not told. */
export function fStringText(
  program: Program,
  code: ArrayLike<number>,
  part: Part,
  tell: Tell,
): string | undefined {
  const escaped = derivesFromBuiltins(program) ? undefined : joined(fStringPieces(program, code, part), tell);
  if (escaped === undefined) return undefined;
  const quoted = escaped.replace(/\\.|'/gs, (found) => (found === "'" ? "\\'" : found));
  return literalRepr(`'${quoted}'`, { line: 1, column: 1 });
}

/** The expressions of the fields of an f-string, those in specifications behind what they format; undefined for what is not read. */
export function fieldsOf(program: Program, code: ArrayLike<number>, part: Part): readonly Part[] | undefined {
  const partsOf = (pieces: readonly Piece[]): Part[] =>
    pieces.flatMap((piece) => (typeof piece === 'string' ? [] : [piece.part, ...partsOf(piece.spec)]));
  const pieces = fStringPieces(program, code, part);
  return pieces && partsOf(pieces);
}

/** F-strings in a part, but for those in comprehensions and lambdas, which bind names that are not told. */
export const fStringsIn = (part: Part): Part[] => {
  if (part.kind === 'text') return [part];
  return part.bound.size > 0 ? [] : part.parts.flatMap(fStringsIn);
};

/** undefined for what is not read. */
export const fStringPieces = (
  program: Program,
  code: ArrayLike<number>,
  { first, end }: Part,
): readonly Piece[] | undefined =>
  readFrom(code, first, (cursor) => new FStringReader(program, cursor).strings(end));

function joined(pieces: readonly Piece[] | undefined, tell: Tell): string | undefined {
  const texts = pieces?.map((piece) => (typeof piece === 'string' ? piece : formatted(piece, tell)));
  return texts?.every((text) => text !== undefined) ? texts.join('') : undefined;
}

function formatted({ part, conversion, spec: pieces }: Field, tell: Tell): string | undefined {
  const spec = joined(pieces, tell);
  const value = spec === undefined ? undefined : tell(part, spec);
  if (value === undefined || spec === undefined) return undefined;
  const isText = conversion !== undefined || spec === '' || isQuoted(value.repr);
  if (!isText) return value.formatted ?? formattedNumber(value.repr, spec);
  const characters = charactersOf(value, conversion === 'repr');
  return characters === undefined ? undefined : formattedText(characters, spec);
}

/** What `str`, or `repr`, makes of a value, with the escapes that a repr of that has. */
function charactersOf({ repr, text }: Shown, isRepr: boolean): string | undefined {
  const string = text ?? (isQuoted(repr) ? repr : undefined);
  if (!isRepr && string !== undefined) return string.slice(1, -1);
  // The escapes in a repr are characters of it.
  return repr.includes('\\') ? undefined : repr;
}

/** Reads strings side by side. */
class FStringReader {
  constructor(
    private readonly program: Program,
    private readonly cursor: CodeCursor,
  ) {}

  strings(end: number): Piece[] {
    const found: Piece[] = [];
    while (this.cursor.at < end)
      found.push(...(this.cursor.takes(special.fstring) ? this.inside(special.fend) : [this.quoted()]));
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

  /** Text and fields up to this token, which is passed over. */
  private inside(ends: number): Piece[] {
    const { cursor } = this;
    const found: Piece[] = [];
    let first = cursor.at;
    while (cursor.peek() !== ends) {
      const token = cursor.peek();
      if (token !== opening && token !== closing) this.passCharacter();
      else {
        found.push(this.characters(first));
        cursor.pass();
        const isDoubled = cursor.takes(token);
        if (!isDoubled && token === closing) cursor.fail();
        found.push(isDoubled ? (token === opening ? '{' : '}') : this.field());
        first = cursor.at;
      }
    }
    found.push(this.characters(first));
    cursor.pass();
    return found;
  }

  private passCharacter(): void {
    this.cursor.pass(this.cursor.peek() === backslash ? 2 : 1);
    if (this.cursor.isAtEnd) this.cursor.fail();
  }

  private field(): Field {
    const { cursor } = this;
    const part = new ExpressionParser(cursor).several();
    const isConverted = cursor.takes(exclamation);
    const isRepr = isConverted && cursor.takes(r);
    if (isConverted && !isRepr) cursor.expect(s);
    const conversion = isConverted ? (isRepr ? 'repr' : 'text') : undefined;
    if (cursor.takes(colon)) return { part, conversion, spec: this.spec() };
    cursor.expect(closing);
    return { part, conversion, spec: [] };
  }

  /** A specification, which ends with the field. */
  private spec(): Piece[] {
    const { cursor } = this;
    const found: Piece[] = [];
    let first = cursor.at;
    while (cursor.peek() !== closing) {
      if (cursor.peek() !== opening) this.passCharacter();
      else {
        found.push(this.characters(first));
        cursor.pass();
        found.push(this.field());
        first = cursor.at;
      }
    }
    found.push(this.characters(first));
    cursor.pass();
    return found;
  }

  private characters(first: number): string {
    const text = decodeValue(this.program, [special.raw, ...this.cursor.since(first)]);
    return typeof text === 'string' ? text : this.cursor.fail();
  }
}
