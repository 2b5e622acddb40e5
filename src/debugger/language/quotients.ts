/**
 * Divisions of integers as on paper, digit by digit (docs/trace-language.md, section 9). How often a divisor of several digits goes is found by taking it away:
 * five times at once, where that is not too much, then once more each time.
 */
import { isNegative, isTiny, isZero, numberOf, withoutZeros } from './digits.js';
import type { Found, Value } from './plan.js';
import { charTokens } from './tokens.js';

const [zero, one, five, point] = charTokens('015.');
const digitTokens = charTokens('0123456789');
/** Most digits of a quotient with a fraction: so many are those that Python shows. */
const shownDigits = 15;

/** What integers come to that stand in code tokens. */
export type Reckoned = (...code: readonly number[]) => Found;
/** What integers of any number of digits come to. */
export interface Arithmetic {
  times(digits: Value, digit: number): Found;
  /** Negative where the second is greater. */
  difference(left: Value, right: Value): Found;
}
/** A quotient and its rest. */
export type Pair = readonly [Value, Value];
/** `waits`: there is no answer yet; undefined: it is not known. */
export type FoundPair = Pair | 'waits' | undefined;
/** What digits come to that are divided by a divisor. */
export type Divided = (digits: Value) => FoundPair;

/** The places by which dividing by a power of ten moves the digits; undefined for other divisors. */
export function placesOf([first, ...others]: Value): number | undefined {
  return first === one && others.every((digit) => digit === zero) ? others.length : undefined;
}

/** The quotient of a division by 1 with so many zeros, and its rest: what stands before the last digits, and these. */
export function moved(digits: Value, places: number): Pair {
  const at = Math.max(0, digits.length - places);
  return [withoutZeros(digits.slice(0, at)), withoutZeros(digits.slice(at))];
}

/** The quotient of a division by a divisor of several digits, and its rest. */
export function longDivision(digits: Value, divisor: Value, by: Arithmetic): FoundPair {
  const quotient: number[] = [];
  let rest: Value = [];
  let known: Found;
  const fivefold = (): Found => {
    known ??= by.times(divisor, five);
    return known;
  };
  for (const digit of digits) {
    const found = digitOf(withoutZeros([...rest, digit]), divisor, fivefold, by);
    if (typeof found !== 'object') return found;
    quotient.push(found.digit);
    rest = found.rest;
  }
  return [withoutZeros(quotient), rest];
}

/** How often the divisor goes, nine times at most, and what is left then. */
function digitOf(
  from: Value,
  divisor: Value,
  fivefold: () => Found,
  by: Arithmetic,
): { readonly digit: number; readonly rest: Value } | 'waits' | undefined {
  let [times, rest] = [0, from];
  const isLonger = from.length > divisor.length;
  if (isLonger || (from.length === divisor.length && divisor[0] === one)) {
    const much = fivefold();
    const left = typeof much === 'object' ? takenFrom(rest, much, by) : much;
    if (left === 'waits' || left === undefined) return left;
    if (left !== 'less') [times, rest] = [5, left];
  }
  for (const most = times + 4; times < most; times += 1) {
    const left = takenFrom(rest, divisor, by);
    if (left === 'waits' || left === undefined) return left;
    if (left === 'less') break;
    rest = left;
  }
  return { digit: digitTokens[times] as number, rest };
}

/** What is left of an integer; `less`: it is less than what is to be taken from it. */
function takenFrom(from: Value, what: Value, by: Arithmetic): Found | 'less' {
  if (from.length < what.length) return 'less';
  const left = by.difference(from, what);
  return typeof left === 'object' && isNegative(left) ? 'less' : left;
}

/**
 * What `/` comes to where that is a fraction of few digits: where the division has no rest, or the divisor is a product of twos and fives.
 */
export function fractionOf(digits: Value, divisor: Value, divided: Divided): Found {
  const pair = divided(digits);
  if (typeof pair !== 'object') return pair;
  const [whole] = pair;
  let [, rest] = pair;
  const most = decimalsOf(divisor);
  const decimals: number[] = [];
  while (!isZero(rest)) {
    if (decimals.length === most) return undefined;
    const next = divided([...rest, zero]);
    if (typeof next !== 'object') return next;
    const [quotient] = next;
    if (quotient.length > 1) return undefined;
    decimals.push(...quotient);
    [, rest] = next;
  }
  if (isTiny(whole, decimals) || whole.length + decimals.length > shownDigits) return undefined;
  return [...whole, point, ...(decimals.length === 0 ? [zero] : decimals)];
}

/** Most digits behind the point of a quotient by this divisor: none where they may never end. */
export function decimalsOf(divisor: Value): number {
  if (divisor.length > shownDigits) return 0;
  let left = numberOf(divisor);
  const powers = [2, 5].map((factor) => {
    let power = 0;
    for (; left > 0 && left % factor === 0; left /= factor) power += 1;
    return power;
  });
  return left === 1 ? Math.max(...powers) : 0;
}
