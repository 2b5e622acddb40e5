/** Operations on the bits of told integers and truth values: digits of base two side by side, or moved (docs/trace-language.md, section 9). */
import type { Part } from './parts.js';
import type { Plan, Told, Value } from './plan.js';
import { charOf, charTokens, isDigitToken, operatorToken, special, textTokens } from './tokens.js';

/** Most places that bits are moved by. */
const farthest = 64n;
/** Most digits of an integer. */
const mostDigits = 40;
const [and, or, xor, not, minus] = charTokens('&|^~-');
/** Two truth values come to one. */
const joining = new Set([and, or, xor]);

const operations = new Map<number | undefined, (left: bigint, right: bigint) => bigint | undefined>([
  [and, (left, right) => left & right],
  [or, (left, right) => left | right],
  [xor, (left, right) => left ^ right],
  [operatorToken('<<'), (left, right) => (right < 0n || right > farthest ? undefined : left << right)],
  [operatorToken('>>'), (left, right) => (right < 0n || right > farthest ? undefined : left >> right)],
]);

/** `a & b`, `a << 3`, `~a` of integers or truth values that are told need no question. */
export function bitsPlan(code: ArrayLike<number>, part: Part, told: Told): Plan | undefined {
  const value =
    part.kind === 'unary' && code[part.first] === not ? turned(part, told) : joined(code, part, told);
  return value && { questions: 0, value: () => value };
}

const isTruth = (value: Value): boolean =>
  value.length === 1 && (value[0] === special.holds || value[0] === special.fails);

function bitsOf(value: Value): bigint | undefined {
  if (isTruth(value)) return BigInt(value[0] === special.holds);
  const digits = value[0] === minus ? value.slice(1) : value;
  const isInteger = digits.length > 0 && digits.length <= mostDigits && digits.every(isDigitToken);
  return isInteger ? BigInt(value.map(charOf).join('')) : undefined;
}

function turned({ parts }: Part, told: Told): Value | undefined {
  const value = bitsOf(told(parts[0] as Part) ?? []);
  return value === undefined ? undefined : textTokens(String(~value));
}

function joined(code: ArrayLike<number>, { kind, parts }: Part, told: Told): Value | undefined {
  const [first, second] = kind === 'binary' ? parts : [];
  const sign = first && code[first.until];
  const operands = [first, second].map((part) => (part && told(part)) ?? []);
  const [left, right] = operands.map(bitsOf);
  if (left === undefined || right === undefined) return undefined;
  const found = operations.get(sign)?.(left, right);
  if (found === undefined) return undefined;
  return operands.every(isTruth) && joining.has(sign as number)
    ? [found === 1n ? special.holds : special.fails]
    : textTokens(String(found));
}
