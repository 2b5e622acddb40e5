/**
 * The expressions of one line of code tokens, as a tree (docs/trace-language.md, section 9). The parser works on tokens of the language, so that lines
 * of a program and questions about a state are read alike. What it does not read (a line that goes on elsewhere, `:=`, `await`, `yield`) has no tree.
 */
import {
  charToken,
  charTokens,
  isDigitToken,
  isSlotToken,
  isWordToken,
  operatorToken,
  special,
  wordToken,
} from './tokens.js';

export type PartKind =
  | 'constant'
  | 'name'
  | 'text'
  | 'display'
  | 'comprehension'
  | 'generator'
  | 'lambda'
  | 'attribute'
  | 'call'
  | 'subscript'
  | 'slice'
  | 'star'
  | 'keyword'
  | 'unary'
  | 'not'
  | 'binary'
  | 'compare'
  | 'and'
  | 'or'
  | 'ternary';

/** An expression: the tokens `code[first .. end - 1]`, without brackets around it, and the expressions in it. `text` is an f-string. */
export interface Part {
  readonly kind: PartKind;
  readonly first: number;
  readonly end: number;
  /** `code[begin .. until - 1]` are the same with the brackets that only group. */
  readonly begin: number;
  readonly until: number;
  /**
   * In order of evaluation but for these: of a call the callee first; of a ternary the condition, what it is if that holds, what it is else; of a
   * comprehension or generator expression the first iterable, then all else.
   */
  readonly parts: readonly Part[];
  /** Slots that a comprehension, a generator expression or a lambda binds. */
  readonly bound: ReadonlySet<number>;
}

/** What a line computes. */
export interface LineParts {
  /** What its step shows by itself: what is assigned (but not by `+=` and its like) or returned, a condition, what a loop goes over. */
  readonly values: readonly Part[];
  /** What it needs besides: indices of what is assigned to, the right side of `+=` and its like. */
  readonly inner: readonly Part[];
  /** What the value is assigned to (but not by `+=` and its like), from left to right. */
  readonly targets: readonly Part[];
}

/** The tree of one expression (`a, b` too); undefined if it is not read. */
export const expressionParts = (code: ArrayLike<number>): Part | undefined =>
  read(code, (parser) => parser.several());

/**
 * The expressions of a line that is one simple statement, or the head of an `if`, `elif`, `while` or `for` with its colon at the end; undefined for
 * other lines.
 */
export const lineParts = (code: ArrayLike<number>): LineParts | undefined =>
  read(code, (parser) => parser.line());

/** Whether a part is of a kind whose value a state may tell: a name, or an attribute. */
export const isNamed = ({ kind }: Part): boolean => kind === 'name' || kind === 'attribute';

/** The tokens of a part, without brackets around it. */
export const partTokens = (code: ArrayLike<number>, { first, end }: Pick<Part, 'first' | 'end'>): number[] =>
  Array.from({ length: end - first }, (_, index) => code[first + index] as number);

/** The tokens are none of what is read here. */
class Unread extends Error {}

function read<Found>(code: ArrayLike<number>, parse: (parser: Parser) => Found): Found | undefined {
  const parser = new Parser(code);
  try {
    const found = parse(parser);
    parser.finish();
    return found;
  } catch (error) {
    if (error instanceof Unread || error instanceof RangeError) return undefined;
    throw error;
  }
}

const char = charToken;
const word = (text: string): number => wordToken(text) ?? -1;
/** Tokens of words and operators with a space between each. */
const tokensOf = (texts: string): number[] =>
  texts.split(' ').map((text) => wordToken(text) ?? operatorToken(text));

const pairs = new Map(
  ['()', '[]', '{}'].map(([open, close]) => [char(open as string), char(close as string)]),
);
const closings = new Set(pairs.values());
const keywords = new Set(
  tokensOf(
    'and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield',
  ),
);
const constants = new Set(tokensOf('True False None ...'));
const comparisons = new Set(tokensOf('< > in is == != <= >='));
/** The operators of augmented assignments. */
export const augmented: ReadonlySet<number> = new Set(tokensOf('+= -= *= /= //= %= **= @= &= |= ^= >>= <<='));
/** Operators of two operands, loosest first; those of one row group to the left. */
const binary = ['|', '^', '&', '<< >>', '+ -', '* / // % @'].map((row) => new Set(tokensOf(row)));
const unary = new Set(tokensOf('+ - ~'));
const quotes = new Set([char("'"), char('"')]);
const power = operatorToken('**');
const [dot, comma, colon, equals, star, slash] = charTokens('.,:=*/');
const none: ReadonlySet<number> = new Set();
const isLetter = (token: number): boolean => token >= char('a') && token <= char('z');
const isName = (token: number): boolean => isSlotToken(token) || isWordToken(token);

/** Most brackets within brackets. */
const mostNested = 24;

class Parser {
  private at = 0;
  private nested = 0;

  constructor(private readonly code: ArrayLike<number>) {}

  /** The token that many places ahead; the end token behind the last one. */
  private peek(ahead = 0): number {
    return this.code[this.at + ahead] ?? special.end;
  }

  private get previous(): number {
    return this.code[this.at - 1] ?? special.end;
  }

  /** Whether this token, or one of these, comes next; it is passed over. */
  private takes(expected: number | ReadonlySet<number>): boolean {
    const token = this.peek();
    const fits = typeof expected === 'number' ? token === expected : expected.has(token);
    const found = fits && this.at < this.code.length;
    if (found) this.at += 1;
    return found;
  }

  private expect(token: number): void {
    if (!this.takes(token)) this.fail();
  }

  private fail(): never {
    throw new Unread();
  }

  finish(): void {
    if (this.at < this.code.length) this.fail();
  }

  private part(kind: PartKind, first: number, parts: readonly Part[] = [], bound = none): Part {
    return { kind, first, end: this.at, begin: first, until: this.at, parts, bound };
  }

  line(): LineParts {
    const token = this.peek();
    if (token === word('if') || token === word('elif') || token === word('while')) {
      this.at += 1;
      return this.head();
    }
    if (token === word('for')) {
      this.at += 1;
      this.targets();
      this.expect(word('in'));
      return this.head();
    }
    if (token === word('return')) {
      this.at += 1;
      return shown(...(this.at < this.code.length ? [this.several()] : []));
    }
    if (token === word('assert')) {
      this.at += 1;
      const found = this.single();
      if (this.takes(comma)) this.single();
      return shown(found);
    }
    return this.statement();
  }

  private head(): LineParts {
    const found = this.several();
    this.expect(colon);
    return shown(found);
  }

  /** An expression, or an assignment of any kind. */
  private statement(): LineParts {
    let found = this.several();
    const targets: Part[] = [];
    if (this.takes(colon)) {
      this.single();
      if (this.at === this.code.length) return shown();
      targets.push(found);
      found = this.assigned();
    } else if (this.takes(augmented)) {
      return { ...shown(), inner: [...indicesOf(found), this.several()] };
    }
    while (this.peek() === equals) {
      targets.push(found);
      found = this.assigned();
    }
    return { values: [found], inner: targets.flatMap(indicesOf), targets };
  }

  private assigned(): Part {
    this.expect(equals);
    return this.several();
  }

  /** Expressions with commas between them make a tuple. */
  several(): Part {
    const first = this.at;
    const found = [this.item()];
    while (this.takes(comma)) if (this.starts()) found.push(this.item());
    const [only] = found;
    if (only !== undefined && found.length === 1 && this.previous !== comma) return only;
    return this.part('display', first, found);
  }

  /** Whether an expression can begin here. */
  private starts(): boolean {
    const token = this.peek();
    if (this.at >= this.code.length || token === equals || token === colon) return false;
    if (closings.has(token) || augmented.has(token)) return false;
    return !keywords.has(token) || token === word('not') || token === word('lambda');
  }

  private item(): Part {
    const first = this.at;
    if (!this.takes(star)) return this.single();
    const inner = this.binary(0);
    return this.part('star', first, [inner]);
  }

  /** One expression without commas. */
  private single(): Part {
    if (this.nested === mostNested) this.fail();
    this.nested += 1;
    const found = this.chosen();
    this.nested -= 1;
    return found;
  }

  private chosen(): Part {
    const first = this.at;
    if (this.takes(word('lambda'))) {
      const bound = this.parameters();
      const body = this.single();
      return this.part('lambda', first, [body], bound);
    }
    const found = this.either();
    if (!this.takes(word('if'))) return found;
    const condition = this.either();
    this.expect(word('else'));
    const other = this.single();
    return this.part('ternary', first, [condition, found, other]);
  }

  /** The names of a lambda without defaults, up to its colon. */
  private parameters(): Set<number> {
    const bound = new Set<number>();
    while (!this.takes(colon)) {
      const token = this.peek();
      if (isSlotToken(token)) bound.add(token);
      else if (token !== comma && token !== star && token !== power && token !== slash) this.fail();
      this.at += 1;
    }
    return bound;
  }

  private either(): Part {
    return this.joined('or', () => this.joined('and', () => this.negation()));
  }

  private joined(kind: 'and' | 'or', operand: () => Part): Part {
    const first = this.at;
    const only = operand();
    const found = [only];
    while (this.takes(word(kind))) found.push(operand());
    return found.length === 1 ? only : this.part(kind, first, found);
  }

  private negation(): Part {
    const first = this.at;
    if (this.takes(word('not'))) {
      const inner = this.negation();
      return this.part('not', first, [inner]);
    }
    const only = this.binary(0);
    const found = [only];
    while (this.comparison()) found.push(this.binary(0));
    return found.length === 1 ? only : this.part('compare', first, found);
  }

  private comparison(): boolean {
    const [token, next] = [this.peek(), this.peek(1)];
    const isTwoWords =
      (token === word('not') && next === word('in')) || (token === word('is') && next === word('not'));
    if (isTwoWords) this.at += 2;
    return isTwoWords || this.takes(comparisons);
  }

  private binary(level: number): Part {
    const operators = binary[level];
    if (operators === undefined) return this.unary();
    const first = this.at;
    let found = this.binary(level + 1);
    while (this.takes(operators)) {
      const other = this.binary(level + 1);
      found = this.part('binary', first, [found, other]);
    }
    return found;
  }

  private unary(): Part {
    const first = this.at;
    if (this.takes(unary)) {
      const inner = this.unary();
      return inner.kind === 'constant' ? this.part('constant', first) : this.part('unary', first, [inner]);
    }
    const found = this.primary();
    if (!this.takes(power)) return found;
    const other = this.unary();
    return this.part('binary', first, [found, other]);
  }

  private primary(): Part {
    const first = this.at;
    let found = this.atom();
    for (;;) {
      if (this.peek() === char('(')) {
        const given = this.arguments();
        found = this.part('call', first, [found, ...given]);
      } else if (this.takes(char('['))) {
        const index = this.index();
        found = this.part('subscript', first, [found, index]);
      } else if (this.peek() === dot && isName(this.peek(1))) {
        this.at += 2;
        found = this.part('attribute', first, [found]);
      } else return found;
    }
  }

  private arguments(): Part[] {
    this.expect(char('('));
    const found: Part[] = [];
    while (!this.takes(char(')'))) {
      found.push(this.argument());
      if (this.peek() !== char(')')) this.expect(comma);
    }
    return found;
  }

  private argument(): Part {
    const first = this.at;
    if (this.takes(star) || this.takes(power)) {
      const inner = this.single();
      return this.part('star', first, [inner]);
    }
    if (this.peek(1) === equals && isName(this.peek())) {
      this.at += 2;
      const inner = this.single();
      return this.part('keyword', first, [inner]);
    }
    const inner = this.single();
    return this.peek() === word('for') ? this.comprehension('generator', first, [inner]) : inner;
  }

  private index(): Part {
    const first = this.at;
    const found = [this.slice()];
    while (this.takes(comma)) if (this.peek() !== char(']')) found.push(this.slice());
    const [only] = found;
    const isOne = only !== undefined && found.length === 1 && this.previous !== comma;
    const made = isOne ? only : this.part('display', first, found);
    this.expect(char(']'));
    return made;
  }

  private slice(): Part {
    const first = this.at;
    const bounds: Part[] = [];
    let colons = 0;
    while (this.peek() !== comma && this.peek() !== char(']')) {
      if (this.takes(colon)) {
        colons += 1;
        if (colons > 2) this.fail();
        continue;
      }
      bounds.push(this.single());
      if (this.peek() !== colon && this.peek() !== comma && this.peek() !== char(']')) this.fail();
    }
    if (colons > 0) return this.part('slice', first, bounds);
    return bounds[0] ?? this.fail();
  }

  private atom(): Part {
    const first = this.at;
    const token = this.peek();
    if (pairs.has(token)) return this.bracketed();
    if (quotes.has(token) || token === special.bytes || token === special.fstring) return this.strings();
    if (isDigitToken(token) || (token === dot && isDigitToken(this.peek(1)))) {
      this.number();
      return this.part('constant', first);
    }
    if (this.takes(constants)) return this.part('constant', first);
    if (!isName(token) || keywords.has(token)) this.fail();
    this.at += 1;
    return this.part('name', first);
  }

  private number(): void {
    const isHexadecimal = this.peek() === char('0') && this.peek(1) === char('x');
    let hasDot = false;
    for (; ; this.at += 1) {
      const token = this.peek();
      const isSign =
        (token === char('+') || token === char('-')) &&
        !isHexadecimal &&
        this.previous === char('e') &&
        isDigitToken(this.peek(1));
      const isDot: boolean = token === dot && !hasDot && !isHexadecimal;
      if (!isDigitToken(token) && !isLetter(token) && !isDot && !isSign) return;
      hasDot ||= isDot;
    }
  }

  /** Strings that stand side by side are one. */
  private strings(): Part {
    const first = this.at;
    let kind: PartKind = 'constant';
    for (;;) {
      const token = this.peek();
      if (token === special.fstring) {
        kind = 'text';
        this.fstring();
      } else if (quotes.has(token) || token === special.bytes) {
        if (token === special.bytes) this.at += 1;
        this.quoted();
      } else return this.part(kind, first);
    }
  }

  private fstring(): void {
    let depth = 0;
    do {
      if (this.at >= this.code.length) this.fail();
      if (this.peek() === special.fstring) depth += 1;
      else if (this.peek() === special.fend) depth -= 1;
      this.at += 1;
    } while (depth > 0);
  }

  private quoted(): void {
    const quote = this.peek();
    if (!quotes.has(quote)) this.fail();
    this.at += 1;
    while (!this.takes(quote)) {
      if (this.at >= this.code.length) this.fail();
      this.at += this.peek() === char('\\') ? 2 : 1;
    }
  }

  private bracketed(): Part {
    const first = this.at;
    const opening = this.peek();
    const closing = pairs.get(opening) ?? this.fail();
    const isRound = opening === char('(');
    this.at += 1;
    const found: Part[] = [];
    while (!this.takes(closing)) {
      const items = this.entry(opening);
      if (this.peek() === word('for')) {
        if (found.length > 0) this.fail();
        const made = this.comprehension(isRound ? 'generator' : 'comprehension', first, items);
        this.expect(closing);
        return { ...made, end: this.at, until: this.at };
      }
      found.push(...items);
      if (this.peek() !== closing) this.expect(comma);
    }
    const [only] = found;
    const hasComma = this.code[this.at - 2] === comma;
    return isRound && found.length === 1 && only !== undefined && !hasComma
      ? { ...only, begin: first, until: this.at }
      : this.part('display', first, found);
  }

  /** One item of a display: of a dict its key and its value. */
  private entry(opening: number): Part[] {
    const first = this.at;
    if (opening !== char('{')) return [this.item()];
    if (this.takes(power)) {
      const inner = this.binary(0);
      return [this.part('star', first, [inner])];
    }
    const key = this.item();
    return this.takes(colon) ? [key, this.single()] : [key];
  }

  /** The clauses behind the items of a comprehension that begins at `first`. */
  private comprehension(kind: PartKind, first: number, items: readonly Part[]): Part {
    const bound = new Set<number>();
    const iterables: Part[] = [];
    const others = [...items];
    for (;;) {
      if (this.takes(word('if'))) others.push(this.either());
      else if (this.takes(word('for'))) {
        const begin = this.at;
        this.targets();
        for (let at = begin; at < this.at; at += 1) {
          const token = this.code[at] as number;
          if (isSlotToken(token)) bound.add(token);
        }
        this.expect(word('in'));
        iterables.push(this.either());
      } else return this.part(kind, first, [...iterables, ...others], bound);
    }
  }

  /** What a loop assigns to, up to its `in`. */
  private targets(): void {
    do {
      this.takes(star);
      this.primary();
    } while (this.takes(comma) && this.peek() !== word('in'));
  }
}

/** A line that shows what it computes, and needs nothing besides. */
const shown = (...values: Part[]): LineParts => ({ values, inner: [], targets: [] });

/** The indices in what is assigned to, in order of evaluation. */
function indicesOf({ kind, parts }: Part): readonly Part[] {
  const [base, index] = parts;
  if (kind === 'display' || kind === 'star') return parts.flatMap(indicesOf);
  if (base === undefined) return [];
  if (kind === 'subscript' && index !== undefined) return [...indicesOf(base), index];
  return kind === 'attribute' ? indicesOf(base) : [];
}
