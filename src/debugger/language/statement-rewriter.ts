/** Rewrites of statements: `with`, `for`, `match`, `case` and decorators as the Lezer grammar knows them. */
import type { LexicalToken } from './lexer.js';
import { keywords } from './source-checks.js';
import { closing, opening, TokenRewriter } from './token-rewriter.js';

/** Operators of conditions; `not` has a rule of its own. */
const conditional = new Set('< > <= >= == != and or in is if else :='.split(' '));

export class StatementRewriter extends TokenRewriter {
  /** `index`: of the first word of a statement, or the one after `async`. */
  protected statement(index: number): void {
    const text = this.tokens[index]?.text;
    if (text === 'with') this.withStatement(index);
    else if (text === 'for') this.forStatement(index);
    else if (text === 'match') this.matchStatement(index);
    else if (text === 'case') this.caseClause(index);
    else if (text === '@') this.decoratorLines(index);
  }

  // Operators.

  /**
   * What a grammar of arithmetic does not know becomes arithmetic: both read the same names on the same lines. False where that cannot be: of a
   * lambda, or a `:=` whose target is no name.
   */
  private asArithmetic(indexes: readonly number[]): boolean {
    if (indexes.some((index) => this.is(index, 'lambda'))) return false;
    const [first, last] = [indexes[0], indexes.at(-1)];
    if (first !== undefined && last !== undefined)
      this.rewrites.expressions.push({ start: this.start(first), end: this.end(last) });
    for (const [at, index] of indexes.entries()) {
      const { kind, text } = this.tokens[index] as LexicalToken;
      if (kind !== 'operator' && kind !== 'name') continue;
      if (text === 'not') this.edit(index, this.is(index - 1, 'is') || this.is(index + 1, 'in') ? '' : '-');
      else if (text === ':=') {
        const isPlain = this.tokens[index - 1]?.kind === 'name' && (at === 1 || this.is(index - 2, ','));
        if (!isPlain) return false;
        this.edit(index, '+');
        this.rewrites.binds.add(this.start(index - 1));
      } else if (conditional.has(text)) this.edit(index, '+');
    }
    return true;
  }

  // Decorators.

  /**
   * Decorators from `index` on: if one is more than a dotted name and a call of it, the `@` of each becomes `-`, and it an expression statement.
   */
  private decoratorLines(index: number): void {
    if (this.rewrites.decorators.has(this.start(index))) return;
    const starts: number[] = [];
    let isPlain = true;
    for (let at = index; this.is(at, '@'); ) {
      starts.push(at);
      const end = this.lineEnd(at);
      isPlain &&= this.dottedCallEnd(at + 1) === end;
      at = end;
    }
    if (isPlain) return;
    for (const at of starts) {
      const end = this.lineEnd(at);
      this.edit(at, '-');
      this.rewrites.decorators.add(this.start(at));
      this.asArithmetic(this.outside(at + 1, (inside) => inside < end));
    }
  }

  /** Index after a dotted name and, if there is one, its argument list. */
  private dottedCallEnd(index: number): number {
    let at = index;
    while (this.tokens[at]?.kind === 'name' && this.is(at + 1, '.')) at += 2;
    const last = this.tokens[at];
    if (last?.kind !== 'name' || keywords.has(last.text)) return -1;
    return this.is(at + 1, '(') ? this.partner(at + 1) + 1 : at + 1;
  }

  // with.

  /** `with (a as b, c as d):` loses its brackets; `with a as (b, c):` becomes `with a,  (b, c):`. */
  private withStatement(index: number): void {
    const from = index + 1;
    if (this.is(from, '(')) {
      const close = this.partner(from);
      const inner = this.outside(from + 1, (at) => at < close);
      if (this.is(close + 1, ':') && inner.some((at) => this.is(at, 'as'))) {
        this.unwrap(from, close);
        this.targets(inner);
        return;
      }
    }
    this.targets(this.header(from));
  }

  private unwrap(open: number, close: number): void {
    this.edit(open);
    this.edit(close);
    if (this.is(close - 1, ',')) this.edit(close - 1);
    for (let index = open; index < close; index += 1) {
      const end = this.tokens[index]?.end ?? 0;
      const next = this.tokens[index + 1]?.start ?? end;
      if (next > end) this.overwrite(end, next);
    }
  }

  private targets(header: readonly number[]): void {
    header.forEach((index, at) => {
      if (!this.is(index, 'as')) return;
      const target = header[at + 1];
      const after = header[at + 2];
      const simple = after === undefined || this.is(after, ',');
      if (target === undefined || (simple && this.tokens[target]?.kind === 'name')) return;
      this.edit(index, ', ');
      this.rewrites.stores.add(this.start(target));
    });
  }

  // for.

  /** `for x in *a, *b:` loses its stars. */
  private forStatement(index: number): void {
    const header = this.header(index + 1);
    const start = header.findIndex((at) => this.is(at, 'in'));
    if (start >= 0) this.unstar(header.slice(start + 1));
  }

  /** Drops the star of each part that has one, unless a lambda has stars of its own among them. */
  protected unstar(indexes: readonly number[]): void {
    if (indexes.some((index) => this.is(index, 'lambda'))) return;
    indexes.forEach((index, at) => {
      const isStart = at === 0 || this.is(index - 1, ',');
      if (isStart && this.is(index, '*')) this.edit(index);
    });
  }

  // match and case.

  /** `match a, not b:` is parsed as `match a+ -   b:`. */
  private matchStatement(index: number): void {
    const header = this.header(index + 1);
    const last = header.at(-1);
    if (last === undefined || last + 2 !== this.lineEnd(index) || this.is(index + 1, '=')) return;
    if (!this.asArithmetic(header)) return;
    if (header.some((at) => this.is(at, ','))) this.unstar(header);
    for (const at of header) {
      if (this.is(at, ',')) this.edit(at, at === last ? ' ' : '+');
    }
  }

  /** `case int():` loses its empty brackets (the name is still read, not bound); `case []:` becomes `case 0 :`, `case {a.b: c}:` `case {a  : c}:`. */
  private caseClause(index: number): void {
    const end = this.lineEnd(index);
    if (!this.is((this.header(index + 1).at(-1) ?? end) + 1, ':')) return;
    let depth = 0;
    for (let at = index + 1; at < end; at += 1) {
      const { kind, text } = this.tokens[at] as LexicalToken;
      if (this.is(at, 'if')) {
        // A guard may be `x := y`.
        if (this.is(at + 2, ':=')) this.asArithmetic(this.header(at + 1));
        return;
      }
      if (kind === 'string' && this.tokens[at - 1]?.kind === 'string') this.edit(at);
      if (this.isEmptyBrackets(at)) this.emptyPattern(at, index);
      if (kind !== 'operator') continue;
      if (opening.has(text)) depth += 1;
      else if (closing.has(text)) depth -= 1;
      else if (text === ':' && depth > 0) this.dottedKey(at - 1);
    }
  }

  private isEmptyBrackets(at: number): boolean {
    return ['()', '[]', '{}'].some(([open = '', close = '']) => this.is(at, open) && this.is(at + 1, close));
  }

  private emptyPattern(open: number, index: number): void {
    const [start, end] = [this.start(open), this.end(open + 1)];
    if (this.tokens[open - 1]?.kind === 'name' && open - 1 > index && this.is(open, '(')) {
      this.overwrite(start, end);
      this.rewrites.reads.add(this.start(open - 1));
    } else this.overwrite(start, end, this.end(open - 1) === start ? ' 0' : '0');
  }

  /** The key of a mapping pattern that ends at `last`: of `a.b` only the name that is read is kept. */
  private dottedKey(last: number): void {
    let first = last;
    while (this.is(first - 1, '.')) first -= 2;
    if (first < last && this.tokens[first]?.kind === 'name') this.overwrite(this.end(first), this.end(last));
  }
}
