/**
 * Integers of more digits than are asked in columns at once, in blocks from the last digits on, with what is carried from one to the next
 * (docs/trace-language.md, section 9). All are written without signs and without zeros before them.
 */
import { mostColumns, mostScaled } from './columns.js';
import { isNegative, isZero, withoutZeros, withSign } from './digits.js';
import type { Found, Value } from './plan.js';
import type { FoundPair, Pair, Reckoned } from './quotients.js';
import { charTokens } from './tokens.js';

const [minus, plus, star, zero, one] = charTokens('-+*01');
/** Digits of a block: what two come to is asked at once, whatever is carried. */
export const blockDigits = mostColumns - 1;
/** Digits of one that is multiplied, and of one that is divided, behind what is left of those before it. */
export const multipliedDigits = mostScaled;
export const dividedDigits = mostScaled - 1;

/** The quotient and the rest of a division of few digits by a single one. */
type Short = (digits: Value, divisor: Value) => FoundPair;

const areShort = (...values: readonly Value[]): boolean =>
  values.every(({ length }) => length <= mostColumns);

const isOne = (digits: Value): boolean => digits.length === 1 && digits[0] === one;

/** What stands before the last block, and that. */
const cut = (digits: Value, size = blockDigits): Pair => [
  withoutZeros(digits.slice(0, -size)),
  withoutZeros(digits.slice(-size)),
];

function joined(upper: Value, lower: Value, size = blockDigits): Value {
  if (isZero(upper)) return lower;
  return [...upper, ...new Array<number>(size - lower.length).fill(zero), ...lower];
}

export class Blocks {
  constructor(
    private readonly integer: Reckoned,
    private readonly short: Short,
  ) {}

  sum(left: Value, right: Value): Found {
    if (areShort(left, right)) return this.integer(...left, plus, ...right);
    const [[leftUpper, leftLower], [rightUpper, rightLower]] = [cut(left), cut(right)];
    const lower = this.added(leftLower, rightLower);
    const upper = this.added(leftUpper, rightUpper);
    if (typeof lower !== 'object') return lower;
    if (typeof upper !== 'object') return upper;
    return this.carried(upper, lower);
  }

  /** Negative where the second is greater. */
  difference(left: Value, right: Value, isSwapped = false): Found {
    if (areShort(left, right)) return this.integer(...left, minus, ...right);
    const [[leftUpper, leftLower], [rightUpper, rightLower]] = [cut(left), cut(right)];
    const upper = this.taken(leftUpper, rightUpper);
    if (typeof upper !== 'object') return upper;
    if (isNegative(upper)) return isSwapped ? undefined : withSign(true, this.difference(right, left, true));
    const lower = this.taken(leftLower, rightLower);
    if (typeof lower !== 'object' || isZero(upper)) return lower;
    if (!isNegative(lower)) return joined(upper, lower);
    const borrowed = this.taken(upper, [one]);
    // `1000-7`: the lower block is negative.
    const filled = this.integer(one, ...new Array<number>(blockDigits).fill(zero), ...lower);
    if (typeof borrowed !== 'object') return borrowed;
    if (typeof filled !== 'object') return filled;
    return filled.length > blockDigits ? undefined : joined(borrowed, filled);
  }

  times(digits: Value, digit: number): Found {
    if (isOne(digits)) return [digit];
    if (digits.length <= mostScaled) return this.integer(...digits, star, digit);
    const [upper, lower] = cut(digits, multipliedDigits).map((part) =>
      isZero(part) ? part : this.times(part, digit),
    ) as [Found, Found];
    if (typeof lower !== 'object') return lower;
    if (typeof upper !== 'object') return upper;
    return this.carried(upper, lower, multipliedDigits);
  }

  divided(digits: Value, divisor: Value): FoundPair {
    if (isZero(digits)) return [digits, digits];
    if (digits.length <= mostScaled) return this.short(digits, divisor);
    const first = this.divided(withoutZeros(digits.slice(0, -dividedDigits)), divisor);
    if (typeof first !== 'object') return first;
    const second = this.divided(withoutZeros([...first[1], ...digits.slice(-dividedDigits)]), divisor);
    if (typeof second !== 'object') return second;
    if (second[0].length > dividedDigits) return undefined;
    return [joined(first[0], second[0], dividedDigits), second[1]];
  }

  /** Both blocks as one number; what the lower one has too many is carried. */
  private carried(upper: Value, lower: Value, size = blockDigits): Found {
    if (lower.length <= size) return joined(upper, lower, size);
    const sum = this.added(upper, lower.slice(0, -size));
    return typeof sum === 'object' ? joined(sum, withoutZeros(lower.slice(-size)), size) : sum;
  }

  /** A sum that is not asked where one is zero. */
  private added(left: Value, right: Value): Found {
    return isZero(left) ? right : isZero(right) ? left : this.sum(left, right);
  }

  private taken(left: Value, right: Value): Found {
    return isZero(right) ? left : isZero(left) ? withSign(true, right) : this.difference(left, right);
  }
}
