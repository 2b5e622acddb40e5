/** How many questions an operation on integers may need that is made of others (docs/trace-language.md, section 9): a line has a limit. */
import { blockDigits, dividedDigits, multipliedDigits } from './blocks.js';
import { mostColumns, mostScaled, type Operation } from './columns.js';
import { digitsOf, notZero, numberOf } from './digits.js';
import type { Value } from './plan.js';
import { decimalsOf, placesOf } from './quotients.js';
import { charTokens, operatorToken, wordToken } from './tokens.js';

const [star, slash, rest] = charTokens('*/%');
const divmod = wordToken('divmod');
export const divisions: ReadonlySet<number | undefined> = new Set([operatorToken('//'), rest, divmod, slash]);
/** A thousand times the decimal logarithms of 0 to 10, rounded up; 0 counts as 1. */
const thousandths = [0, 0, 302, 478, 603, 699, 779, 846, 904, 955, 1000];

/** Most questions that an operation needs which is made of others. */
export function questionsOf({ operator, operands }: Operation): number {
  const [first = [], ...others] = operands.map(digitsOf);
  if (divisions.has(operator)) return questionsOfDivision(operator, first, others[0] ?? []);
  const longest = Math.max(...operands.map((operand) => digitsOf(operand).length));
  if (operator !== star) return others.length * 2 * questionsFor(longest);
  let [total, size] = [0, magnitude(first)];
  for (const operand of others) {
    size += magnitude(operand);
    const digits = Math.floor(size / 1000) + 1;
    const pieces = placesOf(operand) ? 0 : notZero(operand);
    total += pieces * multiplyingQuestionsFor(digits) + Math.max(0, pieces - 1) * questionsFor(digits);
  }
  return total;
}

/** Most questions for a sum of integers of so many digits. */
const questionsFor = (digits: number): number =>
  digits <= mostColumns ? 1 : 2 * Math.ceil((digits + 1) / blockDigits);

/** For a product of one with a single digit. */
const multiplyingQuestionsFor = (digits: number): number =>
  digits <= mostScaled ? 1 : 2 * Math.ceil(digits / multipliedDigits);

/** For what is left when something is taken away. */
const dividingQuestionsFor = (digits: number): number =>
  digits <= mostColumns ? 1 : 3 * Math.ceil(digits / blockDigits);

/** At least a thousand times the decimal logarithm. */
const magnitude = (digits: Value): number =>
  1000 * (digits.length - 1) +
  (thousandths[numberOf(digits.slice(0, 1)) + Math.min(1, digits.length - 1)] as number);

/** What a quotient needs, and what signs and its fraction do besides. */
function questionsOfDivision(operator: number, digits: Value, divisor: Value): number {
  const longest = Math.max(digits.length, divisor.length + 1);
  const besides = (operator === divmod ? 2 : 1) * dividingQuestionsFor(longest);
  if (placesOf(divisor)) return besides;
  const decimals = operator === slash ? decimalsOf(divisor) : 0;
  return besides + questionsOfQuotient(digits, divisor, decimals);
}

/** One for each digit of what is divided by a single digit, five for each of the quotient by a longer one, and one for the fivefold. */
export function questionsOfQuotient(digits: Value, divisor: Value, decimals = 0): number {
  if (divisor.length === 1) return Math.max(1, digits.length / dividedDigits) + decimals;
  const fivefold = multiplyingQuestionsFor(divisor.length);
  const count = Math.max(0, digits.length - divisor.length + 1) + decimals;
  return fivefold + 5 * count * dividingQuestionsFor(divisor.length + 1);
}
