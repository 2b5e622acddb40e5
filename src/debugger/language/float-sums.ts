/** Sums of numbers with decimals, which are asked as one addition after the other. */
import { expressionParts } from './expression-parts.js';
import { iterated } from './iterated.js';
import type { Value } from './plan.js';
import { charToken, charTokens, isDigitToken, special, wordToken } from './tokens.js';
import { toldValue } from './told.js';

const sum = wordToken('sum');
const [minus, zero] = charTokens('-0');
const point = charToken('.') as number;
/** Most numbers of a sum. */
const mostSummands = 64;

/** The numbers that a closed question adds, in order; undefined for other questions, and sums of integers alone. */
export function floatSummands(question: readonly number[]): readonly Value[] | undefined {
  const code = question[0] === special.evaluate ? question.slice(1) : [];
  const part = code[0] === sum ? expressionParts(code) : undefined;
  const [callee, over, ...others] = part?.kind === 'call' ? part.parts : [];
  if (callee?.kind !== 'name' || over === undefined || others.length > 0) return undefined;
  const told = (inner: typeof over): Value | undefined => toldValue(code, inner, () => undefined);
  const items = iterated(code, over, told, mostSummands);
  const areNumbers =
    items?.length !== 0 && items?.every(isNumber) && items.some((item) => item.includes(point));
  return areNumbers ? items : undefined;
}

function isNumber(value: Value): boolean {
  const digits = value[0] === minus ? value.slice(1) : value;
  const isNegativeZero = digits !== value && digits.every((token) => token === zero || token === point);
  const points = digits.filter((token) => token === point).length;
  return (
    isDigitToken(digits[0]) &&
    points < 2 &&
    digits.every((token) => isDigitToken(token) || token === point) &&
    !isNegativeZero
  );
}
