/** `-x`, `+x` and `abs(x)` of numbers that are told: their digits stand there (docs/trace-language.md, section 9). */
import { digitsOf, isNegative } from './digits.js';
import { typeName } from './kinds.js';
import type { Part } from './parts.js';
import type { Plan, Told, Value } from './plan.js';
import { charTokens, wordToken } from './tokens.js';

const [plus, minus, zero] = charTokens('+-0');
const abs = wordToken('abs');

export function signPlan(
  code: ArrayLike<number>,
  { kind, first, parts }: Part,
  told: Told,
): Plan | undefined {
  const [callee, given, ...others] = parts;
  const isCall = kind === 'call' && callee?.kind === 'name' && code[first] === abs && others.length === 0;
  const number = isCall ? given : kind === 'unary' ? callee : undefined;
  const value = number && told(number);
  if (value === undefined || !['int', 'float'].includes(typeName(value) ?? '')) return undefined;
  const found = isCall ? digitsOf(value) : signed(code[first] as number, value);
  return found && { questions: 0, value: () => found };
}

function signed(sign: number, value: Value): Value | undefined {
  if (sign === plus) return value;
  if (sign !== minus) return undefined;
  // The integer zero has no sign.
  if (value.length === 1 && value[0] === zero) return value;
  return isNegative(value) ? digitsOf(value) : [minus, ...value];
}
