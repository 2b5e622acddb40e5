/**
 * Sums, differences, products and quotients of floats, as what they are: integers times powers of two (IEEE 754, binary64). Which integer a float is, and which float is next to a result, is
 * read off, as other digits of base two are; what the integers come to is worked out (docs/trace-language.md, section 9).
 */
import type { Operation } from './columns.js';
import { floatText, isDecimal } from './decimals.js';
import { digitsOf, isNegative, isZero, notZero } from './digits.js';
import { questionsOf, questionsOfQuotient } from './most-questions.js';
import type { Part } from './parts.js';
import type { Found, Plan, Told, Value, ValueFor } from './plan.js';
import { calculated, operatorOf, pairOf, pointed } from './sums.js';
import { charOf, charTokens, textTokens, wordToken } from './tokens.js';

const [star, slash, point] = charTokens('*/.');
const divmod = wordToken('divmod') as number;
/** Bits of the integer that a float is. */
const precision = 53;
/** Bits of a quotient that say which float it is next to, together with whether there is a rest. */
const quotientBits = 55;
/** Most bits of numbers that are added, and most digits of an integer that is read as a float. */
const mostBits = 120;
const mostDigits = 15;

/** `mantissa` times two to the power of `exponent`; the mantissa is odd, or zero. */
export interface Float {
  readonly mantissa: bigint;
  readonly exponent: number;
}

/** How such an operation comes about; undefined for other parts. */
export function floatPlan(code: ArrayLike<number>, part: Part, told: Told): Plan | undefined {
  const operator = part.kind === 'binary' ? operatorOf(code, part) : undefined;
  if (operator === undefined || !pointed.has(operator)) return undefined;
  return floatPlanOf(
    operator,
    part.parts.map((inner) => told(inner) ?? []),
  );
}

/** The same of two values. */
export function floatPlanOf(operator: number, values: readonly Value[]): Plan | undefined {
  if (operator !== slash && !values.some((value) => value.includes(point as number))) return undefined;
  const nothing = zeroOf(operator, values);
  if (nothing) return { questions: 0, value: () => nothing };
  const [left, right] = values.map(floatOf);
  if (left === undefined || right === undefined) return undefined;
  if (operator === star) return productOf(left, right, values);
  return operator === slash ? quotientOf(left, right) : sumOf(operator, left, right);
}

/** What zero comes to times or by a number: that has the signs of both. */
function zeroOf(operator: number, values: readonly Value[]): Value | undefined {
  const [isLeft, isRight] = values.map((value) => isDecimal(value) && Number(textOf(value)) === 0);
  const isZero = operator === star ? isLeft || isRight : operator === slash && isLeft && !isRight;
  if (!isZero || !values.every(isDecimal)) return undefined;
  const signs = values.map(isNegative);
  return textTokens(signs[0] === signs[1] ? '0.0' : '-0.0');
}

/** undefined for what is no number without an exponent, for long integers, and for the zero with a sign. */
export function floatOf(value: Value): Float | undefined {
  if (!isDecimal(value) || (!value.includes(point as number) && value.length > mostDigits)) return undefined;
  const number = Number(textOf(value));
  if (number === 0) return isNegative(value) ? undefined : { mantissa: 0n, exponent: 0 };
  let [whole, exponent] = [number, 0];
  for (; !Number.isInteger(whole); whole *= 2) exponent -= 1;
  let mantissa = BigInt(whole);
  for (; mantissa % 2n === 0n; mantissa /= 2n) exponent += 1;
  return { mantissa, exponent };
}

/** Both as multiples of one power of two. */
function sumOf(operator: number, left: Float, right: Float): Plan | undefined {
  const exponent = Math.min(left.exponent, right.exponent);
  const moved = [left, right].map((float) => float.mantissa << BigInt(float.exponent - exponent));
  if (moved.some((integer) => bitsOf(integer) > mostBits)) return undefined;
  return planOf({ operator, operands: moved.map(digits) }, exponent);
}

function productOf(left: Float, right: Float, values: readonly Value[]): Plan {
  const factors = [left, right]
    .map((float, at) => shortest(float, values[at] as Value))
    .sort((a, b) => count(b.integer) - count(a.integer));
  const exponent = factors.reduce((sum, factor) => sum + factor.exponent, 0);
  return planOf({ operator: star as number, operands: factors.map(({ integer }) => integer) }, exponent);
}

/** A factor with as few digits other than zero as may be: of an integer its own may be fewer. */
function shortest({ mantissa, exponent }: Float, value: Value): { integer: Value; exponent: number } {
  const odd = { integer: digits(mantissa), exponent };
  const own = value.includes(point as number) ? odd : { integer: value, exponent: 0 };
  return count(own.integer) < count(odd.integer) ? own : odd;
}

const count = (integer: Value): number => notZero(digitsOf(integer));

function planOf(numbers: Operation, exponent: number): Plan {
  const value = (valueFor: ValueFor): Found => {
    const found = calculated(numbers, valueFor);
    return typeof found === 'object' ? shown(integerOf(found), exponent) : found;
  };
  return { questions: questionsOf(numbers), value };
}

/** So many digits of base two that those left out say nothing but whether there are any. */
function quotientOf(left: Float, right: Float): Plan | undefined {
  if (right.mantissa === 0n) return undefined;
  const [dividend, divisor] = [left.mantissa, right.mantissa].map((integer) =>
    integer < 0n ? -integer : integer,
  );
  if (dividend === undefined || divisor === undefined) return undefined;
  const isBelow = left.mantissa < 0n !== right.mantissa < 0n;
  const places = Math.max(0, quotientBits + bitsOf(divisor) - bitsOf(dividend));
  const exponent = left.exponent - right.exponent;
  const signed = (integer: bigint): bigint => (isBelow ? -integer : integer);
  if (divisor === 1n) return { questions: 0, value: () => shown(signed(dividend), exponent) };
  const operands = [digits(dividend << BigInt(places)), digits(divisor)] as const;
  const value = (valueFor: ValueFor): Found => {
    const found = calculated({ operator: divmod, operands }, valueFor);
    if (typeof found !== 'object') return found;
    const pair = pairOf(found);
    if (typeof pair !== 'object') return pair;
    const [quotient, rest] = pair;
    return shown(signed(2n * integerOf(quotient) + (isZero(rest) ? 0n : 1n)), exponent - places - 1);
  };
  return { questions: questionsOfQuotient(...operands), value };
}

/** The digits of a float, all of them; undefined for other values. */
export function digitsOfFloat(value: Value): { readonly whole: Value; readonly decimals: Value } | undefined {
  const float = value.includes(point as number) ? floatOf(digitsOf(value)) : undefined;
  if (float === undefined) return undefined;
  const places = Math.max(0, -float.exponent);
  const integer = (float.mantissa << BigInt(Math.max(0, float.exponent))) * 5n ** BigInt(places);
  const text = String(integer).padStart(places + 1, '0');
  const at = text.length - places;
  return { whole: textTokens(text.slice(0, at)), decimals: textTokens(text.slice(at)) };
}

const textOf = (value: Value): string => value.map(charOf).join('');
export const integerOf = (value: Value): bigint => BigInt(textOf(value));
export const digits = (integer: bigint): Value => textTokens(String(integer));
export const bitsOf = (integer: bigint): number => (integer < 0n ? -integer : integer).toString(2).length;

/** What Python writes for the float that is next to an integer times a power of two; undefined where it writes an exponent. */
export function shown(integer: bigint, exponent: number): Value | undefined {
  const isBelow = integer < 0n;
  const [mantissa, places] = rounded(isBelow ? -integer : integer);
  const number = Number(mantissa) * 2 ** (exponent + places);
  if (number !== 0 && (number < 1e-4 || number >= 1e16)) return undefined;
  return textTokens(`${isBelow ? '-' : ''}${floatText(number)}`);
}

/** As many bits as a float has, and how many were left out; half way between two the even one. */
function rounded(integer: bigint): readonly [mantissa: bigint, places: number] {
  const places = bitsOf(integer) - precision;
  if (places <= 0) return [integer, 0];
  const unit = 1n << BigInt(places);
  const [upper, lower] = [integer / unit, (integer % unit) * 2n];
  const goesUp = lower > unit || (lower === unit && upper % 2n === 1n);
  return [goesUp ? upper + 1n : upper, places];
}
