/** What the operators of an expression join, from `or` down to `**`. */
import type { CodeCursor } from './code-cursor.js';
import type { Part } from './parts.js';
import { codeTokens, operatorToken, wordTokens } from './tokens.js';

const [or, and, not] = wordTokens('or and not') as [number, number, number];
const [inWord, is] = wordTokens('in is') as [number, number];
const comparisons = new Set(codeTokens('< > in is == != <= >='));
/** Operators of two operands, loosest first; those of one row group to the left. */
const binary = ['|', '^', '&', '<< >>', '+ -', '* / // % @'].map((row) => new Set(codeTokens(row)));
const unary = new Set(codeTokens('+ - ~'));
const power = operatorToken('**');

/** The operators of augmented assignments. */
export const augmented: ReadonlySet<number> = new Set(
  codeTokens('+= -= *= /= //= %= **= @= &= |= ^= >>= <<='),
);

export class OperatorParser {
  /** `primary` reads what stands between operators. */
  constructor(
    private readonly code: CodeCursor,
    private readonly primary: () => Part,
  ) {}

  /** What `or` and all that binds closer joins. */
  either(): Part {
    return this.joined('or', or, () => this.joined('and', and, () => this.negation()));
  }

  /** What operators on numbers and sets join. */
  arithmetic(): Part {
    return this.binary(0);
  }

  private joined(kind: 'and' | 'or', word: number, operand: () => Part): Part {
    const first = this.code.at;
    const only = operand();
    const found = [only];
    while (this.code.takes(word)) found.push(operand());
    return found.length === 1 ? only : this.code.part(kind, first, found);
  }

  private negation(): Part {
    const first = this.code.at;
    if (this.code.takes(not)) {
      const inner = this.negation();
      return this.code.part('not', first, [inner]);
    }
    const only = this.arithmetic();
    const found = [only];
    while (this.comparison()) found.push(this.arithmetic());
    return found.length === 1 ? only : this.code.part('compare', first, found);
  }

  private comparison(): boolean {
    const [token, next] = [this.code.peek(), this.code.peek(1)];
    const isTwoWords = (token === not && next === inWord) || (token === is && next === not);
    if (isTwoWords) this.code.pass(2);
    return isTwoWords || this.code.takes(comparisons);
  }

  private binary(level: number): Part {
    const operators = binary[level];
    if (operators === undefined) return this.unary();
    const first = this.code.at;
    let found = this.binary(level + 1);
    while (this.code.takes(operators)) {
      const other = this.binary(level + 1);
      found = this.code.part('binary', first, [found, other]);
    }
    return found;
  }

  private unary(): Part {
    const first = this.code.at;
    if (this.code.takes(unary)) {
      const inner = this.unary();
      if (inner.kind === 'constant') return this.code.part('constant', first);
      return this.code.part('unary', first, [inner]);
    }
    const found = this.primary();
    if (!this.code.takes(power)) return found;
    const other = this.unary();
    return this.code.part('binary', first, [found, other]);
  }
}
