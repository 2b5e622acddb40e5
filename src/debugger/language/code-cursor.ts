/** A place in code tokens that are read from left to right: what comes next there, and the part of their tree that ends there. */
import { type Part, type PartKind, partTokens } from './parts.js';
import { special } from './tokens.js';

/** The tokens are none of what is read here. */
class Unread extends Error {}

const none: ReadonlySet<number> = new Set();

export class CodeCursor {
  constructor(
    private readonly code: ArrayLike<number>,
    private index = 0,
  ) {}

  /** The index of the token that comes next. */
  get at(): number {
    return this.index;
  }

  get isAtEnd(): boolean {
    return this.index >= this.code.length;
  }

  /** The token that many places ahead; the end token behind the last one. */
  peek(ahead = 0): number {
    return this.code[this.index + ahead] ?? special.end;
  }

  /** The tokens passed from that index on. */
  since(first: number): number[] {
    return partTokens(this.code, { first, end: this.index });
  }

  pass(count = 1): void {
    this.index += count;
  }

  /** Whether this token, or one of these, comes next; it is passed over. */
  takes(expected: number | ReadonlySet<number>): boolean {
    const token = this.peek();
    const fits = typeof expected === 'number' ? token === expected : expected.has(token);
    const found = fits && !this.isAtEnd;
    if (found) this.pass();
    return found;
  }

  expect(token: number): void {
    if (!this.takes(token)) this.fail();
  }

  fail(): never {
    throw new Unread();
  }

  /** The part that begins at `first` and ends here. */
  part(kind: PartKind, first: number, parts: readonly Part[] = [], bound = none): Part {
    return { kind, first, end: this.index, begin: first, until: this.index, parts, bound };
  }
}

/** What `parse` makes of all of the tokens; undefined if it does not read them up to their end. */
export const read = <Found>(
  code: ArrayLike<number>,
  parse: (cursor: CodeCursor) => Found,
): Found | undefined =>
  readFirst(code, (cursor) => {
    const found = parse(cursor);
    if (!cursor.isAtEnd) cursor.fail();
    return found;
  });

/** What `parse` makes of the tokens from the first on, as many as it reads; undefined if it does not read them. */
export const readFirst = <Found>(
  code: ArrayLike<number>,
  parse: (cursor: CodeCursor) => Found,
): Found | undefined => readFrom(code, 0, parse);

/** The same of the tokens from this index on. */
export function readFrom<Found>(
  code: ArrayLike<number>,
  first: number,
  parse: (cursor: CodeCursor) => Found,
): Found | undefined {
  try {
    return parse(new CodeCursor(code, first));
  } catch (error) {
    if (error instanceof Unread || error instanceof RangeError) return undefined;
    throw error;
  }
}
