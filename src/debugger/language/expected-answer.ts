/**
 * What an expression most likely comes to that is asked about a state: an answer to draft from (docs/performance-generation.md). The model's own answer counts, whatever is expected, so
 * what is not known here is left out, and what differs from Python now and then costs a row of a pass and nothing else.
 */
import type { Program } from '../program.js';
import { numberOf } from './digits.js';
import { encodeAnswer } from './encode.js';
import { expressionParts } from './expression-parts.js';
import type { Part } from './parts.js';
import {
  charOf,
  charTokens,
  isCharToken,
  isDigitToken,
  isSlotToken,
  isWordToken,
  operatorToken,
  special,
  textTokens,
  tokenText,
  wordOf,
} from './tokens.js';

/** Values as JavaScript has them; a float is boxed, for `2` and `2.0` are two values. */
type Known = bigint | Float | string | boolean | null;
class Float {
  constructor(readonly value: number) {}
}

const [minus, plus, star, quote, doubleQuote, backslash, bracket, brace] = charTokens('-+*\'"\\[{');
const divide = operatorToken('//');
/** Most tokens of a question: others are not worth reading. */
const longestQuestion = 64;
/** Greater integers are not reckoned with: a question may ask for powers of powers. */
const greatestInteger = 10n ** 20n;

/** The tokens of the likely answer to a question as it is asked (`<|evaluate|>` and what stands behind it); undefined where none comes to mind. */
export function expectedAnswer(program: Program, [first, ...code]: readonly number[]): number[] | undefined {
  if (first !== special.evaluate || code.length > longestQuestion) return undefined;
  const answer = code[0] === special.it ? inColumns(code.slice(1)) : byItself(program, code);
  return answer && [...answer, special.end];
}

/** See docs/trace-language.md, section 7. */
function inColumns(code: readonly number[]): number[] | undefined {
  const at = code.findIndex((token) => !isDigitToken(token));
  const [left, operator, right] = [code.slice(0, at), code[at], code.slice(at + 1)];
  if (at < 1 || right.length === 0 || !right.every(isDigitToken)) return undefined;
  if (operator === divide) return divided(left, numberOf(right));
  const [a, b] = [numberOf(left.toReversed()), numberOf(right.toReversed())];
  const digitsFromLast = (size: number, width = 1): number[] =>
    textTokens(`${size}`.padStart(width, '0')).reverse();
  if (operator === plus) return [special.value, special.it, ...digitsFromLast(a + b)];
  if (operator === star) return [special.value, special.it, ...digitsFromLast(a * b)];
  if (operator !== minus) return undefined;
  const difference = a < b ? 10 ** at + a - b : a - b;
  return [special.value, special.it, minus, ...digitsFromLast(difference, at)];
}

function divided(digits: readonly number[], by: number): number[] | undefined {
  if (by === 0) return undefined;
  const found = [special.value, divide];
  let left = 0;
  for (const digit of digits) {
    const whole = 10 * left + numberOf([digit]);
    left = whole % by;
    found.push(...textTokens(`${Math.floor(whole / by)}${left}`));
  }
  return found;
}

function byItself(program: Program, asked: readonly number[]): number[] | undefined {
  const code = withoutNames(asked);
  const part = code && expressionParts(code);
  const value = part && new Reckoner(code).value(part);
  if (value === undefined) return undefined;
  return encodeAnswer(program, { outcome: 'value', text: reprOf(value) });
}

/** The code with its names left out, behind which their values stand; undefined where one has none. */
function withoutNames(asked: readonly number[]): number[] | undefined {
  const found: number[] = [];
  for (const [at, token] of asked.entries()) {
    if (!isSlotToken(token)) found.push(token);
    else if (!beginsValue(asked[at + 1])) return undefined;
  }
  return found;
}

const beginsValue = (token: number | undefined): boolean =>
  token !== undefined &&
  (isDigitToken(token) || isWordToken(token) || [minus, quote, doubleQuote, bracket, brace].includes(token));

function reprOf(value: Known): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'string') return value.includes("'") ? `"${value}"` : `'${value}'`;
  if (typeof value === 'bigint') return `${value}`;
  return Number.isInteger(value.value) ? `${value.value}.0` : `${value.value}`;
}

type Operation = (a: number, b: number) => number;
const sign = (a: bigint): bigint => (a < 0n ? -1n : 1n);
const floored = (a: bigint, b: bigint): bigint => a / b - (a % b !== 0n && sign(a) !== sign(b) ? 1n : 0n);
const onIntegers = new Map<string, (a: bigint, b: bigint) => Known | undefined>([
  ['+', (a, b) => a + b],
  ['-', (a, b) => a - b],
  ['*', (a, b) => a * b],
  ['//', (a, b) => (b === 0n ? undefined : floored(a, b))],
  ['%', (a, b) => (b === 0n ? undefined : a - b * floored(a, b))],
  ['/', (a, b) => (b === 0n ? undefined : new Float(Number(a) / Number(b)))],
  ['**', (a, b) => (b < 0n || b > 64n ? undefined : a ** b)],
]);
const onFloats = new Map<string, Operation>([
  ['+', (a, b) => a + b],
  ['-', (a, b) => a - b],
  ['*', (a, b) => a * b],
  ['/', (a, b) => a / b],
]);
const comparisons = new Map<string, <T extends bigint | number | string>(a: T, b: T) => boolean>([
  ['<', (a, b) => a < b],
  ['>', (a, b) => a > b],
  ['<=', (a, b) => a <= b],
  ['>=', (a, b) => a >= b],
  ['==', (a, b) => a === b],
  ['!=', (a, b) => a !== b],
]);
/** Methods of texts without arguments. */
const methods = new Map<string, (text: string) => Known>([
  ['lower', (text) => text.toLowerCase()],
  ['upper', (text) => text.toUpperCase()],
  ['strip', (text) => text.trim()],
  ['capitalize', (text) => text.slice(0, 1).toUpperCase() + text.slice(1).toLowerCase()],
  ['isalpha', (text) => /^[A-Za-z]+$/.test(text)],
  ['isdigit', (text) => /^[0-9]+$/.test(text)],
  ['isalnum', (text) => /^[A-Za-z0-9]+$/.test(text)],
  ['isspace', (text) => /^\s+$/.test(text)],
  ['isupper', (text) => text !== text.toLowerCase() && text === text.toUpperCase()],
  ['islower', (text) => text !== text.toUpperCase() && text === text.toLowerCase()],
]);
/** Functions of one argument. */
const functions = new Map<string, (value: Known) => Known | undefined>([
  ['len', (value) => (typeof value === 'string' ? BigInt(value.length) : undefined)],
  ['abs', (value) => (typeof value === 'bigint' ? value * sign(value) : undefined)],
  [
    'ord',
    (value) => (typeof value === 'string' && value.length === 1 ? BigInt(value.charCodeAt(0)) : undefined),
  ],
  ['str', (value) => (typeof value === 'string' ? value : reprOf(value))],
  [
    'int',
    (value) =>
      typeof value === 'string' && /^\s*-?[0-9]+\s*$/.test(value) ? BigInt(value.trim()) : undefined,
  ],
]);

const isTrue = (value: Known): boolean =>
  value instanceof Float
    ? value.value !== 0
    : value !== null && value !== false && value !== 0n && value !== '';

/** The value of what is in an expression of literals. */
class Reckoner {
  constructor(private readonly code: readonly number[]) {}

  value(part: Part): Known | undefined {
    const { kind, parts } = part;
    if (kind === 'constant') return constantOf(this.code.slice(part.first, part.end));
    if (kind === 'binary') return this.joined(parts);
    if (kind === 'compare') return parts.length === 2 ? this.compared(parts) : undefined;
    if (kind === 'call') return this.called(parts);
    if (kind === 'not') {
      const value = this.value(parts[0] as Part);
      return value === undefined ? undefined : !isTrue(value);
    }
    return undefined;
  }

  private pair(parts: readonly Part[]): [Known, Known, string] | undefined {
    const [a, b] = parts.map((part) => this.value(part));
    const between = this.code.slice((parts[0] as Part).until, (parts[1] as Part).begin);
    if (a === undefined || b === undefined) return undefined;
    return [a, b, between.map(spelled).join(' ')];
  }

  private joined(parts: readonly Part[]): Known | undefined {
    const [a, b, operator] = this.pair(parts) ?? [null, null, ''];
    if (typeof a === 'bigint' && typeof b === 'bigint') return bounded(onIntegers.get(operator)?.(a, b));
    if (typeof a === 'string' && typeof b === 'string') return operator === '+' ? a + b : undefined;
    const [left, right] = [numeric(a), numeric(b)];
    const found =
      left === undefined || right === undefined ? undefined : onFloats.get(operator)?.(left, right);
    return found === undefined || !Number.isFinite(found) ? undefined : new Float(found);
  }

  private compared(parts: readonly Part[]): Known | undefined {
    const found = this.pair(parts);
    if (found === undefined) return undefined;
    const [a, b, operator] = found;
    if (operator === 'is' || operator === 'is not') return (a === b) === (operator === 'is');
    if (typeof a === 'string' && typeof b === 'string') {
      if (operator === 'in' || operator === 'not in') return b.includes(a) === (operator === 'in');
      return comparisons.get(operator)?.(a, b);
    }
    if (typeof a === 'bigint' && typeof b === 'bigint') return comparisons.get(operator)?.(a, b);
    const [left, right] = [numeric(a), numeric(b)];
    return left === undefined || right === undefined ? undefined : comparisons.get(operator)?.(left, right);
  }

  private called([callee, ...given]: readonly Part[]): Known | undefined {
    const name = callee && wordOf(this.code[callee.end - 1] as number);
    if (callee?.kind === 'attribute' && given.length === 0) {
      const text = this.value(callee.parts[0] as Part);
      return typeof text === 'string' ? methods.get(name as string)?.(text) : undefined;
    }
    const value = callee?.kind === 'name' && given.length === 1 ? this.value(given[0] as Part) : undefined;
    return value === undefined ? undefined : functions.get(name as string)?.(value);
  }
}

const bounded = (value: Known | undefined): Known | undefined =>
  typeof value === 'bigint' && value * sign(value) > greatestInteger ? undefined : value;

const named = new Map<string, Known>([
  ['True', true],
  ['False', false],
  ['None', null],
]);

const numeric = (value: Known): number | undefined =>
  typeof value === 'bigint' ? Number(value) : value instanceof Float ? value.value : undefined;

/** An operator of one or two tokens as it is written. */
const spelled = (token: number): string =>
  isCharToken(token) ? charOf(token) : isWordToken(token) ? wordOf(token) : tokenText(token).slice(4, -2);

/** An integer, a number with a point, or a text without `\` whose characters are printable ASCII. */
function constantOf(tokens: readonly number[]): Known | undefined {
  const [first] = tokens;
  if (first !== undefined && isWordToken(first)) return named.get(wordOf(first));
  if (!tokens.every((token) => isCharToken(token) && token !== backslash)) return undefined;
  const text = tokens.map(charOf).join('');
  if (first === quote || first === doubleQuote) {
    const inside = text.slice(1, -1);
    return text.length > 1 && !inside.includes(text[0] as string) ? inside : undefined;
  }
  if (/^-?(?:0|[1-9][0-9]*)$/.test(text)) return BigInt(text);
  return /^-?[0-9]+\.[0-9]+$/.test(text) ? new Float(Number(text)) : undefined;
}
