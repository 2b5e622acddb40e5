/**
 * Integer arithmetic the way it is done on paper: in columns, the last digit first (docs/trace-language.md, section 9). Sums, differences and products with a single
 * digit are asked in columns and answered from the last digit on, so that every digit follows from those above it and one carry, which a small model learns
 * (Lee et al., Teaching Arithmetic to Small Transformers, 2023). Divisions by a single digit are answered by what is left after every digit too. Other products,
 * and what has signs, are made of these.
 */
import { type Part, partTokens } from './parts.js';
import { charOf, charTokens, isDigitToken, operatorToken, special, wordTokens } from './tokens.js';

type Value = readonly number[];
/** A value; `waits`: there is no answer yet; undefined: it is not known. */
export type Found = Value | 'waits' | undefined;

const [minus, plus, star, zero, two, three] = charTokens('-+*023');
const power = operatorToken('**');
const [rest, opening, comma, closing, one] = charTokens('%(,)1');
const divide = operatorToken('//');
const [divmod] = wordTokens('divmod') as [number];
const computed: ReadonlySet<number | undefined> = new Set([plus, minus, star, power, divide, rest]);
/** Most digits of an operand. */
const mostDigits = 12;

/** An operation on integers: on two, or on three of which the third is for the result. operator: of a call of `divmod` its name. */
export interface Operation {
  readonly operator: number;
  readonly operands: readonly Value[];
}

/** The operator of a part of the code that has two operands. */
function operatorOf(code: ArrayLike<number>, { kind, parts }: Part): number | undefined {
  const [left, right] = parts;
  const isBinary = kind === 'binary' && left !== undefined && right !== undefined;
  return isBinary && left.until < right.begin ? code[left.until] : undefined;
}

/** Whether a part is a sum, a difference, a product, a power or a division without a fraction: what a step is not left to come to by itself. */
export const isComputed = (code: ArrayLike<number>, part: Part): boolean =>
  computed.has(operatorOf(code, part));

function isInteger(value: Value): boolean {
  const digits = digitsOf(value);
  return digits.length >= 1 && digits.length <= mostDigits && digits.every(isDigitToken);
}
const isNegative = (value: Value): boolean => value[0] === minus;
const digitsOf = (value: Value): Value => (isNegative(value) ? value.slice(1) : value);

/**
 * What a part comes to that is a sum, a difference or a product of two integers, the square or cube of one, or one divided by a single digit; undefined for
 * other parts, and where no operand has several digits. `told`: the value of a part, if it is known.
 */
export function operationOf(
  code: ArrayLike<number>,
  part: Part,
  told: (part: Part) => Value | undefined,
): Operation | undefined {
  const isCall = part.kind === 'call' && code[part.first] === divmod && part.parts.length === 3;
  const operator = isCall ? divmod : operatorOf(code, part);
  if (operator === undefined || !(isCall || computed.has(operator))) return undefined;
  const [left = [], right = []] = part.parts
    .slice(-2)
    .map((inner) => told(inner) ?? (inner.kind === 'unary' ? partTokens(code, inner) : []));
  const isLeftLong = digitsOf(left).length > 1;
  if (!isInteger(left) || !isInteger(right) || !(isLeftLong || digitsOf(right).length > 1)) return undefined;
  if (operator === divide || operator === rest || isCall) {
    const isSingle = right.length === 1 && right[0] !== zero && !(isCall && isNegative(left));
    return isSingle ? { operator, operands: [left, right] } : undefined;
  }
  if (operator !== power) return { operator, operands: [left, right] };
  const times = right.length === 1 ? [two, three].indexOf(right[0] as number) + 2 : 1;
  return isLeftLong && times > 1
    ? { operator: star, operands: new Array<Value>(times).fill(left) }
    : undefined;
}

/**
 * The question for an operation on two integers, without its first token: the operands last digit first, filled up with zeros to one digit more than the longer
 * one has; of a product the second, which is a single digit, as it is; of `divmod` both as they are. undefined where it is not asked so.
 */
export function inColumns({ operator, operands }: Operation): Value | undefined {
  const [left = [], right = [], ...others] = operands;
  const isProduct = operator === star;
  const isOfOthers = others.length > 0 || operator === divide || operator === rest;
  if (isOfOthers || left.length + right.length < 3 || isNegative(left) || isNegative(right)) return undefined;
  if ((isProduct || operator === divmod) && right.length > 1) return undefined;
  if (operator === divmod) return [special.it, ...left, divide, ...right];
  const width = Math.max(left.length, right.length) + 1;
  return [special.it, ...filled(left, width), operator, ...(isProduct ? right : filled(right, width))];
}

/** The digits from the last on, with zeros behind them. */
const filled = (digits: Value, width: number): Value => [
  ...digits.toReversed(),
  ...new Array<number>(width - digits.length).fill(zero),
];

/** The value of an operation that is not asked in columns itself, by way of some that are: `valueFor` tells what code comes to. */
export function calculated({ operator, operands }: Operation, valueFor: (code: Value) => Found): Found {
  const integer = (...code: readonly number[]): Found => {
    const found = valueFor(code);
    return typeof found !== 'object' || isInteger(found) ? found : undefined;
  };
  const two = (left: Value, right: Value): Found => {
    if (inColumns({ operator, operands: [left, right] })) return integer(...left, operator, ...right);
    const [upper, lower] = [digitsOf(left), digitsOf(right)];
    const isDifferent = isNegative(left) !== isNegative(right);
    if (operator === star) return withSign(isDifferent, product(upper, lower, integer));
    if (operator === divide || operator === rest) {
      const parts = pairOf(valueFor([divmod, opening, ...upper, comma, ...lower, closing]));
      if (typeof parts !== 'object') return parts;
      const [quotient, left] = parts;
      const isWhole = left.join() === `${zero}`;
      if (operator === rest) return isDifferent && !isWhole ? integer(...lower, minus, ...left) : left;
      return withSign(isDifferent, isDifferent && !isWhole ? integer(...quotient, plus, one) : quotient);
    }
    if ((operator === plus) === !isDifferent)
      return withSign(isNegative(left), integer(...upper, plus, ...lower));
    return isNegative(left) ? integer(...lower, minus, ...upper) : integer(...upper, minus, ...lower);
  };
  const [first, ...others] = operands;
  return others.reduce<Found>(
    (found, other) => (typeof found === 'object' ? two(found, other) : found),
    first,
  );
}

/** The two integers of a tuple; undefined for other values. */
function pairOf(found: Found): readonly [Value, Value] | 'waits' | undefined {
  if (typeof found !== 'object') return found;
  const at = found.indexOf(comma);
  const pair = [found.slice(1, at), found.slice(at + 1, -1)] as const;
  return found[0] === opening && at > 0 && pair.every(isInteger) ? pair : undefined;
}

/** Most questions that an operation needs which is made of others. */
export const questionsOf = ({ operator, operands }: Operation): number =>
  operands.slice(1).reduce((sum, operand) => sum + (operator === star ? 2 * notZero(operand) : 2), 0);

/** `34 * 56` is `34 * 5`, moved by one place, and `34 * 6`. */
function product(left: Value, right: Value, integer: (...code: readonly number[]) => Found): Found {
  const isSwapped = notZero(left) < notZero(right);
  const [upper, lower] = isSwapped ? [right, left] : [left, right];
  let total: Value | undefined;
  for (const [place, digit] of lower.toReversed().entries()) {
    if (digit === zero) continue;
    const piece = integer(...upper, star, digit);
    if (typeof piece !== 'object') return piece;
    const moved = [...piece, ...new Array<number>(place).fill(zero)];
    const sum = total === undefined ? moved : integer(...total, plus, ...moved);
    if (typeof sum !== 'object') return sum;
    total = sum;
  }
  return total ?? [zero];
}

const notZero = (digits: Value): number => digits.filter((digit) => digit !== zero).length;

/** What was found, or what it is with the other sign. */
function withSign(isOther: boolean, found: Found): Found {
  if (!isOther || typeof found !== 'object' || found.join() === `${zero}`) return found;
  return isNegative(found) ? found.slice(1) : [minus, ...found];
}

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
