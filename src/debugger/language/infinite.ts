/** Comparisons, sums and extremes of numbers of which some are infinite (docs/trace-language.md, section 9): which they are tells them. */
import { isDecimal } from './decimals.js';
import { digitsOf, isNegative } from './digits.js';
import { isSequence, itemsIn, withCommas } from './displays.js';
import type { Part } from './parts.js';
import type { Found, Plan, Told, Value, ValueFor } from './plan.js';
import { charTokens, operatorToken, special, wordTokens } from './tokens.js';

const [plus, minus, less, greater, opening, closing] = charTokens('+-<>()');
const [max, min, inf] = wordTokens('max min inf') as [number, number, number];
const comparisons = new Map<number | undefined, (left: number, right: number) => boolean>([
  [less, (left, right) => left < right],
  [greater, (left, right) => left > right],
  [operatorToken('<='), (left, right) => left <= right],
  [operatorToken('>='), (left, right) => left >= right],
  [operatorToken('=='), (left, right) => left === right],
  [operatorToken('!='), (left, right) => left !== right],
]);

/** -1 and 1 for the infinite ones, 0 for other numbers; undefined for what is none. */
function rankOf(value: Value): number | undefined {
  const digits = digitsOf(value);
  if (digits.length === 1 && digits[0] === inf) return isNegative(value) ? -1 : 1;
  return isDecimal(value) ? 0 : undefined;
}

/** Whether a part is an infinite number that was worked out: programs have no name for one but their own, which is a slot. */
export function isInfinite(code: ArrayLike<number>, { kind, first, parts }: Part): boolean {
  if (kind === 'name') return code[first] === inf;
  const [inner] = parts;
  return kind === 'unary' && code[first] === minus && inner?.kind === 'name' && code[inner.first] === inf;
}

/** How it comes about what numbers come to of which one at least is infinite; undefined for other parts. */
export function infinitePlan(code: ArrayLike<number>, part: Part, told: Told): Plan | undefined {
  const { kind, first, parts } = part;
  if (kind === 'call' && parts[0]?.kind === 'name')
    return extremePlan(code[first] as number, parts.slice(1), told);
  const values = parts.map((inner) => told(inner) ?? []);
  const [left, right] = values.map(rankOf);
  if ((kind !== 'binary' && kind !== 'compare') || values.length !== 2) return undefined;
  if (left === undefined || right === undefined || (left === 0 && right === 0)) return undefined;
  const operator = code[parts[0]?.until as number] as number;
  const value = kind === 'compare' ? compared(operator, left, right) : added(operator, left, right);
  return value && { questions: 0, value: () => value };
}

function compared(operator: number, left: number, right: number): Value | undefined {
  const holds = comparisons.get(operator)?.(left, right);
  return holds === undefined ? undefined : [holds ? special.holds : special.fails];
}

/** A sum or difference; two infinite ones may come to no number. */
function added(operator: number, left: number, right: number): Value | undefined {
  const isOne = left === 0 || right === 0;
  if (!isOne || (operator !== plus && operator !== minus)) return undefined;
  const isBelow = left + (operator === minus ? -right : right) < 0;
  return isBelow ? [minus as number, inf] : [inf];
}

/** `max` and `min`: an infinite one is the extreme, or what is left without those of them that cannot be. */
function extremePlan(name: number, given: readonly Part[], told: Told): Plan | undefined {
  if ((name !== max && name !== min) || given.some(({ kind }) => kind === 'keyword' || kind === 'star'))
    return undefined;
  const values = given.map((inner) => told(inner) ?? []);
  const [only = []] = values;
  const items: readonly Value[] = values.length === 1 && isSequence(only) ? itemsIn(only) : values;
  const ranks = items.map(rankOf);
  if (!ranks.some((rank) => rank === 1 || rank === -1) || ranks.includes(undefined)) return undefined;
  const best = name === max ? Math.max(...(ranks as number[])) : Math.min(...(ranks as number[]));
  const left = items.filter((_, at) => ranks[at] === best);
  const isDecided = best !== 0 || left.length === 1;
  const value = (valueFor: ValueFor): Found =>
    isDecided ? left[0] : valueFor([name, opening as number, ...withCommas(left), closing as number]);
  return { questions: isDecided ? 0 : 1, value };
}
