/** Exceptions: which frames were left by one (a trace shows a `return` of None, but the line on which the frame stood does not return), and what a `raise` raises. */
import { isBalanced } from './language/displays.js';
import { expressionParts } from './language/expression-parts.js';
import { lineParts } from './language/line-parts.js';
import { integerOf } from './language/literal-values.js';
import { givesBuiltins } from './language/object-owners.js';
import { augmented } from './language/operators.js';
import { type Part, partTokens } from './language/parts.js';
import { charToken, eventToken, isSlotToken, wordOf, wordTokens } from './language/tokens.js';
import { ToldLine } from './language/told-line.js';
import { unpackingRaises } from './language/unpacking.js';
import { decodeValue, longestText } from './language/values.js';
import { lineTokens, nameOfSlot, type Program } from './program.js';
import { type Running, scopeOf } from './running.js';
import type { DebuggerState } from './state.js';
import { statementLines, statementTokens } from './whole-statement.js';

const [classWord, raise, from, forWord, range, returnWord] = wordTokens('class raise from for range return');
const [int, floatWord] = wordTokens('int float') as [number, number];
const closing = charToken(')');
/** Exceptions of builtins that keep what they are given as it is. */
const plainExceptions = new Set(
  wordTokens(
    'Exception ArithmeticError AssertionError AttributeError EOFError FloatingPointError IndexError KeyError LookupError NameError NotImplementedError OverflowError RecursionError RuntimeError TypeError ValueError ZeroDivisionError',
  ),
);

/** Whether the caller meets an exception next. (The frame was entered by a call in the text; only what calls unseen takes exceptions unseen.) */
export function leftByException(program: Program, state: DebuggerState): boolean {
  const frame = state.event === 'return' ? state.frames.at(-1) : undefined;
  const scope = frame && scopeOf(program, frame, 'return');
  if (frame === undefined || scope === undefined || scope.isGenerator) return false;
  // The body of a class may take the exception, which no event shows.
  const caller = state.frames.at(-2);
  if (caller !== undefined && lineTokens(program, caller.line)[0] === classWord) return false;
  if (!scope.isNamed && !scope.isPlain) return false;
  if (frame.inFlight !== undefined && state.value === 'None') return true;
  const returns = scope.flow?.lines.get(frame.line)?.returns;
  return (
    returns === false ||
    (returns === true && state.value === 'None' && returnsMore(program, { frame, scope }))
  );
}

/** Kinds of expressions that come to something else than None, unless a class has operators of its own. */
const neverNone = new Set<Part['kind']>(['binary', 'compare', 'not', 'display', 'comprehension', 'text']);
const operators = /\bdef\s+__(?!(?:init|repr|str|len|iter|next|enter|exit)__)\w+__|\b__\w+__\s*=/;

/** Whether a frame stands on a `return` that gives something else than None. */
function returnsMore(program: Program, running: Running): boolean {
  const code = statementTokens(program, running);
  const value = code.slice(1);
  const part = code[0] === returnWord ? expressionParts(value) : undefined;
  return part !== undefined && isNeverNone(program, value, part);
}

/** Whether an expression surely comes to something else than None. */
export function isNeverNone(program: Program, code: ArrayLike<number>, { kind, parts }: Part): boolean {
  if (operators.test(program.source)) return false;
  const [callee] = kind === 'call' ? parts : [];
  const isMade = callee?.kind === 'name' && givesBuiltins(code[callee.first] as number);
  return neverNone.has(kind) || isMade;
}

/**
 * The canonical repr of what the `raise` statement on a frame's line raises: an exception of builtins whose arguments are literals, names, and what is made of these.
 * undefined for other lines, and where it is not told. `worked`: the tokens of the line once it was worked out.
 */
export function raisedBy(program: Program, running: Running, worked?: readonly number[]): string | undefined {
  const { frame, scope } = running;
  if (!scope.flow?.lines.has(frame.line)) return undefined;
  const isOneLine = statementLines(running).size === 1;
  const statement = isOneLine && worked ? worked : statementTokens(program, running);
  if (statement[0] !== raise) return undefined;
  const code = statement.slice(
    1,
    statement.includes(from as number) ? statement.indexOf(from as number) : undefined,
  );
  const part = expressionParts(code);
  const [callee, ...given] = part?.kind === 'call' ? part.parts : [part];
  const name = callee?.kind === 'name' ? (code[callee.first] as number) : -1;
  if (!plainExceptions.has(name) || isBound(program, wordOf(name))) return undefined;
  const told = new ToldLine(program, running, code, false);
  const texts = given.map((argument) => argument && told.text(argument));
  const text = `${wordOf(name)}(${texts.join(', ')})`;
  return texts.every((found) => found !== undefined) && text.length <= longestText ? text : undefined;
}

/** The canonical repr of what a line raises that was worked out to raise something. */
export function raisedIn(program: Program, worked: readonly number[]): string | undefined {
  const first = worked.indexOf(eventToken('exception')) + 1;
  // Behind it the line may go on.
  const ends = first === 0 ? [] : [...worked.keys()].filter((at) => at > first && worked[at] === closing);
  const values = ends.map((end) => worked.slice(first, end + 1)).filter(isBalanced);
  const text = values[0] && decodeValue(program, values[0]);
  return typeof text === 'string' ? text : undefined;
}

/** What an `assert` raises that fails; message: the code tokens behind its comma, if it has one. undefined where the message is not told. */
export function raisedByAssert(
  program: Program,
  running: Running,
  message: readonly number[],
): string | undefined {
  if (message.length === 0) return 'AssertionError()';
  const part = expressionParts(message);
  const told = part && new ToldLine(program, running, message, false).text(part);
  const text = told && `AssertionError(${told})`;
  return text && text.length <= longestText ? text : undefined;
}

/** What an assignment to several names raises whose value has more or fewer items; undefined for other lines, and where that is not told. */
export function raisedByUnpacking(
  program: Program,
  running: Running,
  code: readonly number[],
  isStale: boolean,
): string | undefined {
  const {
    values: [value, ...others],
    targets: [target, ...more],
  } = lineParts(code) ?? { values: [], targets: [] };
  if (value === undefined || target === undefined || others.length + more.length > 0) return undefined;
  const item = new ToldLine(program, running, code, isStale).tokens(value);
  return item && unpackingRaises(partTokens(code, target), item);
}

/** What the head of a loop raises that goes over `range(a, b, 0)`; undefined for other lines, and where that is not told. */
export function raisedByRange(
  program: Program,
  running: Running,
  code: readonly number[],
): string | undefined {
  const over = code[0] === forWord && running.frame.its.at(-1) === 0 ? lineParts(code)?.values[0] : undefined;
  const [callee, , , step] = over?.kind === 'call' && over.parts.length === 4 ? over.parts : [];
  if (callee?.kind !== 'name' || code[callee.first] !== range || step === undefined) return undefined;
  const value = new ToldLine(program, running, code, false).tokens(step);
  return value && integerOf(value) === 0 ? "ValueError('range() arg 3 must not be zero')" : undefined;
}

/** A text whose characters mean nothing else than in ASCII, and which stands in single quotes in what an exception says. */
const plainText = /^'([ !#-&(-[\]-~]*)'$/;
const digits = '[0-9]+(?:_[0-9]+)*';
const integer = new RegExp(`^ *[+-]?${digits} *$`);
const float = new RegExp(
  `^ *[+-]?(?:(?:${digits}\\.?(?:${digits})?|\\.${digits})(?:e[+-]?${digits})?|inf|infinity|nan) *$`,
  'i',
);
const conversions = new Map([
  [int, { takes: integer, refuses: 'invalid literal for int() with base 10:' }],
  [floatWord, { takes: float, refuses: 'could not convert string to float:' }],
]);

/**
 * What a statement raises that takes a text for a number which is none, by `int` or `float`, before it does anything else; undefined for other lines, and where that is
 * not told.
 */
export function raisedByConversion(
  program: Program,
  running: Running,
  code: readonly number[],
  isStale: boolean,
): string | undefined {
  const { values, inner } = lineParts(code) ?? { values: [], inner: [] };
  const [value, ...others] = [...values, ...inner];
  const isAlone = inner.length === 0 || isAugmented(program, running, code);
  if (value === undefined || others.length > 0 || !isAlone) return undefined;
  const told = new ToldLine(program, running, code, isStale);
  /** What comes of a part: what it raises, 'nothing', or undefined where that is not known. */
  const raises = (part: Part): string | undefined => {
    if (told.tokens(part) !== undefined) return 'nothing';
    const { kind, parts } = part;
    if (kind === 'binary' || (kind === 'compare' && parts.length === 2)) {
      const [first, second] = parts as readonly [Part, Part];
      const found = raises(first);
      return found === 'nothing' ? raises(second) : found;
    }
    const [callee, given, ...more] = kind === 'call' ? parts : [];
    const word = callee?.kind === 'name' ? (code[callee.first] as number) : -1;
    const conversion = conversions.get(word);
    if (conversion === undefined || given === undefined || more.length > 0) return undefined;
    const text = plainText.exec(told.text(given) ?? '')?.[1];
    if (text === undefined || isBound(program, wordOf(word))) return undefined;
    return conversion.takes.test(text) ? 'nothing' : `ValueError("${conversion.refuses} '${text}'")`;
  };
  const found = raises(value);
  return found === 'nothing' ? undefined : found;
}

/** Whether a statement is one like `x += 3`, of a name that is bound. */
const isAugmented = (program: Program, { frame }: Running, [target, operator]: readonly number[]): boolean =>
  augmented.has(operator as number) &&
  isSlotToken(target as number) &&
  frame.locals.has(nameOfSlot(program, target as number));

/** Whether a program may bind a name of builtins. */
const isBound = ({ source }: Program, name: string): boolean =>
  new RegExp(`\\b(?:class|def|as|import|global)\\b[^\\n]*\\b${name}\\b|\\b${name}\\s*=[^=]`).test(source);
