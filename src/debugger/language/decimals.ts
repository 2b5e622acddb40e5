/** Numbers with decimals, where they are compared as integers are (docs/trace-language.md, section 9). */
import type { Value } from './plan.js';
import { withoutZeros } from './quotients.js';
import { charTokens, isDigitToken } from './tokens.js';

const [minus, zero, point] = charTokens('-0.');

interface Decimal {
  readonly isNegative: boolean;
  readonly whole: Value;
  readonly decimals: Value;
}

/** Numbers as integers, all moved by as many places as the one with most decimals needs; as they are, where none has any or one is no such number. */
export function withoutPoints(values: readonly Value[]): readonly Value[] {
  const read = values.map(decimalOf);
  if (!read.every((decimal) => decimal !== undefined)) return values;
  const places = Math.max(...read.map(({ decimals }) => decimals.length));
  if (places === 0) return values;
  return read.map(({ isNegative, whole, decimals }) => {
    const filled = new Array<number>(places - decimals.length).fill(zero);
    const digits = withoutZeros([...whole, ...decimals, ...filled]);
    return isNegative && digits.join() !== `${zero}` ? [minus, ...digits] : digits;
  });
}

/** undefined for what is not written with digits, and a point between them if it has one. */
function decimalOf(value: Value): Decimal | undefined {
  const isNegative = value[0] === minus;
  const digits = isNegative ? value.slice(1) : value;
  const at = digits.indexOf(point);
  const [whole, decimals] = at < 0 ? [digits, []] : [digits.slice(0, at), digits.slice(at + 1)];
  const isWhole = whole.length > 0 && (at < 0 || decimals.length > 0);
  return isWhole && [...whole, ...decimals].every(isDigitToken) ? { isNegative, whole, decimals } : undefined;
}
