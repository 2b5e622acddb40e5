/** Calls of `math` and of builtins that reckon with integers: which one a line has. What they come to is carried out step by step (reckoning.ts). */
import { type Program, perText } from '../program.js';
import { attributeName } from './attributes.js';
import { changesNothing } from './known-calls.js';
import { isImported } from './library-calls.js';
import type { Part } from './parts.js';
import { operatorOf } from './sums.js';
import { charTokens, isSlotToken, operatorToken, textTokens, wordToken } from './tokens.js';

/** `floor root`: the greatest integer whose square is not greater; `nearest`: as `round` has it. */
export type Operation =
  | 'root'
  | 'floor root'
  | 'ceiling root'
  | 'nearest root'
  | 'is square'
  | 'gcd'
  | 'lcm'
  | 'power'
  | 'factorial'
  | 'floor'
  | 'ceiling'
  | 'nearest'
  | 'bit length'
  | 'binary'
  | 'square'
  | 'product'
  | 'quotient';

export interface MathCall {
  readonly operation: Operation;
  /** What it is in the code. */
  readonly part: Part;
  readonly given: readonly Part[];
}

const functions: ReadonlyMap<string, readonly [operation: Operation, counts: readonly number[]]> = new Map([
  ['sqrt', ['root', [1]]],
  ['isqrt', ['floor root', [1]]],
  ['gcd', ['gcd', [2]]],
  ['lcm', ['lcm', [2]]],
  ['factorial', ['factorial', [1]]],
  ['floor', ['floor', [1]]],
  ['ceil', ['ceiling', [1]]],
]);
const builtins: ReadonlyMap<string, readonly [operation: Operation, counts: readonly number[]]> = new Map([
  ['pow', ['power', [2, 3]]],
  ['round', ['nearest', [1, 2]]],
  ['bin', ['binary', [1]]],
]);
/** What is made of a root at once. */
const ofRoot: ReadonlyMap<string, Operation> = new Map([
  ['floor', 'floor root'],
  ['ceiling', 'ceiling root'],
  ['nearest', 'nearest root'],
]);
const power = operatorToken('**');
const half = textTokens('0.5').join();
const square = textTokens('2').join();
const [dot, star, slash] = charTokens('.*/');
const operators: ReadonlySet<number | undefined> = new Set([star, slash, power]);
const int = wordToken('int');

const reckoning = /\b(?:sqrt|isqrt|gcd|lcm|factorial|floor|ceil|pow|round|bin|bit_length)\b|\*\*\s*0?\.5\b/;
const floats = /\d\.\d|[^/]\/[^/]|\bpi\b/;
const hasFunctions = perText(({ source }) => reckoning.test(source));
/** Whether a program may have such a call anywhere. */
export const mayReckon = perText((program) => hasFunctions(program) || floats.test(program.source));

/** Whether a line of such a program may have one. */
export const mayReckonOn = (program: Program, code: readonly number[]): boolean =>
  hasFunctions(program) || code.some((token) => operators.has(token));

/** Whether what a part comes to may be a float. */
export type IsFloat = (part: Part) => boolean;

/** Such calls in these parts, those within others first. What comprehensions and lambdas bind is not told, so what is in them is left out. */
export const mathCalls = (
  program: Program,
  code: ArrayLike<number>,
  parts: readonly Part[],
  isFloat: IsFloat,
): MathCall[] =>
  parts.flatMap((part) => {
    if (part.bound.size > 0) return [];
    const own = callAt(program, code, part, isFloat);
    return [...mathCalls(program, code, own?.given ?? part.parts, isFloat), ...(own ? [own] : [])];
  });

/** Whether something else is called in the parts, which may change what names stand for before such a call. */
export const callsBesides = (program: Program, code: ArrayLike<number>, parts: readonly Part[]): boolean =>
  parts.some((part) => {
    const isOther =
      part.kind === 'text' ||
      (part.kind === 'call' &&
        !changesNothing(code, part.parts[0] as Part) &&
        !callAt(program, code, part, () => false));
    return isOther || callsBesides(program, code, part.parts);
  });

function callAt(
  program: Program,
  code: ArrayLike<number>,
  part: Part,
  isFloat: IsFloat,
): MathCall | undefined {
  const root = rootAt(program, code, part);
  if (root) return { operation: 'root', part, given: [root] };
  if (part.kind === 'binary') return isFloat(part) ? ofTwo(code, part) : undefined;
  const [callee, ...given] = part.kind === 'call' ? part.parts : [];
  if (
    callee === undefined ||
    given.some(({ kind }) => kind === 'keyword' || kind === 'star' || kind === 'generator')
  )
    return undefined;
  const method =
    callee.kind === 'attribute' && given.length === 0 ? methodAt(program, code, callee) : undefined;
  if (method) return { ...method, part };
  const operation = operationOf(program, code, callee, given.length);
  const [only] = given;
  if (operation === undefined && isInt(code, callee) && only && given.length === 1) {
    const inner = rootAt(program, code, only);
    return inner && { operation: 'floor root', part, given: [inner] };
  }
  if (operation === undefined || only === undefined) return undefined;
  const [inside, found] = [rootAt(program, code, only), ofRoot.get(operation)];
  return inside && found ? { operation: found, part, given: [inside] } : { operation, part, given };
}

/** A product, a quotient or a square. */
function ofTwo(code: ArrayLike<number>, part: Part): MathCall | undefined {
  const [left, right] = part.parts as [Part, Part];
  const operator = operatorOf(code, part);
  if (operator === star || operator === slash)
    return { operation: operator === star ? 'product' : 'quotient', part, given: [left, right] };
  const isSquare = operator === power && Array.from(code).slice(right.first, right.end).join() === square;
  return isSquare ? { operation: 'square', part, given: [left] } : undefined;
}

/** What a root is of: `sqrt(n)`, `n ** 0.5`. */
function rootAt(program: Program, code: ArrayLike<number>, { kind, parts }: Part): Part | undefined {
  const [first, second, ...others] = parts;
  if (first === undefined || second === undefined || others.length > 0) return undefined;
  if (kind === 'call') return operationOf(program, code, first, 1) === 'root' ? second : undefined;
  const isPower = kind === 'binary' && code[first.until] === power;
  return isPower && Array.from(code).slice(second.first, second.end).join() === half ? first : undefined;
}

/** `sqrt(n).is_integer()`, `n.bit_length()`. */
function methodAt(
  program: Program,
  code: ArrayLike<number>,
  { parts, end }: Part,
): Omit<MathCall, 'part'> | undefined {
  const [base] = parts as [Part];
  const name = attributeName(program, code[end - 1] as number);
  const root = name === 'is_integer' ? rootAt(program, code, base) : undefined;
  if (root) return { operation: 'is square', given: [root] };
  return name === 'bit_length' ? { operation: 'bit length', given: [base] } : undefined;
}

const isInt = (code: ArrayLike<number>, { kind, first }: Part): boolean =>
  kind === 'name' && code[first] === int;

function operationOf(
  program: Program,
  code: ArrayLike<number>,
  { kind, first, end }: Part,
  count: number,
): Operation | undefined {
  const last = code[end - 1] as number;
  const name = attributeName(program, last);
  const [operation, counts] = functions.get(name) ?? [];
  const isOfModule = kind === 'attribute' && end === first + 3 && code[first + 1] === dot;
  const isMath =
    (isOfModule && attributeName(program, code[first] as number) === 'math') ||
    (kind === 'name' && isImported(program, name, 'math'));
  if (operation && isMath) return counts?.includes(count) ? operation : undefined;
  const [builtin, numbers] = kind === 'name' && !isSlotToken(last) ? (builtins.get(name) ?? []) : [];
  return numbers?.includes(count) ? builtin : undefined;
}
