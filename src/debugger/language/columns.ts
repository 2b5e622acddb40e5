/**
 * Operations on integers in columns, as on paper: how they are asked and answered (docs/trace-language.md, sections 7 and 9). Sums, differences and products with a
 * single digit stand and are answered from the last digit on, so that every digit follows from those above it and one carry, which a small model learns (Lee et
 * al., Teaching Arithmetic to Small Transformers, 2023). Divisions by a single digit are answered by what is left after every digit too.
 */
import { charOf, charTokens, isDigitToken, operatorToken, special, wordTokens } from './tokens.js';

type Value = readonly number[];

const [minus, plus, star, zero] = charTokens('-+*0');
const divide = operatorToken('//');
const [divmod] = wordTokens('divmod') as [number];
const asked: ReadonlySet<number> = new Set([plus, minus, star, divmod]);
/** Most digits of an operand that is asked so, of what is multiplied or divided by a single one: of more, models miss some (docs/training.md). */
export const mostColumns = 4;
export const mostScaled = 2;

/** An operation on integers: on two, or on the result and the next. operator: of a call of `divmod`, `max` or `min` its name. */
export interface Operation {
  readonly operator: number;
  readonly operands: readonly Value[];
}

/**
 * The question for an operation on two integers, without its first token: the operands last digit first, filled up with zeros to one digit more than the longer
 * one has; of a product the second, which is a single digit, as it is; of `divmod` both as they are. undefined where it is not asked so.
 */
export function inColumns({ operator, operands }: Operation): Value | undefined {
  const [left = [], right = [], ...others] = operands;
  const isSingle = operator === star || operator === divmod;
  if (!asked.has(operator) || others.length > 0 || left.length + right.length < 3) return undefined;
  if (left[0] === minus || right[0] === minus || (isSingle && right.length > 1)) return undefined;
  if (Math.max(left.length, right.length) > (isSingle ? mostScaled : mostColumns)) return undefined;
  if (operator === divmod) return [special.it, ...left, divide, ...right];
  const width = Math.max(left.length, right.length) + 1;
  return [special.it, ...filled(left, width), operator, ...(isSingle ? right : filled(right, width))];
}

/** The digits from the last on, with zeros behind them. */
const filled = (digits: Value, width: number): Value => [
  ...digits.toReversed(),
  ...new Array<number>(width - digits.length).fill(zero),
];

/**
 * Reads the tokens of an integer that stands last digit first, as `ValueDecoder` reads those of a value. One that begins with `-` is a difference: a negative
 * one stands as its ten's complement.
 */
export class SumDecoder {
  private isDifference = false;
  private readonly digits: string[] = [];

  /** Whether `token` may stand next. */
  accepts(token: number): boolean {
    return isDigitToken(token) || (token === minus && !this.isDifference && this.digits.length === 0);
  }

  /** Consumes a token that `accepts` allows. */
  take(token: number): void {
    if (token === minus) this.isDifference = true;
    else this.digits.push(charOf(token));
  }

  /**
   * What must still come before the integer may end; undefined if nothing must. Its first digit, which comes last, is not 0, unless it is the only one; that of a
   * difference is 0 or 9.
   */
  missing(): string | undefined {
    const { digits } = this;
    const [count, last] = [digits.length, digits.at(-1)];
    const isWhole = this.isDifference
      ? count > 1 && (last === '0' || last === '9')
      : count > 0 && (last !== '0' || count === 1);
    return isWhole ? undefined : 'another digit';
  }

  /** The integer, once `missing` is undefined. */
  text(): string {
    const found = BigInt(this.digits.toReversed().join(''));
    const isNegative = this.isDifference && this.digits.at(-1) === '9';
    return `${isNegative ? found - 10n ** BigInt(this.digits.length) : found}`;
  }
}

/** Reads the digits of a division, as `ValueDecoder` reads those of a value: it is a tuple, as of `divmod`. */
export class DivisionDecoder {
  private readonly digits: string[] = [];

  /** Whether `token` may stand next. */
  accepts(token: number): boolean {
    return isDigitToken(token);
  }

  /** Consumes a token that `accepts` allows. */
  take(token: number): void {
    this.digits.push(charOf(token));
  }

  /** What must still come before the division may end; undefined if nothing must. */
  missing(): string | undefined {
    return this.digits.length === 0 || this.digits.length % 2 > 0 ? 'another digit' : undefined;
  }

  /** Quotient and rest, once `missing` is undefined. */
  text(): string {
    const quotient = this.digits.filter((_, at) => at % 2 === 0).join('');
    return `(${quotient.replace(/^0+(?=.)/, '')}, ${this.digits.at(-1)})`;
  }
}

/** What reads an answer in columns, by the token it begins with. */
export const decoders: ReadonlyMap<number, new () => SumDecoder | DivisionDecoder> = new Map<
  number,
  new () => SumDecoder | DivisionDecoder
>([
  [special.it, SumDecoder],
  [divide, DivisionDecoder],
]);
