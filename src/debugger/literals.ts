/** Literal Python expressions to their canonical `repr`, without running anything. */
import type { LexicalToken } from './language/lexer.js';
import { literalRepr } from './language/strings.js';
import { cutMark, longestText } from './language/values.js';

/** Nesting of brackets; CPython's own parser takes 200. */
const maxNesting = 100;
/** Digits of a number; CPython refuses longer ones. */
const maxDigits = 4300;

interface Literal {
  readonly text: string;
  /** Equal for values that Python holds equal (1, 1.0 and True); null: not hashable. */
  readonly key: string | null;
}

/** The canonical form of a value's whole repr, or of one that is cut already, of at most so many characters. */
export function boundedRepr(text: string, most = longestText): string {
  if (text.length <= most) return text;
  const characters = Array.from(text);
  return characters.length <= most ? text : characters.slice(0, most - 1).join('') + cutMark;
}

/** Reads literals off a token list; every method gives null where the text is not a plain literal. */
export class LiteralReader {
  private nesting = 0;

  constructor(
    private readonly tokens: readonly LexicalToken[],
    public position = 0,
  ) {}

  get atEnd(): boolean {
    return this.position >= this.tokens.length;
  }

  is(text: string, ahead = 0): boolean {
    return this.tokens[this.position + ahead]?.text === text;
  }

  take(text: string): boolean {
    if (!this.is(text)) return false;
    this.position += 1;
    return true;
  }

  /** The canonical, bounded repr of the literal here. */
  value(): string | null {
    const literal = this.literal();
    return literal && boundedRepr(literal.text);
  }

  private literal(): Literal | null {
    const token = this.tokens[this.position];
    if (token === undefined || this.nesting > maxNesting) return null;
    this.position += 1;
    if (token.kind === 'string' || token.kind === 'bytes') return this.text(token);
    if (token.kind === 'number') return numberLiteral(token.text);
    if (token.kind === 'name') return constantLiteral(token.text);
    if (token.text === '-') return this.negative();
    const read = { '(': this.tuple, '[': this.list, '{': this.braces }[token.text];
    if (!read) return null;
    this.nesting += 1;
    const found = read.call(this);
    this.nesting -= 1;
    return found;
  }

  /** One string; adjacent strings would have to be joined before their repr is known. */
  private text(token: LexicalToken): Literal | null {
    const next = this.tokens[this.position]?.kind;
    if (next === 'string' || next === 'bytes' || next === 'fstring') return null;
    const prefix = token.kind === 'bytes' ? 'b' : '';
    const text = prefix + literalRepr(token.text, { line: token.line, column: 1 });
    return { text, key: text };
  }

  private negative(): Literal | null {
    const operand = this.tokens[this.position];
    if (operand?.kind !== 'number') return null;
    this.position += 1;
    const number = numberLiteral(operand.text);
    if (number === null || number.text === '0') return number;
    return { text: `-${number.text}`, key: number.key === zeroKey ? zeroKey : `-${number.key}` };
  }

  private items(close: string): Literal[] | null {
    const found: Literal[] = [];
    while (!this.take(close)) {
      const item = this.literal();
      if (item === null || !(this.is(',') || this.is(close))) return null;
      found.push(item);
      this.take(',');
    }
    return found;
  }

  private tuple(): Literal | null {
    const items = this.items(')');
    if (items === null) return null;
    const [first] = items;
    const comma = this.tokens[this.position - 2]?.text === ',';
    if (first && items.length === 1 && !comma) return first;
    const inside = items.map(({ text }) => text).join(', ');
    const keys = items.map(({ key }) => key);
    return {
      text: items.length === 1 ? `(${inside},)` : `(${inside})`,
      key: keys.includes(null) ? null : `(${keys.join()})`,
    };
  }

  private list(): Literal | null {
    const items = this.items(']');
    return items && { text: `[${items.map(({ text }) => text).join(', ')}]`, key: null };
  }

  private braces(): Literal | null {
    if (this.take('}')) return { text: '{}', key: null };
    const start = this.position;
    const first = this.literal();
    if (first === null) return null;
    const isDict = this.is(':');
    this.position = start;
    return isDict ? this.dict() : this.set();
  }

  /** Of equal items the first stays. */
  private set(): Literal | null {
    const items = this.items('}');
    if (items === null) return null;
    const distinct = new Map<string, string>();
    for (const { key, text } of items) {
      if (key === null) return null;
      if (!distinct.has(key)) distinct.set(key, text);
    }
    return { text: `{${[...distinct.values()].sort(byCodePoint).join(', ')}}`, key: null };
  }

  /** Of equal keys the first stays, with the last value. */
  private dict(): Literal | null {
    const pairs = new Map<string, { readonly name: string; value: string }>();
    while (!this.take('}')) {
      const name = this.literal();
      if (name === null || name.key === null || !this.take(':')) return null;
      const value = this.literal();
      if (value === null || !(this.is(',') || this.is('}'))) return null;
      const known = pairs.get(name.key);
      if (known) known.value = value.text;
      else pairs.set(name.key, { name: name.text, value: value.text });
      this.take(',');
    }
    return {
      text: `{${[...pairs.values()].map(({ name, value }) => `${name}: ${value}`).join(', ')}}`,
      key: null,
    };
  }
}

/** Python compares strings by code point, JavaScript by UTF-16 unit. */
function byCodePoint(a: string, b: string): number {
  const left = Array.from(a);
  const right = Array.from(b);
  for (let index = 0; index < Math.min(left.length, right.length); index += 1) {
    const difference = (left[index]?.codePointAt(0) ?? 0) - (right[index]?.codePointAt(0) ?? 0);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

function constantLiteral(name: string): Literal | null {
  if (name === 'None') return { text: name, key: name };
  return name === 'True' || name === 'False' ? { text: name, key: name === 'True' ? '1' : zeroKey } : null;
}

const zeroKey = '0';

function numberLiteral(source: string): Literal | null {
  const text = source.replaceAll('_', '').toLowerCase();
  if (text.endsWith('j') && !text.startsWith('0x')) return null;
  if (/^(0[xob][0-9a-f]+|[1-9]\d*|0+)$/.test(text)) {
    if (text.length > maxDigits) return null;
    const digits = BigInt(text).toString();
    return { text: digits, key: digits };
  }
  if (!/[.e]/.test(text)) return null;
  const value = Number(text);
  return { text: floatRepr(value), key: Number.isInteger(value) ? BigInt(value).toString() : String(value) };
}

/** `repr` of a number as it is written in code; undefined for one that is imaginary, or none. */
export const numberText = (source: string): string | undefined => numberLiteral(source)?.text;

/** `repr` of a float: the same shortest digits as JavaScript's, other rules for when to use an exponent. */
export function floatRepr(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  const sign = value < 0 || Object.is(value, -0) ? '-' : '';
  if (!Number.isFinite(value)) return `${sign}inf`;
  const [mantissa = '0', exponentText = '0'] = Math.abs(value).toExponential().split('e');
  const exponent = Number(exponentText);
  const digits = mantissa.replace('.', '');
  if (exponent < -4 || exponent >= 16) {
    const magnitude = String(Math.abs(exponent)).padStart(2, '0');
    return `${sign}${mantissa}e${exponent < 0 ? '-' : '+'}${magnitude}`;
  }
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`;
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, '0');
  return `${sign}${whole}.${digits.slice(exponent + 1) || '0'}`;
}
