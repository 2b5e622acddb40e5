/**
 * What operations on integers come to, by way of others that are asked in columns: products of long ones, powers, divisions, what has signs, comparisons
 * (docs/trace-language.md, section 9).
 */
import { Blocks } from './blocks.js';
import { inColumns, type Operation } from './columns.js';
import { exactly, withoutPoints, withPoint } from './decimals.js';
import { digitsOf, isNegative, isZero, notZero, numberOf, withSign } from './digits.js';
import { isSequence, itemsIn } from './displays.js';
import { listed } from './items.js';
import { iterated } from './iterated.js';
import { isLazy } from './known-calls.js';
import { divisions, questionsOf } from './most-questions.js';
import type { Part } from './parts.js';
import type { Found, Plan, Told, Value, ValueFor } from './plan.js';
import {
  type Divided,
  type FoundPair,
  fractionOf,
  longDivision,
  moved,
  placesOf,
  type Reckoned,
} from './quotients.js';
import { charTokens, isDigitToken, operatorToken, special, wordToken, wordTokens } from './tokens.js';

const [plus, minus, star, slash, rest, zero, one] = charTokens('+-*/%01');
const [power, divide] = [operatorToken('**'), operatorToken('//')];
const [less, greater, opening, closing, comma] = charTokens('<>(),');
const [atMost, atLeast] = [operatorToken('<='), operatorToken('>=')];
const [divmod, sum, max, min] = wordTokens('divmod sum max min') as [number, number, number, number];
type Tokens = ReadonlySet<number | undefined>;
const reckoning: Tokens = new Set(wordTokens('abs divmod max min sum'));
const valuesView = wordToken('values');
const computed: Tokens = new Set([plus, minus, star, power, divide, rest]);
/** With a fraction a division is left to the step, unless it is made of others. */
const reckoned: Tokens = new Set([...computed, slash]);
/** With decimals, or as floats. */
export const pointed: Tokens = new Set([plus, minus, star, slash]);
export const compared: Tokens = new Set([less, atMost, greater, atLeast]);
const extremes: Tokens = new Set([max, min]);
/** Most digits of an operand. */
const mostDigits = 20;
/** Of more integers of one digit the greatest or least is found one by one. */
const mostAtOnce = 12;
/** Most factors of a power. */
const mostFactors = 32;

/** The operator of a part of the code that has two operands. */
export function operatorOf(code: ArrayLike<number>, { kind, parts }: Part): number | undefined {
  const [left, right] = parts;
  const isBinary = (kind === 'binary' || kind === 'compare') && parts.length === 2;
  if (!isBinary || left === undefined || right === undefined) return undefined;
  return left.until < right.begin ? code[left.until] : undefined;
}

/**
 * Whether a part is a sum, a difference, a product, a power or a division without a fraction, a sign, a comparison or the call of one of a few functions: what a
 * step is not left to come to by itself.
 */
export function isComputed(code: ArrayLike<number>, part: Part): boolean {
  const { kind, first, parts } = part;
  if (kind === 'call') return parts[0]?.kind === 'name' && reckoning.has(code[first]);
  return kind === 'compare' || kind === 'unary' || computed.has(operatorOf(code, part));
}

/** Whether a value is an integer of not too many digits. */
export function isInteger(value: Value): boolean {
  const digits = digitsOf(value);
  return digits.length >= 1 && digits.length <= mostDigits && digits.every(isDigitToken);
}

/** Whether all are integers, one or more of them of several digits or negative. */
const areLong = (values: readonly Value[]): boolean =>
  values.every(isInteger) && values.some((value) => value.length > 1);

/** How an operation on integers comes about that is not asked in columns itself; undefined for other parts. */
export function sumPlan(code: ArrayLike<number>, part: Part, told: Told): Plan | undefined {
  const operation = operationOf(code, part, told);
  if (operation === undefined) return pointedPlan(code, part, told);
  if (inColumns(operation)) return undefined;
  return { questions: questionsOf(operation), value: (valueFor) => calculated(operation, valueFor) };
}

/** How a sum, a difference, a product or a quotient of numbers with decimals comes about: as that of integers, with a point. */
function pointedPlan(code: ArrayLike<number>, part: Part, told: Told): Plan | undefined {
  const operator = operatorOf(code, part);
  if (operator === undefined || !pointed.has(operator)) return undefined;
  const isProduct = operator === star;
  const { operands = [], places = 0 } =
    exactly(
      part.parts.map((inner) => told(inner) ?? []),
      isProduct,
    ) ?? {};
  const [, right = []] = operands;
  if (operands.length < 2 || !operands.every(isInteger) || (operator === slash && !isDivisor(right)))
    return undefined;
  const operation = { operator, operands };
  const value = (valueFor: ValueFor): Found => {
    const found = calculated(operation, valueFor);
    return typeof found === 'object' && operator !== slash ? withPoint(found, places) : found;
  };
  return { questions: questionsOf(operation), value };
}

/**
 * What a part comes to that is a sum, a difference or a product of two integers, a power of one, one divided by another, which of two numbers is greater, or the
 * sum, the greatest or the least of several; undefined for other parts, and where no operand has several digits. `told`: the value of a part, if it is known.
 */
export function operationOf(code: ArrayLike<number>, part: Part, told: Told): Operation | undefined {
  if (part.kind === 'call') return ofCall(code, part, told);
  const operator = operatorOf(code, part);
  if (operator === undefined || !(part.kind === 'compare' ? compared : reckoned).has(operator))
    return undefined;
  const values = part.parts.map((inner) => told(inner) ?? []);
  const [left = [], right = []] = values;
  if (operator === power) return powerOf(left, right);
  const operands = compared.has(operator) ? withoutPoints(values) : values;
  const isLong = operands === values ? areLong(operands) : operands.every(isInteger);
  const isMade = isLong && (!divisions.has(operator) || isDivisor(right));
  return isMade ? { operator, operands } : undefined;
}

const isDivisor = (value: Value): boolean => isInteger(value) && !isNegative(value) && value[0] !== zero;

/** A power as a product of several factors; undefined for squares of single digits, and where it has surely too many digits. */
function powerOf(base: Value, exponent: Value): Operation | undefined {
  if (!isInteger(base) || !isInteger(exponent) || isNegative(exponent)) return undefined;
  const digits = digitsOf(base);
  const times = numberOf(exponent);
  const isTrivial = digits.length === 1 && (times < 3 || digits[0] === zero || digits[0] === one);
  const isLong = times > mostFactors || (digits.length - 1) * times >= mostDigits;
  const isMade = times > 1 && !isTrivial && !isLong;
  return isMade ? { operator: star, operands: new Array<Value>(times).fill(base) } : undefined;
}

/** What a call of `divmod`, `sum`, `max` or `min` comes to. */
function ofCall(code: ArrayLike<number>, { first, parts }: Part, told: Told): Operation | undefined {
  const [callee, ...given] = parts as [Part, ...Part[]];
  const name = code[first] as number;
  if (callee.kind !== 'name' || !(name === divmod || name === sum || extremes.has(name))) return undefined;
  const values = given.map((inner) => valueGiven(code, inner, told));
  if (!values.every((value) => value !== undefined)) return undefined;
  const operands = name === divmod ? values : operandsOf(name, values);
  const isMany = name === sum || (extremes.has(name) && operands.length > mostAtOnce);
  const isMade = isMany ? operands.every(isInteger) : areLong(operands);
  if (operands.length < 2 || !isMade) return undefined;
  if (name !== divmod) return { operator: name === sum ? plus : name, operands };
  const isDivision = operands.length === 2 && isDivisor(operands[1] as Value);
  return isDivision ? { operator: name, operands } : undefined;
}

/** The value of an argument; of the values of a dict the list. */
function valueGiven(code: ArrayLike<number>, part: Part, told: Told): Value | undefined {
  const callee = part.parts[0];
  if (!isLazy(code, part) || callee === undefined || code[callee.end - 1] !== valuesView) return told(part);
  const items = iterated(code, part, told);
  return items && listed(items);
}

/** What `sum`, `max` and `min` go over: the items of a list or tuple; of the latter two several values as well. */
function operandsOf(name: number, values: readonly Value[]): readonly Value[] {
  const [only = [], ...others] = values;
  if (others.length > 0 || !isSequence(only)) return name === sum ? [] : values;
  return itemsIn(only);
}

/** The value of an operation that is not asked in columns itself, by way of some that are: `valueFor` tells what code comes to. */
export function calculated({ operator, operands }: Operation, valueFor: ValueFor): Found {
  const integer: Reckoned = (...code) => {
    const found = valueFor(code);
    return typeof found !== 'object' || isInteger(found) ? found : undefined;
  };
  const blocks = new Blocks(integer, (digits, divisor) =>
    pairOf(valueFor([divmod, opening, ...digits, comma, ...divisor, closing])),
  );
  const ofTwo = (by: number, left: Value, right: Value): Found => {
    if (inColumns({ operator: by, operands: [left, right] })) return integer(...left, by, ...right);
    if (compared.has(by) || extremes.has(by)) {
      const difference = ofTwo(minus, left, right);
      return typeof difference === 'object' ? chosen(by, difference, left, right) : difference;
    }
    if (divisions.has(by)) return dividedBy(by, left, right, blocks);
    const [upper, lower] = [digitsOf(left), digitsOf(right)];
    const isDifferent = isNegative(left) !== isNegative(right);
    if (by === star) return withSign(isDifferent, product(upper, lower, blocks));
    if ((by === plus) === !isDifferent) return withSign(isNegative(left), blocks.sum(upper, lower));
    return isNegative(left) ? blocks.difference(lower, upper) : blocks.difference(upper, lower);
  };
  const [first, ...others] = operands;
  return others.reduce<Found>(
    (found, other) => (typeof found === 'object' ? ofTwo(operator, found, other) : found),
    first,
  );
}

/** The outcome of a comparison, or the greater or lesser of two integers, by their difference. */
function chosen(operator: number, difference: Value, left: Value, right: Value): Value {
  const isLess = isNegative(difference);
  const isEqual = isZero(difference);
  if (extremes.has(operator)) return !isEqual && isLess === (operator === max) ? right : left;
  return [holdsFor(operator, isLess, isEqual) ? special.holds : special.fails];
}

/** Whether a comparison holds whose first operand is less than the second, or equal. */
export function holdsFor(operator: number, isLess: boolean, isEqual: boolean): boolean {
  const isAtMost = isLess || isEqual;
  if (operator === less) return isLess;
  if (operator === atMost) return isAtMost;
  return operator === greater ? !isAtMost : !isLess;
}

/** The quotient of a division, its rest, both of them, or the quotient with its fraction. */
function dividedBy(operator: number, left: Value, divisor: Value, blocks: Blocks): Found {
  const divided: Divided = (digits) => {
    const places = placesOf(divisor);
    if (places !== undefined) return moved(digits, places);
    return divisor.length > 1 ? longDivision(digits, divisor, blocks) : blocks.divided(digits, divisor);
  };
  if (operator === slash) return withSign(isNegative(left), fractionOf(digitsOf(left), divisor, divided));
  const pair = divided(digitsOf(left));
  if (typeof pair !== 'object') return pair;
  const isBetween = isNegative(left) && !isZero(pair[1]);
  const quotient = (): Found => withSign(isNegative(left), isBetween ? blocks.sum(pair[0], [one]) : pair[0]);
  const remainder = (): Found => (isBetween ? blocks.difference(divisor, pair[1]) : pair[1]);
  if (operator === divmod) return tupleOf(quotient(), remainder());
  return operator === rest ? remainder() : quotient();
}

function tupleOf(first: Found, second: Found): Found {
  if (typeof first !== 'object') return first;
  return typeof second === 'object' ? [opening, ...first, comma, ...second, closing] : second;
}

/** The two integers of a tuple; undefined for other values. */
export function pairOf(found: Found): FoundPair {
  if (typeof found !== 'object') return found;
  const at = found.indexOf(comma);
  const pair = [found.slice(1, at), found.slice(at + 1, -1)] as const;
  return found[0] === opening && at > 0 && pair.every(isInteger) ? pair : undefined;
}

/** `34 * 56` is `34 * 5`, moved by one place, and `34 * 6`. */
function product(left: Value, right: Value, blocks: Blocks): Found {
  const isSwapped = notZero(left) < notZero(right);
  const [upper, lower] = isSwapped ? [right, left] : [left, right];
  // All of them before the first sum, so that they are asked together.
  const pieces = lower
    .toReversed()
    .flatMap((digit, place) =>
      digit === zero ? [] : [{ place, found: digit === one ? upper : blocks.times(upper, digit) }],
    );
  if (pieces.some(({ found }) => found === 'waits')) return 'waits';
  let total: Value | undefined;
  for (const { place, found } of pieces) {
    if (typeof found !== 'object') return undefined;
    const piece = [...found, ...new Array<number>(place).fill(zero)];
    const sum = total === undefined ? piece : blocks.sum(total, piece);
    if (typeof sum !== 'object') return sum;
    total = sum;
  }
  return total ?? [zero];
}
