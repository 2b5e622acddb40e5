/**
 * Whether two values, given as text, are equal as Python's `==` sees them: that is how CruxEval judges an answer (`assert f(...) == output`), so
 * `1.0` is as good as `1` and the order of a dict does not matter. Text that is no literal is compared as text.
 */
import { type LexicalToken, lex } from '../debugger/language/lexer.js';
import { literalRepr } from '../debugger/language/strings.js';
import { cutMark } from '../debugger/language/values.js';

/** Nesting of brackets; CPython's own parser takes 200. */
const maxNesting = 100;
/** Digits of an integer; CPython refuses longer ones. */
const maxDigits = 4300;

/** @returns true if both are equal; a value that was cut is equal to nothing, for what follows is not known */
export function valuesEqual(a: string, b: string): boolean {
  if (isCut(a) || isCut(b)) return false;
  const key = equalityKey(a);
  if (key !== null) return key === equalityKey(b);
  return a.trim() === b.trim();
}

/** Whether the text ends where the limit of a value's length cut it. */
export const isCut = (text: string): boolean => text.trimEnd().endsWith(cutMark);

/** A text that two literals share if and only if Python holds them equal; null: no literal. */
export function equalityKey(text: string): string | null {
  let tokens: readonly LexicalToken[];
  try {
    tokens = lex(text.trim());
    return new KeyReader(tokens).whole();
  } catch {
    // The lexer has no other way to say that this is not Python.
    return null;
  }
}

interface Key {
  readonly key: string;
  readonly isHashable: boolean;
}

const hashable = (key: string): Key => ({ key, isHashable: true });
const unhashable = (key: string): Key => ({ key, isHashable: false });

class KeyReader {
  private position = 0;
  private nesting = 0;

  constructor(private readonly tokens: readonly LexicalToken[]) {}

  whole(): string | null {
    const found = this.value();
    return found !== null && this.position === this.tokens.length ? found.key : null;
  }

  private get text(): string | undefined {
    return this.tokens[this.position]?.text;
  }

  private take(text: string): boolean {
    if (this.text !== text) return false;
    this.position += 1;
    return true;
  }

  private value(): Key | null {
    const token = this.tokens[this.position];
    if (token === undefined || this.nesting > maxNesting) return null;
    this.position += 1;
    if (token.kind === 'string' || token.kind === 'bytes') return this.string(token);
    if (token.kind === 'number') return numberKey(token.text, false);
    if (token.kind === 'name') return this.named(token.text);
    if (token.text === '-') return this.negative();
    this.nesting += 1;
    const found = this.bracket(token.text);
    this.nesting -= 1;
    return found;
  }

  private string(token: LexicalToken): Key | null {
    const next = this.tokens[this.position]?.kind;
    if (next === 'string' || next === 'bytes' || next === 'fstring') return null;
    const prefix = token.kind === 'bytes' ? 'b' : '';
    return hashable(prefix + literalRepr(token.text, { line: token.line, column: 1 }));
  }

  private negative(): Key | null {
    const operand = this.tokens[this.position];
    if (operand?.kind !== 'number') return null;
    this.position += 1;
    return numberKey(operand.text, true);
  }

  /** `None`, `True`, `False`, and the sets that have no literal of their own. */
  private named(name: string): Key | null {
    if (name === 'None') return hashable(name);
    if (name === 'True') return hashable('1');
    if (name === 'False') return hashable('0');
    if ((name !== 'set' && name !== 'frozenset') || !this.take('(')) return null;
    const isFrozen = name === 'frozenset';
    if (this.take(')')) return { key: '{}set', isHashable: isFrozen };
    if (!this.take('{')) return null;
    const inside = this.braces();
    // `set({...})` of a dict would be the set of its keys: no repr is written so.
    if (inside === null || !inside.key.endsWith('set') || !this.take(')')) return null;
    return { key: inside.key, isHashable: isFrozen };
  }

  private bracket(open: string): Key | null {
    if (open === '(') return this.tuple();
    if (open === '[') {
      const items = this.items(']');
      return items && unhashable(`[${items.map(({ key }) => key).join(',')}]`);
    }
    return open === '{' ? this.braces() : null;
  }

  private items(close: string): Key[] | null {
    const found: Key[] = [];
    while (!this.take(close)) {
      const item = this.value();
      if (item === null) return null;
      found.push(item);
      if (!this.take(',') && this.text !== close) return null;
    }
    return found;
  }

  private tuple(): Key | null {
    const items = this.items(')');
    if (items === null) return null;
    const [first] = items;
    const hasComma = this.tokens[this.position - 2]?.text === ',';
    if (first && items.length === 1 && !hasComma) return first;
    const key = `(${items.map(({ key }) => `${key},`).join('')})`;
    return { key, isHashable: items.every(({ isHashable }) => isHashable) };
  }

  /** A dict or a set, after its opening brace. */
  private braces(): Key | null {
    const pairs = new Map<string, string>();
    const items = new Set<string>();
    while (!this.take('}')) {
      const item = this.value();
      if (item === null || !item.isHashable) return null;
      if (this.take(':')) {
        const value = this.value();
        if (value === null) return null;
        pairs.set(item.key, value.key);
      } else items.add(item.key);
      if (!this.take(',') && this.text !== '}') return null;
    }
    if (items.size > 0 && pairs.size > 0) return null;
    if (items.size > 0) return unhashable(`{${[...items].sort().join(',')}}set`);
    const sorted = [...pairs].map(([name, value]) => `${name}:${value}`).sort();
    return unhashable(`{${sorted.join(',')}}`);
  }
}

/** Integers and floats of one value share a key; a number that JavaScript cannot tell from its neighbours has none. */
function numberKey(source: string, isNegative: boolean): Key | null {
  const text = source.replaceAll('_', '').toLowerCase();
  const sign = isNegative ? '-' : '';
  const signed = (digits: string): Key => hashable(digits === '0' ? digits : sign + digits);
  if (/^(0[xob][0-9a-f]+|[1-9]\d*|0+)$/.test(text))
    return text.length > maxDigits ? null : signed(BigInt(text).toString());
  if (text.endsWith('j')) return null;
  const value = Number(text);
  if (!Number.isFinite(value)) return null;
  return signed(Number.isInteger(value) ? BigInt(value).toString() : String(value));
}
