/** Operations on the bits of told integers: digits of base two side by side, or moved (docs/trace-language.md, section 9). */
import { integerOf } from './literal-values.js';
import type { Part } from './parts.js';
import type { Plan, Told, Value } from './plan.js';
import { charTokens, operatorToken, textTokens } from './tokens.js';

/** Most places that bits are moved by. */
const farthest = 64n;
const [and, or, xor, not] = charTokens('&|^~');

const operations = new Map<number | undefined, (left: bigint, right: bigint) => bigint | undefined>([
  [and, (left, right) => left & right],
  [or, (left, right) => left | right],
  [xor, (left, right) => left ^ right],
  [operatorToken('<<'), (left, right) => (right < 0n || right > farthest ? undefined : left << right)],
  [operatorToken('>>'), (left, right) => (right < 0n || right > farthest ? undefined : left >> right)],
]);

/** `a & b`, `a << 3`, `~a` of integers that are told need no question. */
export function bitsPlan(code: ArrayLike<number>, part: Part, told: Told): Plan | undefined {
  const found =
    part.kind === 'unary' && code[part.first] === not ? turned(part, told) : joined(code, part, told);
  const value = found === undefined ? undefined : textTokens(String(found));
  return value && { questions: 0, value: () => value };
}

const bitsOf = (value: Value | undefined): bigint | undefined => {
  const number = value && integerOf(value);
  return number === undefined ? undefined : BigInt(number);
};

function turned({ parts }: Part, told: Told): bigint | undefined {
  const value = bitsOf(told(parts[0] as Part));
  return value === undefined ? undefined : ~value;
}

function joined(code: ArrayLike<number>, { kind, parts }: Part, told: Told): bigint | undefined {
  const [first, second] = kind === 'binary' ? parts : [];
  const operation = first && operations.get(code[first.until]);
  const [left, right] = [first && bitsOf(told(first)), second && bitsOf(told(second))];
  return left === undefined || right === undefined ? undefined : operation?.(left, right);
}
