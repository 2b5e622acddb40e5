/** Answers in positions, from untrusted tokens (docs/trace-language.md, section 7). */
import type { Program } from '../program.js';
import { isDigitToken, isPositionToken, special } from './tokens.js';
import { ValueDecoder } from './values.js';

/**
 * Reads an answer in positions, as `ValueDecoder` reads a value: positions, and counts behind `<|it|>`, are passed over; behind a `<|value|>` that only they come
 * before stands the value.
 */
export class PositionsDecoder {
  private readonly inner: ValueDecoder;
  private isEmpty = true;
  /** Whether the value stands alone, behind `<|value|>`. */
  private isTold = false;
  /** Whether there was a position. */
  private isNamed = false;
  private isCounting = false;

  constructor(program: Program) {
    this.inner = new ValueDecoder(program);
  }

  /** Whether `token` may stand next. */
  accepts(token: number): boolean {
    if (isPositionToken(token)) return !this.isTold;
    if (token === special.value) return this.isNamed && !this.isTold && this.isEmpty;
    if (token === special.it) return !this.isTold && !this.isCounting && (this.isNamed || !this.isEmpty);
    return this.isCounting ? isDigitToken(token) : this.inner.accepts(token);
  }

  /** Consumes a token that `accepts` allows. */
  take(token: number): void {
    if (isPositionToken(token)) this.isNamed = true;
    else if (token === special.value) this.isTold = true;
    else if (token !== special.it && !this.isCounting) {
      this.inner.take(token);
      this.isEmpty = false;
    }
    this.isCounting = token === special.it || (this.isCounting && isDigitToken(token));
  }

  /** What must still come before the answer may end; undefined if nothing must. */
  missing(): string | undefined {
    return this.isCounting ? 'a position' : this.inner.missing();
  }

  /** The value, once `missing` is undefined. */
  text(): string {
    return this.inner.text();
  }
}
