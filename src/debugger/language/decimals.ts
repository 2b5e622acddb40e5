/** Numbers with decimals, where they are reckoned with as integers are (docs/trace-language.md, section 9). */
import { digitsOf, isNegative, isTiny, isZero, numberOf, withoutZeros, withSign } from './digits.js';
import type { Value } from './plan.js';
import { charOf, charTokens, isDigitToken, textTokens } from './tokens.js';

const [minus, zero, point] = charTokens('-0.');
/** So many digits of a float are always those that Python shows. */
const shownDigits = 15;

interface Decimal {
  /** Whether it has a `-`. */
  readonly isBelow: boolean;
  readonly whole: Value;
  /** Without zeros at their end. */
  readonly decimals: Value;
}

/** Numbers as integers, all moved by as many places as the one with most decimals needs; as they are, where none has any or one is no such number. */
export function withoutPoints(values: readonly Value[]): readonly Value[] {
  const read = values.map(decimalOf);
  const areDecimals = read.every((decimal) => decimal !== undefined);
  return areDecimals && values.some((value) => value.includes(point)) ? moved(read, placesOf(read)) : values;
}

/** Integers in place of numbers, and how many digits stand behind the point in what they come to. */
export interface Moved {
  readonly operands: readonly Value[];
  readonly places: number;
}

/**
 * Two numbers, one or both with decimals, as integers, where both are sums of halves, quarters and so on: floats hold these as they are written, so that a
 * sum, a difference or a product of them is no other. isProduct: each is moved by the places that it needs itself.
 */
export function exactly(values: readonly Value[], isProduct: boolean): Moved | undefined {
  const read = values.map(decimalOf);
  const areExact = read.every((decimal) => decimal !== undefined && isExact(decimal));
  if (!areExact || !values.some((value) => value.includes(point))) return undefined;
  const decimals = read as readonly Decimal[];
  if (!isProduct) {
    const places = placesOf(decimals);
    return { operands: moved(decimals, places), places };
  }
  const operands = decimals.flatMap((decimal) => moved([decimal], decimal.decimals.length));
  // What zero comes to has the sign of the other factor.
  if (operands.some(isZero)) return undefined;
  return { operands, places: decimals.reduce((sum, decimal) => sum + decimal.decimals.length, 0) };
}

/** An integer with a point before its last digits, as Python writes the float next to it; undefined where it writes an exponent. */
export function withPoint(value: Value, places: number): Value | undefined {
  const sign = isNegative(value) ? [minus] : [];
  const digits = digitsOf(value);
  const filled = [...new Array<number>(Math.max(0, places + 1 - digits.length)).fill(zero), ...digits];
  const at = filled.length - places;
  const [whole, decimals] = [filled.slice(0, at), trimmed(filled.slice(at))];
  if (isTiny(whole, decimals)) return undefined;
  const found = [...whole, point, ...(decimals.length === 0 ? [zero] : decimals)];
  if (found.length <= shownDigits + 1) return [...sign, ...found];
  const number = Number(found.map(charOf).join(''));
  return number < 1e16 ? [...sign, ...textTokens(floatText(number))] : undefined;
}

/** As Python writes a float that it writes without an exponent. */
export function floatText(number: number): string {
  const text = String(number);
  return text.includes('.') ? text : `${text}.0`;
}

/** Whether a value is a number without an exponent. */
export const isDecimal = (value: Value): boolean => decimalOf(value) !== undefined;

const placesOf = (numbers: readonly Decimal[]): number =>
  Math.max(...numbers.map(({ decimals }) => decimals.length));

function moved(numbers: readonly Decimal[], places: number): Value[] {
  return numbers.map(({ isBelow, whole, decimals }) => {
    const filled = new Array<number>(places - decimals.length).fill(zero);
    return withSign(isBelow, withoutZeros([...whole, ...decimals, ...filled])) as Value;
  });
}

/** Whether a number is a multiple of a power of one half, and no negative zero. */
function isExact({ isBelow, whole, decimals }: Decimal): boolean {
  const digits = numberOf([...whole, ...decimals]);
  return Number.isSafeInteger(digits) && digits % 5 ** decimals.length === 0 && !(isBelow && digits === 0);
}

/** undefined for what is not written with digits, and a point between them if it has one. */
function decimalOf(value: Value): Decimal | undefined {
  const digits = digitsOf(value);
  const at = digits.indexOf(point);
  const [whole, behind] = at < 0 ? [digits, []] : [digits.slice(0, at), digits.slice(at + 1)];
  const isWhole = whole.length > 0 && (at < 0 || behind.length > 0);
  if (!isWhole || ![...whole, ...behind].every(isDigitToken)) return undefined;
  return { isBelow: isNegative(value), whole, decimals: trimmed(behind) };
}

const trimmed = (decimals: Value): Value =>
  decimals.slice(0, decimals.findLastIndex((digit) => digit !== zero) + 1);
