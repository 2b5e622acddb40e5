/** Integers as code tokens: their digits, behind a `-` if they are negative. */
import type { Found, Value } from './plan.js';
import { charOf, charTokens } from './tokens.js';

const [minus, zero] = charTokens('-0');

export const isNegative = (value: Value): boolean => value[0] === minus;
export const isZero = (value: Value): boolean => value.length === 1 && value[0] === zero;
export const digitsOf = (value: Value): Value => (isNegative(value) ? value.slice(1) : value);
/** How many digits are not 0. */
export const notZero = (digits: Value): number => digits.filter((digit) => digit !== zero).length;
export const numberOf = (digits: Value): number => Number(digits.map(charOf).join(''));

/** Python shows a number with an exponent that begins with more zeros than these behind its point. */
const shownZeros = 3;

/** Whether Python shows the number with these digits before and behind its point with an exponent, for it is so small. */
export const isTiny = (whole: Value, decimals: Value): boolean =>
  isZero(whole) && decimals.findIndex((digit) => digit !== zero) > shownZeros;

/** What was found, or what it is with the other sign. */
export function withSign(isOther: boolean, found: Found): Found {
  if (!isOther || typeof found !== 'object' || isZero(found)) return found;
  return isNegative(found) ? found.slice(1) : [minus, ...found];
}

/** Digits without zeros before the first other one. */
export function withoutZeros(digits: Value): Value {
  const first = digits.findIndex((digit) => digit !== zero);
  return first < 0 ? [zero] : digits.slice(first);
}
