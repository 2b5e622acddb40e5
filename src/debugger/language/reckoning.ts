/**
 * Operations on integers that are carried out as on paper, each product, quotient and difference asked: greatest common divisors by Euclid's algorithm, powers by
 * squaring, roots (roots.ts) and what floats come to (floats.ts).
 */
import { withPoint } from './decimals.js';
import { digitsOf, isNegative, isZero, numberOf, withoutZeros, withSign } from './digits.js';
import { digitsOfFloat, floatPlanOf } from './floats.js';
import type { Operation } from './mathematics.js';
import { mostItemWorkings } from './open-questions.js';
import type { Value, ValueFor } from './plan.js';
import { floatRootPlan, rootPlan } from './roots.js';
import { charOf, charTokens, isDigitToken, operatorToken, textTokens, wordTokens } from './tokens.js';

/** What an expression of code tokens comes to. */
export type Reckon = (code: readonly number[]) => Promise<Value>;

const [zero, one, two, plus, minus] = charTokens('012+-') as [number, number, number, number, number];
const [star, slash, percent] = charTokens('*/%') as [number, number, number];
const [point, opening, closing] = charTokens('.()') as [number, number, number];
const [isTrue, isFalse] = wordTokens('True False') as [number, number];
const [power, quotient] = ['**', '//'].map(operatorToken) as [number, number];
/** Most digits of an integer. */
const mostDigits = 20;
/** Most digits of what a root is taken of. */
const longestRoot = 10;
const mostDivisions = 24;
const mostPlaces = 16;
const greatestFactorial = 15;
const greatestExponent = 2n ** 16n;

const isWhole = (value: Value): boolean => {
  const digits = digitsOf(value);
  return digits.length > 0 && digits.length <= mostDigits && digits.every(isDigitToken);
};

/** What an operation comes to; undefined for what it is not carried out on. */
export async function reckoned(
  operation: Operation,
  given: readonly Value[],
  reckon: Reckon,
): Promise<Value | undefined> {
  const [value, other, modulus] = given as [Value, Value?, Value?];
  if (operation === 'nearest' && other) return toPlaces(value, other, reckon);
  if (operation === 'floor' || operation === 'ceiling' || operation === 'nearest')
    return whole(operation, value, reckon);
  if (operation === 'square') return squareOf(value, reckon);
  if (operation === 'product' || operation === 'quotient')
    return other && ofFloats(operation, value, other, reckon);
  if (!given.every(isWhole)) return modulus ? undefined : ofFloat(operation, value, other, reckon);
  if (operation === 'gcd') return other && divisorOf(digitsOf(value), digitsOf(other), reckon);
  if (operation === 'lcm') return other && multipleOf(digitsOf(value), digitsOf(other), reckon);
  if (operation === 'factorial') return factorialOf(value, reckon);
  if (operation === 'power') return other && powerOf(value, other, modulus, reckon);
  if (operation === 'bit length' || operation === 'binary') return bitsOf(operation, value);
  return isNegative(value) ? undefined : fromRoot(operation, value, reckon);
}

/** What a plan comes to, one question after the other. */
async function carriedOut<Answer>(
  plan: { readonly value: (valueFor: ValueFor) => Answer | 'waits' | undefined },
  reckon: Reckon,
): Promise<Answer | undefined> {
  const answers = new Map<string, Value>();
  for (;;) {
    let open: Value | undefined;
    const found = plan.value((code) => {
      const answer = answers.get(code.join());
      if (answer === undefined) open ??= code;
      return answer ?? 'waits';
    });
    if (found !== 'waits' || open === undefined) return found === 'waits' ? undefined : found;
    answers.set(open.join(), await reckon(open));
  }
}

async function floatRoot(value: Value, reckon: Reckon): Promise<Value | undefined> {
  const plan = floatRootPlan(value);
  return plan && carriedOut(plan, reckon);
}

async function fromRoot(operation: Operation, value: Value, reckon: Reckon): Promise<Value | undefined> {
  if (value.length > longestRoot) return operation === 'root' ? floatRoot(value, reckon) : undefined;
  const found = await carriedOut(rootPlan(value), reckon);
  if (found === undefined) return undefined;
  const { root, rest } = found;
  const isSquare = isZero(rest);
  if (operation === 'is square') return [isSquare ? isTrue : isFalse];
  if (operation === 'root') return isSquare ? [...root, point, zero] : floatRoot(value, reckon);
  if (operation === 'floor root' || isSquare) return root;
  const isNearer = operation === 'ceiling root' || isNegative(await reckon([...root, minus, ...rest]));
  return isNearer ? reckon([...root, plus, one]) : root;
}

async function ofFloat(
  operation: Operation,
  value: Value,
  other: Value | undefined,
  reckon: Reckon,
): Promise<Value | undefined> {
  if (operation === 'root') return floatRoot(value, reckon);
  const isSquare = operation === 'power' && other?.length === 1 && other[0] === two;
  return isSquare ? squareOf(value, reckon) : undefined;
}

/** A product or quotient of floats that takes more questions than workings have. */
async function ofFloats(
  operation: 'product' | 'quotient',
  left: Value,
  right: Value,
  reckon: Reckon,
): Promise<Value | undefined> {
  const plan = floatPlanOf(operation === 'product' ? star : slash, [left, right]);
  return plan && plan.questions > mostItemWorkings ? carriedOut(plan, reckon) : undefined;
}

/** Of a float. */
async function squareOf(value: Value, reckon: Reckon): Promise<Value | undefined> {
  const plan = value.includes(point) ? floatPlanOf(star, [value, value]) : undefined;
  return plan && carriedOut(plan, reckon);
}

async function divisorOf(a: Value, b: Value, reckon: Reckon): Promise<Value | undefined> {
  let [left, right] = [a, b];
  for (let count = 0; count < mostDivisions; count += 1) {
    if (isZero(right)) return left;
    [left, right] = [right, await reckon([...left, percent, ...right])];
  }
  return undefined;
}

async function multipleOf(a: Value, b: Value, reckon: Reckon): Promise<Value | undefined> {
  if (isZero(a) || isZero(b)) return [zero];
  const divisor = await divisorOf(a, b, reckon);
  return divisor && reckon([...(await reckon([...a, quotient, ...divisor])), star, ...b]);
}

async function factorialOf(value: Value, reckon: Reckon): Promise<Value | undefined> {
  const number = numberOf(value);
  if (isNegative(value) || number > greatestFactorial) return undefined;
  let product: Value = [one];
  for (let factor = 2; factor <= number; factor += 1)
    product = await reckon([...product, star, ...textTokens(String(factor))]);
  return product;
}

async function powerOf(
  value: Value,
  exponent: Value,
  modulus: Value | undefined,
  reckon: Reckon,
): Promise<Value | undefined> {
  const base = isNegative(value) ? [opening, ...value, closing] : value;
  if (modulus === undefined) return isNegative(exponent) ? undefined : reckon([...base, power, ...exponent]);
  const bits = BigInt(exponent.map(charOf).join(''));
  if (bits < 0n || bits >= greatestExponent || isNegative(modulus) || isZero(modulus)) return undefined;
  const reduced = (code: Value): Promise<Value> => reckon([...code, percent, ...modulus]);
  const product = async (a: Value, b: Value): Promise<Value> => reduced(await reckon([...a, star, ...b]));
  let found = await reduced([one]);
  let square = await reduced(base);
  for (let left = bits; left > 0n; left >>= 1n) {
    if (left % 2n === 1n) found = await product(found, square);
    if (left > 1n) square = await product(square, square);
  }
  return found;
}

/** The digits of base two need no question, as those of operations on bits. */
function bitsOf(operation: 'bit length' | 'binary', value: Value): Value {
  const bits = BigInt(digitsOf(value).map(charOf).join('')).toString(2);
  if (operation === 'bit length') return textTokens(String(bits === '0' ? 0 : bits.length));
  return textTokens(`'${isNegative(value) ? '-' : ''}0b${bits}'`);
}

/** The integer below, above or next to a number with a point. */
async function whole(
  operation: 'floor' | 'ceiling' | 'nearest',
  value: Value,
  reckon: Reckon,
): Promise<Value | undefined> {
  if (isWhole(value)) return value;
  const digits = digitsOf(value);
  const at = digits.indexOf(point as number);
  const [before, behind] = [digits.slice(0, at), digits.slice(at + 1)];
  if (at < 1 || ![...before, ...behind].every(isDigitToken)) return undefined;
  const goesUp = isAbove(operation, isNegative(value), before, behind);
  const found = goesUp ? await reckon([...before, plus, one]) : before;
  return withSign(isNegative(value), found) as Value;
}

/** A float with so many decimals that is next to it; of two that are as near, the one whose last digit is even. */
async function toPlaces(value: Value, count: Value, reckon: Reckon): Promise<Value | undefined> {
  const [digits, places] = [digitsOfFloat(value), numberOf(count)];
  if (digits === undefined || !isWhole(count) || isNegative(count) || places > mostPlaces) return undefined;
  const { whole, decimals } = digits;
  const kept = withoutZeros([...whole, ...decimals.slice(0, places)]);
  // Of fewer decimals there is nothing to leave out.
  if (decimals.length <= places) return value;
  const goesUp = isAbove('nearest', isNegative(value), kept, decimals.slice(places));
  const found = withPoint(goesUp ? await reckon([...kept, plus, one]) : kept, places);
  return found && [...value.slice(0, Number(isNegative(value))), ...found];
}

/** Whether the integer is farther from zero than what stands before the point. */
function isAbove(operation: Operation, isBelowZero: boolean, before: Value, behind: Value): boolean {
  const texts = behind.map(charOf).join('');
  if (operation !== 'nearest') return /[1-9]/.test(texts) && isBelowZero === (operation === 'floor');
  // Half way between two integers it is the even one.
  const isHalf = /^50*$/.test(texts);
  return isHalf ? numberOf(before.slice(-1)) % 2 === 1 : texts >= '5';
}
