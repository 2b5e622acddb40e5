/** Values (canonical bounded `repr` text) as tokens and back (docs/trace-language.md, section 4). */
import type { Program } from '../program.js';
import {
  byteBase,
  charOf,
  charToken,
  isByteToken,
  isCharToken,
  isSlotToken,
  isWordToken,
  slotBase,
  special,
  textTokens,
  tokenText,
  wordOf,
  wordToken,
} from './tokens.js';

/** Malformed tokens, as a value: where (token index), what would have been legal, and what stood there. */
export interface DecodeProblem {
  readonly code: 'bad_value' | 'bad_delta' | 'unfinished_delta' | 'bad_answer';
  readonly position: number;
  readonly expected: string;
  readonly actual: string;
}

/** Characters of a value; a longer one is cut, as the tracer cuts it. */
export const longestText = 1024;
/** Ends a value that the tracer cut. */
export const cutMark = '…';

const piecePattern =
  /('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")|(b(?=['"]))|([A-Za-z_][A-Za-z0-9_]*)|([0-9][A-Za-z0-9_]*)|([,:] (?![) ]))|([,:](?=\)))|([,:])|(['"])|(.)/gsu;

/** The tokens of a value: compact where that is exact, else raw. Lone surrogates become U+FFFD. */
export function encodeValue(program: Program, text: string): number[] {
  return compact(program, text) ?? raw(text);
}

const splitCut = (text: string): [body: string, isCut: boolean] =>
  text.endsWith(cutMark) ? [text.slice(0, -1), true] : [text, false];

function raw(text: string): number[] {
  const [body, isCut] = splitCut(text);
  return [special.raw, ...textTokens(body), ...(isCut ? [special.cut] : [])];
}

/** The compact form; undefined where it would not decode to `text`. */
function compact(program: Program, text: string): number[] | undefined {
  const [body, isCut] = splitCut(text);
  const out: number[] = [];
  const add = (piece: string): void => {
    for (const token of textTokens(piece)) out.push(token);
  };
  for (const match of body.matchAll(piecePattern)) {
    const [piece, , bytes, name, , space, tight, lossy, open] = match;
    if (name !== undefined) {
      const slot = program.slots.get(name);
      const word = wordToken(name);
      if (word !== undefined) out.push(word);
      else if (slot !== undefined) out.push(special.ref, slot);
      else add(name);
    } else if (space !== undefined || tight !== undefined) {
      out.push(charToken(piece.charAt(0)));
      if (isCut && space !== undefined && match.index + 2 === body.length) out.push(charToken(' '));
    } else if (bytes !== undefined) out.push(special.bytes);
    else if (lossy !== undefined) {
      if (!isCut || match.index + 1 !== body.length) return undefined;
      out.push(charToken(lossy));
    } else if (open !== undefined) {
      if (!isCut) return undefined;
      add(body.slice(match.index));
      break;
    } else add(piece);
  }
  if (isCut) out.push(special.cut);
  return out.length > 0 ? out : undefined;
}

const quotes = new Set([charToken("'"), charToken('"')]);

/** Lowest and highest legal next byte of an unfinished UTF-8 character, or of none. */
function byteRange(pending: readonly number[]): readonly [low: number, high: number] {
  if (pending.length !== 1) return [0x80, 0xbf];
  const lead = pending[0] ?? 0;
  if (lead === 0xe0) return [0xa0, 0xbf];
  if (lead === 0xed) return [0x80, 0x9f];
  if (lead === 0xf0) return [0x90, 0xbf];
  return lead === 0xf4 ? [0x80, 0x8f] : [0x80, 0xbf];
}

const sequenceLength = (lead: number): number => (lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4);
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** Reads the tokens of one value, one at a time. */
export class ValueDecoder {
  private readonly pieces: string[] = [];
  private quote = '';
  private escaped = false;
  private isRaw = false;
  private isCut = false;
  /** What must follow: a slot after `<|ref|>`, a quote after `<|bytes|>`. */
  private needs: 'slot' | 'quote' | undefined;
  private pending: number[] = [];
  /** `,` or `:` waiting for what follows. */
  private space = '';
  private count = 0;

  constructor(private readonly program: Program) {}

  /** Whether `token` may stand next in the value. */
  accepts(token: number): boolean {
    if (this.isCut) return false;
    if (this.needs === 'slot') return isSlotToken(token) && token - slotBase < this.program.slotNames.length;
    if (this.needs === 'quote') return quotes.has(token);
    const idle = this.pending.length === 0;
    if (token === special.ref || token === special.bytes || isWordToken(token))
      return !this.isRaw && this.quote === '' && idle;
    if (token === special.raw) return this.count === 0;
    if (token === special.cut || isCharToken(token)) return idle;
    return isByteToken(token) && this.acceptsByte(token - byteBase);
  }

  private acceptsByte(byte: number): boolean {
    if (this.pending.length === 0) return byte < 0x20 || byte === 0x7f || (byte >= 0xc2 && byte <= 0xf4);
    const [low, high] = byteRange(this.pending);
    return byte >= low && byte <= high;
  }

  /** Consumes a token that `accepts` allows. */
  take(token: number): void {
    this.count += 1;
    if (isByteToken(token)) this.byte(token - byteBase);
    else if (isCharToken(token)) this.char(charOf(token));
    else if (token === special.raw) this.isRaw = true;
    else if (token === special.ref) this.needs = 'slot';
    else if (token === special.cut) {
      this.space = '';
      this.isCut = true;
      this.pieces.push(cutMark);
    } else {
      this.flushSpace();
      const isBytes = token === special.bytes;
      this.pieces.push(
        isBytes ? 'b' : isSlotToken(token) ? (this.program.slotNames[token - slotBase] ?? '') : wordOf(token),
      );
      this.needs = isBytes ? 'quote' : undefined;
    }
  }

  private byte(byte: number): void {
    this.pending.push(byte);
    if (this.pending.length < sequenceLength(this.pending[0] ?? 0)) return;
    const char = utf8.decode(Uint8Array.from(this.pending));
    this.pending = [];
    this.char(char);
  }

  /** Restores the space after `,` and `:`, which is not there before `)`, a written space or a cut. */
  private flushSpace(follower = ''): void {
    if (this.space !== '' && follower !== ')' && follower !== ' ') this.pieces.push(' ');
    this.space = '';
  }

  private char(char: string): void {
    if (this.isRaw) {
      this.pieces.push(char);
      return;
    }
    this.flushSpace(char);
    this.pieces.push(char);
    this.needs = undefined;
    if (this.quote !== '') {
      if (this.escaped) this.escaped = false;
      else if (char === '\\') this.escaped = true;
      else if (char === this.quote) this.quote = '';
    } else if (char === "'" || char === '"') this.quote = char;
    else if (char === ',' || char === ':') this.space = char;
  }

  /** What must still come before the value may end; undefined if nothing must. */
  missing(): string | undefined {
    if (this.count === 0) return 'a value';
    if (this.needs !== undefined) return this.needs === 'slot' ? 'a slot of the program' : 'a quote';
    if (this.pending.length > 0) return 'the rest of a UTF-8 character';
    if (this.quote !== '' && !this.isCut) return `the closing ${this.quote}`;
    return undefined;
  }

  /** The value, once `missing` is undefined. A `,` or `:` at the very end has its space. */
  text(): string {
    this.flushSpace();
    return this.pieces.join('');
  }
}

/** The value of `tokens`, or what is wrong with them. */
export function decodeValue(program: Program, tokens: Iterable<number>): string | DecodeProblem {
  const decoder = new ValueDecoder(program);
  let position = 0;
  for (const token of tokens) {
    if (!decoder.accepts(token)) {
      const expected = decoder.missing() ?? 'a value token or the end';
      return { code: 'bad_value', position, expected, actual: tokenText(token) };
    }
    decoder.take(token);
    position += 1;
  }
  const missing = decoder.missing();
  return missing === undefined
    ? decoder.text()
    : { code: 'bad_value', position, expected: missing, actual: 'the end' };
}
