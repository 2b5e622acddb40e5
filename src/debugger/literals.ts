/** Literal Python expressions to their canonical `repr`, without running anything. */
import type { LexicalToken } from './language/lexer.js';
import { literalRepr } from './language/strings.js';
import { cutMark } from './language/values.js';

/** Characters of a value; longer ones are cut, as the tracer cuts them. */
export const maxValueLength = 256;

/** A literal's repr and whether it can be a set item or dict key. */
interface Literal {
  readonly text: string;
  readonly hashable: boolean;
}

/** Reads literals off a token list; every method gives null where the text is not a plain literal. */
export class LiteralReader {
  position: number;

  constructor(
    private readonly tokens: readonly LexicalToken[],
    position = 0,
  ) {
    this.position = position;
  }

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
    if (literal === null) return null;
    return literal.text.length <= maxValueLength ? literal.text : literal.text.slice(0, maxValueLength - 1) + cutMark;
  }

  private literal(): Literal | null {
    const token = this.tokens[this.position];
    if (token === undefined) return null;
    if (token.kind === 'string' || token.kind === 'bytes') return this.text(token);
    this.position += 1;
    if (token.kind === 'number') return numberLiteral(token.text);
    if (token.kind === 'name') {
      return ['None', 'True', 'False'].includes(token.text) ? { text: token.text, hashable: true } : null;
    }
    switch (token.text) {
      case '-':
        return this.negative();
      case '(':
        return this.tuple();
      case '[':
        return this.list();
      case '{':
        return this.braces();
      default:
        return null;
    }
  }

  /** One string; adjacent strings would have to be joined before their repr is known. */
  private text(token: LexicalToken): Literal | null {
    this.position += 1;
    const next = this.tokens[this.position]?.kind;
    if (next === 'string' || next === 'bytes' || next === 'fstring') return null;
    const prefix = token.kind === 'bytes' ? 'b' : '';
    return { text: prefix + literalRepr(token.text, { line: token.line, column: 1 }), hashable: true };
  }

  private negative(): Literal | null {
    const operand = this.tokens[this.position];
    if (operand?.kind !== 'number') return null;
    this.position += 1;
    const number = numberLiteral(operand.text);
    if (number === null) return null;
    return number.text === '0' ? number : { ...number, text: `-${number.text}` };
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
    const start = this.position;
    const items = this.items(')');
    if (items === null) return null;
    const comma = this.tokens[this.position - 2]?.text === ',';
    if (items.length === 1 && !comma) return items[0] as Literal;
    if (items.length === 0 && this.position - start > 1) return null;
    const inside = items.map(({ text }) => text).join(', ');
    return { text: items.length === 1 ? `(${inside},)` : `(${inside})`, hashable: items.every(({ hashable }) => hashable) };
  }

  private list(): Literal | null {
    const items = this.items(']');
    return items && { text: `[${items.map(({ text }) => text).join(', ')}]`, hashable: false };
  }

  private braces(): Literal | null {
    if (this.take('}')) return { text: '{}', hashable: false };
    const start = this.position;
    const first = this.literal();
    this.position = start;
    if (first === null) return null;
    const probe = new LiteralReader(this.tokens, start);
    probe.literal();
    return probe.is(':') ? this.dict() : this.set();
  }

  private set(): Literal | null {
    const items = this.items('}');
    if (items === null || !distinct(items)) return null;
    const sorted = items.map(({ text }) => text).sort(byCodePoint);
    return { text: `{${sorted.join(', ')}}`, hashable: false };
  }

  private dict(): Literal | null {
    const keys: Literal[] = [];
    const pairs: string[] = [];
    while (!this.take('}')) {
      const key = this.literal();
      if (key === null || !this.take(':')) return null;
      const value = this.literal();
      if (value === null || !(this.is(',') || this.is('}'))) return null;
      keys.push(key);
      pairs.push(`${key.text}: ${value.text}`);
      this.take(',');
    }
    return distinct(keys) ? { text: `{${pairs.join(', ')}}`, hashable: false } : null;
  }
}

/** Keys that are hashable and surely not equal; 1, 1.0 and True are equal, so mixed numbers are given up on. */
function distinct(items: readonly Literal[]): boolean {
  const numbers = new Set(items.filter(({ text }) => /^[-\dTF]/.test(text)).map(({ text }) => (/^-?\d+$/.test(text) ? 'int' : text)));
  return items.every(({ hashable }) => hashable) && new Set(items.map(({ text }) => text)).size === items.length && numbers.size <= 1;
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

function numberLiteral(source: string): Literal | null {
  const text = source.replaceAll('_', '').toLowerCase();
  if (text.endsWith('j')) return null;
  if (/^(0[xob][0-9a-f]+|[1-9]\d*|0+)$/.test(text)) return { text: BigInt(text).toString(), hashable: true };
  return /[.e]/.test(text) ? { text: floatRepr(Number(text)), hashable: true } : null;
}

/** `repr` of a float: the same shortest digits as JavaScript's, other rules for when to use an exponent. */
export function floatRepr(value: number): string {
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : value < 0 ? '-inf' : 'nan';
  const sign = value < 0 || Object.is(value, -0) ? '-' : '';
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
