/** Sums, and the greatest or least, of numbers with decimals: they are asked as one addition or comparison after the other. */
import { expressionParts } from './expression-parts.js';
import { iterated } from './iterated.js';
import type { Part } from './parts.js';
import type { Value } from './plan.js';
import { charToken, charTokens, isDigitToken, special, wordTokens } from './tokens.js';
import { toldValue } from './told.js';

const [sum, max, min, isTrue] = wordTokens('sum max min True') as [number, number, number, number];
const [minus, zero, plus, less] = charTokens('-0+<') as [number, number, number, number];
const point = charToken('.');
/** Most numbers of a call. */
const mostNumbers = 64;

export interface DecimalCall {
  readonly name: number;
  readonly numbers: readonly Value[];
}

/** The numbers that a closed question is about, in order; undefined for other questions, and for integers alone. */
export function decimalCall(question: readonly number[]): DecimalCall | undefined {
  const code = question[0] === special.evaluate ? question.slice(1) : [];
  const [name] = code;
  const part = name === sum || name === max || name === min ? expressionParts(code) : undefined;
  const [callee, over, ...others] = part?.kind === 'call' ? part.parts : [];
  if (name === undefined || callee?.kind !== 'name' || over === undefined) return undefined;
  const told = (inner: Part): Value | undefined => toldValue(code, inner, () => undefined);
  const isSeveral = others.length > 0 && name !== sum;
  const numbers = isSeveral
    ? [over, ...others].map(told)
    : others.length === 0
      ? iterated(code, over, told, mostNumbers)
      : undefined;
  const areNumbers = numbers?.every((one): one is Value => one !== undefined && isNumber(one)) === true;
  return areNumbers && numbers.some((one) => one?.includes(point))
    ? { name, numbers: numbers as Value[] }
    : undefined;
}

function isNumber(value: Value): boolean {
  const digits = value[0] === minus ? value.slice(1) : value;
  const isNegativeZero = digits !== value && digits.every((token) => token === zero || token === point);
  const points = digits.filter((token) => token === point).length;
  const areDigits = digits.every((token) => isDigitToken(token) || token === point);
  return isDigitToken(digits[0]) && points < 2 && areDigits && !isNegativeZero;
}

/**
 * What such a call comes to, from the first number on; of several that are equal the first. A sum is rounded after every addition, as CPython does up to 3.11 (later
 * versions round once more in the end, which hardly ever shows).
 */
export async function ofDecimals(
  { name, numbers }: DecimalCall,
  reckon: (code: readonly number[]) => Promise<Value | undefined>,
): Promise<Value | undefined> {
  let [found, ...others] = numbers;
  for (const number of others) {
    if (found === undefined) return undefined;
    if (name === sum) found = await reckon([...found, plus, ...number]);
    else {
      const [low, high]: [Value, Value] = name === max ? [found, number] : [number, found];
      const holds: Value | undefined = await reckon([...low, less, ...high]);
      if (holds === undefined) return undefined;
      if (holds[0] === isTrue) found = number;
    }
  }
  return found;
}
