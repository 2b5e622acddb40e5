/** The expressions of a line of code that is one simple statement, or the head of an `if`, `elif`, `while` or `for`. */
import { type CodeCursor, read } from './code-cursor.js';
import { ExpressionParser } from './expression-parts.js';
import { augmented } from './operators.js';
import type { Part } from './parts.js';
import { charTokens, wordTokens } from './tokens.js';

/** What a line computes. */
export interface LineParts {
  /** What its step shows by itself: what is assigned (but not by `+=` and its like), returned or yielded, a condition, what a loop goes over. */
  readonly values: readonly Part[];
  /** What it needs besides: indices of what is assigned to, the right side of `+=` and its like, the condition of an `assert`. */
  readonly inner: readonly Part[];
  /** What the value is assigned to (but not by `+=` and its like), from left to right. */
  readonly targets: readonly Part[];
}

/** The expressions of a line, of a head with its colon at the end; undefined for lines that are not read. */
export const lineParts = (tokens: ArrayLike<number>): LineParts | undefined =>
  read(tokens, (code) => new LineParser(code).line());

const conditional = new Set(wordTokens('if elif while'));
const [forWord, inWord] = wordTokens('for in') as [number, number];
const giving = new Set(wordTokens('return yield'));
const [assert] = wordTokens('assert') as [number];
const [comma, colon, equals] = charTokens(',:=');

class LineParser {
  private readonly expressions: ExpressionParser;

  constructor(private readonly code: CodeCursor) {
    this.expressions = new ExpressionParser(code);
  }

  line(): LineParts {
    if (this.code.takes(conditional)) return this.head();
    if (this.code.takes(forWord)) {
      this.expressions.targets();
      this.code.expect(inWord);
      return this.head();
    }
    if (this.code.takes(giving)) return shown(...(this.code.isAtEnd ? [] : [this.expressions.several()]));
    if (this.code.takes(assert)) {
      const found = this.expressions.single();
      if (this.code.takes(comma)) this.expressions.single();
      return { ...shown(), inner: [found] };
    }
    return this.statement();
  }

  private head(): LineParts {
    const found = this.expressions.several();
    this.code.expect(colon);
    return shown(found);
  }

  /** An expression, or an assignment of any kind. */
  private statement(): LineParts {
    let found = this.expressions.several();
    const targets: Part[] = [];
    if (this.code.takes(colon)) {
      this.expressions.single();
      if (this.code.isAtEnd) return shown();
      targets.push(found);
      found = this.assigned();
    } else if (this.code.takes(augmented)) {
      return { ...shown(), inner: [...indicesOf(found), this.expressions.several()] };
    }
    while (this.code.peek() === equals) {
      targets.push(found);
      found = this.assigned();
    }
    return { values: [found], inner: targets.flatMap(indicesOf), targets };
  }

  private assigned(): Part {
    this.code.expect(equals);
    return this.expressions.several();
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
