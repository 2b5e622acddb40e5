/** String literals: escapes read, and text written the way Python's `repr` writes it. */
import { problem, type SourcePosition } from './source-error.js';

const simpleEscapes: Readonly<Record<string, string>> = {
  '\n': '',
  '\\': '\\',
  "'": "'",
  '"': '"',
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};
const textEscape = /\\(?:([0-7]{1,3})|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))/gsu;
const bytesEscape = /\\(?:([0-7]{1,3})|x([0-9a-fA-F]{2})|()()(.))/gsu;

/** Code points: a JavaScript string would join two escaped surrogates into one character. */
type CodePoints = number[];

const pointsOf = (text: string): CodePoints => Array.from(text, (char) => char.codePointAt(0) ?? 0);

/**
 * The value of the inside of a non-raw literal, as code points. An unknown escape keeps its backslash, as in Python.
 * Of bytes, every code point is one byte, and \u, \U and \N are no escapes. Throws invalid_python.
 */
function cook(text: string, isBytes: boolean, at: SourcePosition): CodePoints {
  const out: CodePoints = [];
  const add = (piece: string): void => {
    for (const char of piece) out.push(char.codePointAt(0) ?? 0);
  };
  let last = 0;
  for (const match of text.matchAll(isBytes ? bytesEscape : textEscape)) {
    const [all, octal, byte, short, long, other] = match;
    add(text.slice(last, match.index));
    last = match.index + all.length;
    if (other) {
      if (other === 'x' || (!isBytes && (other === 'u' || other === 'U'))) {
        throw problem(`the escape \\${other} needs ${{ x: 2, u: 4, U: 8 }[other]} hexadecimal digits`, at);
      }
      if (other === 'N' && !isBytes) {
        throw problem('\\N{...} escapes are not supported: write the character or a \\u escape', at);
      }
      add(simpleEscapes[other] ?? all);
    } else if (octal) {
      out.push(isBytes ? Number.parseInt(octal, 8) & 0xff : Number.parseInt(octal, 8));
    } else {
      const point = Number.parseInt(byte || short || long || '0', 16);
      if (point > 0x10ffff) throw problem('the escape \\U names no Unicode character', at);
      out.push(point);
    }
  }
  add(text.slice(last));
  return out;
}

const unprintable = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Zs}]/u;
const shortEscapes = new Map([
  [0x0a, '\\n'],
  [0x0d, '\\r'],
  [0x09, '\\t'],
  [0x5c, '\\\\'],
]);

function escapePoint(point: number, isBytes: boolean): string {
  const short = shortEscapes.get(point);
  if (short !== undefined) return short;
  if (point >= 0x20 && point < 0x7f) return String.fromCharCode(point);
  if (point >= 0x80 && !isBytes && !unprintable.test(String.fromCodePoint(point))) {
    return String.fromCodePoint(point);
  }
  const digits = point.toString(16);
  if (point < 0x100) return `\\x${digits.padStart(2, '0')}`;
  return point < 0x10000 ? `\\u${digits.padStart(4, '0')}` : `\\U${digits.padStart(8, '0')}`;
}

const singleQuote = 0x27;
const doubleQuote = 0x22;

function reprOf(points: CodePoints, isBytes: boolean): string {
  const quote = points.includes(singleQuote) && !points.includes(doubleQuote) ? doubleQuote : singleQuote;
  const mark = String.fromCharCode(quote);
  return `${mark}${points.map((point) => (point === quote ? `\\${mark}` : escapePoint(point, isBytes))).join('')}${mark}`;
}

/** `repr` of a string. */
export const reprOfText = (text: string): string => reprOf(pointsOf(text), false);

/** The string whose `repr` this is; undefined where half of a surrogate pair is in it. */
export function textOfRepr(repr: string): string | undefined {
  const points = cook(repr.slice(1, -1), false, { line: 1, column: 1 });
  const isHalf = points.some((point) => point >= 0xd800 && point < 0xe000);
  return isHalf ? undefined : String.fromCodePoint(...points);
}

/** Text escaped as `repr` escapes it, with no quotes around it and both kinds of quote left as they are. */
export const escapeText = (points: readonly number[]): string =>
  points.map((point) => escapePoint(point, false)).join('');

/** `repr` of the value of a string or bytes literal without f prefix; of bytes without the leading `b`. */
export function literalRepr(text: string, at: SourcePosition): string {
  const start = text.search(/['"]/);
  const prefix = text.slice(0, start).toLowerCase();
  const width = /^('''|""")/.test(text.slice(start)) ? 3 : 1;
  const body = text.slice(start + width, text.length - width);
  const isBytes = prefix.includes('b');
  if (isBytes && Array.from(body).some((char) => char > '\x7f'))
    throw problem('bytes can only contain ASCII literal characters', at);
  const points = prefix.includes('r') ? pointsOf(body) : cook(body, isBytes, at);
  return reprOf(points, isBytes);
}

/** The value of literal text of an f-string. */
export const literalText = (text: string, raw: boolean, at: SourcePosition): number[] =>
  raw ? pointsOf(text) : cook(text, false, at);
