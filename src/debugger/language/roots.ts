/**
 * Square roots as on paper: of few digits two at a time, of more from the root of the first half and a division (P. Zimmermann, "Karatsuba Square Root", 1999). Every product, difference and
 * quotient in it is asked.
 */
import { isNegative, isZero, withoutZeros } from './digits.js';
import { bitsOf, digits as digitsFor, floatOf, integerOf, shown } from './floats.js';
import type { Found, Plan, Value, ValueFor } from './plan.js';
import { calculated, pairOf } from './sums.js';
import { charTokens, wordToken } from './tokens.js';

const [zero, one, two, plus, minus, star] = charTokens('012+-*') as [
  number,
  number,
  number,
  number,
  number,
  number,
];
const digitTokens = charTokens('123456789') as number[];
const divmod = wordToken('divmod') as number;
/** Most digits whose root is found two at a time. */
const fewDigits = 10;
/** Bits of what a root is taken of that say which float it is next to. */
const rootBits = 110;

/** What is not known yet, or not at all. */
class Unknown extends Error {
  constructor(readonly found: 'waits' | undefined) {
    super();
  }
}

export interface Root {
  readonly root: Value;
  /** What is left without the square. */
  readonly rest: Value;
}

/** How the root of an integer, and what is left, comes about. */
export function rootPlan(digits: Value): {
  readonly value: (valueFor: ValueFor) => Root | 'waits' | undefined;
} {
  return { value: (valueFor) => asFound(() => rootOf(digits, new Paper(valueFor))) };
}

/** How the root of a number as a float comes about; undefined for negative ones. */
export function floatRootPlan(value: Value): Pick<Plan, 'value'> | undefined {
  const float = floatOf(value);
  if (float === undefined || float.mantissa <= 0n) return undefined;
  const least = Math.max(0, rootBits - bitsOf(float.mantissa));
  const places = least + (Math.abs(float.exponent - least) % 2);
  const digits = digitsFor(float.mantissa << BigInt(places));
  return {
    value: (valueFor) =>
      asFound((): Found => {
        const { root, rest } = rootOf(digits, new Paper(valueFor));
        const integer = 2n * integerOf(root) + (isZero(rest) ? 0n : 1n);
        return shown(integer, (float.exponent - places) / 2 - 1);
      }),
  };
}

function asFound<Answer>(find: () => Answer): Answer | 'waits' | undefined {
  try {
    return find();
  } catch (error) {
    if (error instanceof Unknown) return error.found;
    throw error;
  }
}

/** Operations on integers; what is not known ends it. */
class Paper {
  constructor(private readonly valueFor: ValueFor) {}

  of(operator: number, ...operands: readonly Value[]): Value {
    const found = calculated({ operator, operands }, this.valueFor);
    if (typeof found !== 'object') throw new Unknown(found);
    return found;
  }

  divided(digits: Value, divisor: Value): readonly [quotient: Value, rest: Value] {
    const pair = pairOf(this.of(divmod, digits, divisor));
    if (typeof pair !== 'object') throw new Unknown(pair);
    return pair;
  }
}

function rootOf(digits: Value, paper: Paper): Root {
  if (digits.length <= fewDigits) return byPairs(digits, paper);
  // So that the root of what stands before is not off by more than one in its last digit.
  const half = Math.floor((digits.length - 1) / 4);
  const [upper, lower] = [digits.slice(0, -2 * half), digits.slice(-2 * half)];
  const first = rootOf(upper, paper);
  const [quotient, left] = paper.divided(
    withoutZeros([...first.rest, ...lower.slice(0, half)]),
    paper.of(star, first.root, [two]),
  );
  let root = paper.of(plus, [...first.root, ...zeros(half)], quotient);
  let rest = paper.of(
    minus,
    withoutZeros([...left, ...lower.slice(half)]),
    paper.of(star, quotient, quotient),
  );
  while (isNegative(rest)) {
    rest = paper.of(plus, rest, paper.of(minus, paper.of(star, root, [two]), [one]));
    root = paper.of(minus, root, [one]);
  }
  return { root, rest };
}

/** Two digits at a time: with 2 r, so far, the next digit d is the greatest with (20 r + d) d not more than what is left. */
function byPairs(digits: Value, paper: Paper): Root {
  const padded = digits.length % 2 === 0 ? digits : [zero, ...digits];
  let [root, rest]: [Value, Value] = [[], [zero]];
  for (let at = 0; at < padded.length; at += 2) {
    rest = withoutZeros([...rest, ...padded.slice(at, at + 2)]);
    const doubled = root.length === 0 ? [] : paper.of(star, root, [two]);
    let next: { readonly digit: number; readonly rest: Value } = { digit: zero, rest };
    for (const digit of digitTokens) {
      const square = paper.of(star, withoutZeros([...doubled, digit]), [digit]);
      const left = paper.of(minus, rest, square);
      if (isNegative(left)) break;
      next = { digit, rest: left };
      if (isZero(left)) break;
    }
    rest = next.rest;
    root = withoutZeros([...root, next.digit]);
  }
  return { root, rest };
}

const zeros = (count: number): Value => new Array<number>(count).fill(zero);
