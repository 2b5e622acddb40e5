/**
 * The tree of an expression of code tokens (docs/trace-language.md, section 9). The parser works on tokens of the language, so that lines of a program and
 * questions about a state are read alike. What it does not read (a line that goes on elsewhere, `:=`, `await`, `yield`) has no tree.
 */
import { type CodeCursor, read } from './code-cursor.js';
import { literalPart } from './literal-parts.js';
import { augmented, OperatorParser } from './operators.js';
import type { Part, PartKind } from './parts.js';
import { charTokens, codeTokens, isSlotToken, isWordToken, operatorToken, wordTokens } from './tokens.js';

/** The tree of one expression (`a, b` too); undefined if it is not read. */
export const expressionParts = (tokens: ArrayLike<number>): Part | undefined =>
  read(tokens, (code) => new ExpressionParser(code).several());

const pairs = new Map((['()', '[]', '{}'] as const).map(charTokens));
const closings = new Set(pairs.values());
const keywords = new Set(
  codeTokens(
    'and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield',
  ),
);
const [lambda, not] = wordTokens('lambda not') as [number, number];
const [ifWord, elseWord] = wordTokens('if else') as [number, number];
const [forWord, inWord] = wordTokens('for in') as [number, number];
const power = operatorToken('**');
const [dot, comma, colon, equals, star, slash] = charTokens('.,:=*/');
const [round, roundEnd, square, squareEnd, brace] = charTokens('()[]{');
const isName = (token: number): boolean => isSlotToken(token) || isWordToken(token);

/** Most brackets within brackets. */
const mostNested = 24;

export class ExpressionParser {
  private readonly operators: OperatorParser;
  private nested = 0;

  constructor(private readonly code: CodeCursor) {
    this.operators = new OperatorParser(code, () => this.primary());
  }

  /** Expressions with commas between them make a tuple. */
  several(): Part {
    const first = this.code.at;
    const found = [this.item()];
    while (this.code.takes(comma)) if (this.starts()) found.push(this.item());
    const [only] = found;
    if (only !== undefined && found.length === 1 && this.code.peek(-1) !== comma) return only;
    return this.code.part('display', first, found);
  }

  /** Whether an expression can begin here. */
  private starts(): boolean {
    const token = this.code.peek();
    if (this.code.isAtEnd || token === equals || token === colon) return false;
    if (closings.has(token) || augmented.has(token)) return false;
    return !keywords.has(token) || token === not || token === lambda;
  }

  private item(): Part {
    const first = this.code.at;
    if (!this.code.takes(star)) return this.single();
    const inner = this.operators.arithmetic();
    return this.code.part('star', first, [inner]);
  }

  /** One expression without commas. */
  single(): Part {
    if (this.nested === mostNested) this.code.fail();
    this.nested += 1;
    const found = this.chosen();
    this.nested -= 1;
    return found;
  }

  private chosen(): Part {
    const first = this.code.at;
    if (this.code.takes(lambda)) {
      const bound = this.parameters();
      const body = this.single();
      return this.code.part('lambda', first, [body], bound);
    }
    const found = this.operators.either();
    if (!this.code.takes(ifWord)) return found;
    const condition = this.operators.either();
    this.code.expect(elseWord);
    const other = this.single();
    return this.code.part('ternary', first, [condition, found, other]);
  }

  /** The names of a lambda without defaults, up to its colon. */
  private parameters(): Set<number> {
    const bound = new Set<number>();
    while (!this.code.takes(colon)) {
      const token = this.code.peek();
      if (isSlotToken(token)) bound.add(token);
      else if (token !== comma && token !== star && token !== power && token !== slash) this.code.fail();
      this.code.pass();
    }
    return bound;
  }

  private primary(): Part {
    const first = this.code.at;
    let found = this.atom();
    for (;;) {
      if (this.code.takes(round)) {
        const given = this.arguments();
        found = this.code.part('call', first, [found, ...given]);
      } else if (this.code.takes(square)) {
        const index = this.index();
        found = this.code.part('subscript', first, [found, index]);
      } else if (this.code.peek() === dot && isName(this.code.peek(1))) {
        this.code.pass(2);
        found = this.code.part('attribute', first, [found]);
      } else return found;
    }
  }

  private arguments(): Part[] {
    const found: Part[] = [];
    while (!this.code.takes(roundEnd)) {
      found.push(this.argument());
      if (this.code.peek() !== roundEnd) this.code.expect(comma);
    }
    return found;
  }

  private argument(): Part {
    const first = this.code.at;
    if (this.code.takes(star) || this.code.takes(power)) {
      const inner = this.single();
      return this.code.part('star', first, [inner]);
    }
    if (this.code.peek(1) === equals && isName(this.code.peek())) {
      this.code.pass(2);
      const inner = this.single();
      return this.code.part('keyword', first, [inner]);
    }
    const inner = this.single();
    return this.code.peek() === forWord ? this.comprehension('generator', first, [inner]) : inner;
  }

  private index(): Part {
    const first = this.code.at;
    const found = [this.slice()];
    while (this.code.takes(comma)) if (this.code.peek() !== squareEnd) found.push(this.slice());
    const [only] = found;
    const isOne = only !== undefined && found.length === 1 && this.code.peek(-1) !== comma;
    const made = isOne ? only : this.code.part('display', first, found);
    this.code.expect(squareEnd);
    return made;
  }

  private slice(): Part {
    const first = this.code.at;
    const bounds: Part[] = [];
    let colons = 0;
    while (this.code.peek() !== comma && this.code.peek() !== squareEnd) {
      if (this.code.takes(colon)) {
        colons += 1;
        if (colons > 2) this.code.fail();
        continue;
      }
      bounds.push(this.single());
      const next = this.code.peek();
      if (next !== colon && next !== comma && next !== squareEnd) this.code.fail();
    }
    if (colons > 0) return this.code.part('slice', first, bounds);
    return bounds[0] ?? this.code.fail();
  }

  private atom(): Part {
    const first = this.code.at;
    const token = this.code.peek();
    if (pairs.has(token)) return this.bracketed();
    const literal = literalPart(this.code);
    if (literal !== undefined) return literal;
    if (!isName(token) || keywords.has(token)) this.code.fail();
    this.code.pass();
    return this.code.part('name', first);
  }

  private bracketed(): Part {
    const first = this.code.at;
    const opening = this.code.peek();
    const closing = pairs.get(opening) ?? this.code.fail();
    const isRound = opening === round;
    this.code.pass();
    const found: Part[] = [];
    while (!this.code.takes(closing)) {
      const items = this.entry(opening);
      if (this.code.peek() === forWord) {
        if (found.length > 0) this.code.fail();
        const made = this.comprehension(isRound ? 'generator' : 'comprehension', first, items);
        this.code.expect(closing);
        return { ...made, end: this.code.at, until: this.code.at };
      }
      found.push(...items);
      if (this.code.peek() !== closing) this.code.expect(comma);
    }
    const [only] = found;
    const hasComma = this.code.peek(-2) === comma;
    return isRound && found.length === 1 && only !== undefined && !hasComma
      ? { ...only, begin: first, until: this.code.at }
      : this.code.part('display', first, found);
  }

  /** One item of a display: of a dict its key and its value. */
  private entry(opening: number): Part[] {
    const first = this.code.at;
    if (opening !== brace) return [this.item()];
    if (this.code.takes(power)) {
      const inner = this.operators.arithmetic();
      return [this.code.part('star', first, [inner])];
    }
    const key = this.item();
    return this.code.takes(colon) ? [key, this.single()] : [key];
  }

  /** The clauses behind the items of a comprehension that begins at `first`. */
  private comprehension(kind: PartKind, first: number, items: readonly Part[]): Part {
    const bound = new Set<number>();
    const iterables: Part[] = [];
    const others = [...items];
    for (;;) {
      if (this.code.takes(ifWord)) others.push(this.operators.either());
      else if (this.code.takes(forWord)) {
        const begin = this.code.at;
        this.targets();
        for (const token of this.code.since(begin)) if (isSlotToken(token)) bound.add(token);
        this.code.expect(inWord);
        iterables.push(this.operators.either());
      } else return this.code.part(kind, first, [...iterables, ...others], bound);
    }
  }

  /** What a loop assigns to, up to its `in`. */
  targets(): void {
    do {
      this.code.takes(star);
      this.primary();
    } while (this.code.takes(comma) && this.code.peek() !== inWord);
  }
}
