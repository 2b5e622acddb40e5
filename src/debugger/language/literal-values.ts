/** Values that are literals, as tokens: what can be worked with, and whether it counts as true (docs/trace-language.md, section 9). */
import { charOf, charToken, charTokens, isDigitToken, special, textTokens, wordTokens } from './tokens.js';

const literal = new Set([
  ...textTokens('[](){},:.-+0123456789ej '),
  special.bytes,
  ...wordTokens('True False None inf nan set deque Counter'),
]);
const quotes = new Set([charToken("'"), charToken('"')]);
const backslash = charToken('\\');
const minus = charToken('-');
/** Most digits of an integer. */
const longestInteger = 9;
const firstDigits = new Set(textTokens('123456789'));
const pairs = new Map((['()', '[]', '{}'] as const).map(charTokens));
const closings = new Set(pairs.values());
const [openings, mutableClosings] = [new Set(textTokens('[{')), new Set(textTokens(']}'))];
const mutable = new Set([...textTokens('[{'), ...wordTokens('set deque Counter')]);
const falseValues = new Set(
  [
    wordTokens('False'),
    wordTokens('None'),
    ...['0', '0.0', '-0.0', '0j', "''", '""', '[]', '()', '{}'].map(textTokens),
    [special.bytes, ...textTokens("''")],
    ...['set', 'Counter'].map((name) => [...wordTokens(name), ...textTokens('()')]),
    [...wordTokens('deque'), ...textTokens('([])')],
  ].map((tokens) => tokens.join()),
);

/** Whether a value is written with constants, displays and collections alone, and whole. */
export function isLiteral(value: readonly number[]): boolean {
  const open: number[] = [];
  let quote: number | undefined;
  for (let at = 0; at < value.length; at += 1) {
    const token = value[at] as number;
    if (token === special.cut || token === special.raw) return false;
    if (quote !== undefined) {
      if (token === backslash) at += 1;
      else if (token === quote) quote = undefined;
    } else if (quotes.has(token)) quote = token;
    else if (!literal.has(token)) return false;
    else if (pairs.has(token)) open.push(pairs.get(token) as number);
    else if (closings.has(token) && open.pop() !== token) return false;
  }
  return value.length > 0 && quote === undefined && open.length === 0;
}

/** Whether a constant counts as true; undefined for those that are written in an unusual way. */
export function truthOfConstant(tokens: readonly number[]): boolean | undefined {
  const first = tokens[0] as number;
  if (falseValues.has(tokens.join())) return false;
  const isOneString = quotes.has(first) && tokens.indexOf(first, 1) === tokens.length - 1;
  const isTrue = tokens.length === 1 && first === special.holds;
  return isTrue || firstDigits.has(first) || isOneString ? true : undefined;
}

/** Whether a literal counts as true. */
export const truthOfLiteral = (value: readonly number[]): boolean => !falseValues.has(value.join());

/** The integer that a value spells, if it is one of at most nine digits. */
export function integerOf(value: readonly number[]): number | undefined {
  const digits = value[0] === minus ? value.slice(1) : value;
  if (digits.length === 0 || digits.length > longestInteger || !digits.every(isDigitToken)) return undefined;
  const size = Number(digits.map(charOf).join(''));
  return value[0] === minus ? -size : size;
}

/** Whether what a literal is bound to can be changed, in it or in a part of it. */
export const isMutable = (value: readonly number[]): boolean => value.some((token) => mutable.has(token));

/** How many lists, dicts and sets of a literal stand one within the other at most. */
export function mutableDepth(value: readonly number[]): number {
  let quote: number | undefined;
  let [depth, deepest] = [0, 0];
  for (let at = 0; at < value.length; at += 1) {
    const token = value[at] as number;
    if (quote !== undefined) {
      if (token === backslash) at += 1;
      else if (token === quote) quote = undefined;
    } else if (quotes.has(token)) quote = token;
    else if (openings.has(token)) deepest = Math.max(deepest, ++depth);
    else if (mutableClosings.has(token)) depth -= 1;
  }
  return deepest;
}

/** Whether a value begins with a bracket or a quote. */
export const isDisplay = ([first]: readonly number[]): boolean =>
  first !== undefined && (pairs.has(first) || quotes.has(first));
