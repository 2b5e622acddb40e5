/**
 * Calls that only copy, cut, join or compare what is told: code that is read has what they give in their place. Training text tells some of this itself
 * (docs/trace-language.md, section 9), but of short texts without escapes alone.
 */
import { nameOfSlot, type Program, perText } from '../program.js';
import type { Frame } from '../state.js';
import { isTextMethod, isUntaught, madeOfText } from './ascii-methods.js';
import { attributeName } from './attributes.js';
import { classConstant, isClassConstant } from './class-constants.js';
import { derivesFromBuiltins } from './derived-builtins.js';
import { brace, hasItems, isMapping, isSequence, itemsIn, quotes, withCommas } from './displays.js';
import { toldIn } from './frame-literals.js';
import { areAlike } from './item-changes.js';
import { listed, withPartAs } from './items.js';
import { iterated } from './iterated.js';
import { isImported } from './library-calls.js';
import { lineParts } from './line-parts.js';
import { integerOf, isLiteral } from './literal-values.js';
import type { Part } from './parts.js';
import { reprOfText, textOfRepr } from './strings.js';
import { found, lookOf } from './tables.js';
import { charTokens, textTokens, wordToken, wordTokens } from './tokens.js';
import { decodeValue, encodeValue } from './values.js';

type Value = readonly number[];

/** Most tokens of what takes the place of a call. */
const longest = 1024;
/** Tokens of a text that training text tells. */
const longestTold = 96;
/** Most calls of a line. */
const mostCalls = 8;
const [opening, closing, square, backslash] = charTokens('()[\\') as [number, number, number, number];
const [isTrue, isFalse] = wordTokens('True False') as [number, number];
const [dict, copy, forWord] = wordTokens('dict copy for');
const join = wordToken('join');
const [zip, map, len, count] = wordTokens('zip map len count') as [number, number, number, number];
/** Functions that do no more than go over what they are given, if that is all. */
const going = new Set(
  wordTokens('len sum max min sorted list tuple set frozenset any all enumerate reversed'),
);
const names = new Set(['copy', 'deepcopy', 'dict', 'join']);

/** Code tokens of a statement that begins in a frame. */
export function withPlainCalls(
  program: Program,
  frame: Frame,
  written: readonly number[],
): readonly number[] {
  if (
    !written.some((token) => mayBePlain(program, token)) ||
    derivesFromBuiltins(program) ||
    program.reboundNames.size > 0
  )
    return written;
  let code = written;
  for (let count = 0; count < mostCalls; count += 1) {
    const line = lineParts(code);
    const call = line && firstIn(program, frame, code, [...line.values, ...line.inner]);
    if (call === undefined) break;
    code = withPartAs(code, call.part, call.value);
  }
  return code;
}

/** Whether a token may be the name of such a call. */
const mayBePlain = (program: Program, token: number): boolean =>
  isTextMethod(token) ||
  going.has(token) ||
  token === zip ||
  isClassConstant(program, token) ||
  names.has(attributeName(program, token));

interface Found {
  readonly part: Part;
  readonly value: Value;
}

/** The first such call; what comprehensions and lambdas bind is not told. */
function firstIn(
  program: Program,
  frame: Frame,
  code: readonly number[],
  parts: readonly Part[],
): Found | undefined {
  for (const part of parts) {
    const inside = part.bound.size > 0 ? part.parts.slice(0, Number(part.kind !== 'lambda')) : part.parts;
    const inner = firstIn(program, frame, code, inside);
    if (inner) return inner;
    const value =
      lookedUp(program, frame, code, part) ??
      (part.kind === 'call' ? made(program, frame, code, part) : undefined);
    if (value !== undefined && value.length <= longest) return { part, value };
  }
  return undefined;
}

/** What is looked up in a constant of a class. */
function lookedUp(program: Program, frame: Frame, code: readonly number[], part: Part): Value | undefined {
  const look = lookOf(code, part);
  const table = look && classConstant(program, frame, code, look.table);
  return look && table && found(look, table, (inner) => toldIn(program, frame, code, inner));
}

function made(
  program: Program,
  frame: Frame,
  code: readonly number[],
  { parts, begin, until }: Part,
): Value | undefined {
  const [callee, ...given] = parts as [Part, ...Part[]];
  const told = (part: Part): Value | undefined => {
    const value = toldIn(program, frame, code, part);
    return value && isLiteral(value) ? value : undefined;
  };
  const name = code[callee.end - 1] as number;
  const [only] = given;
  if (callee.kind === 'name' && going.has(name)) {
    const list =
      only && given.length === 1
        ? (limitedItems(program, frame, code, only) ?? lengthsIn(code, only, told))
        : undefined;
    return list && [...code.slice(begin, only?.begin), ...list, ...code.slice(only?.until, until)];
  }
  if (callee.kind === 'name' && name === zip) {
    const rows = only?.kind === 'star' && given.length === 1 ? told(only.parts[0] as Part) : undefined;
    const isRows = rows && isSequence(rows) && itemsIn(rows).length > 0;
    return isRows ? [zip, opening, ...withCommas(itemsIn(rows)), closing] : undefined;
  }
  if (copies(program, code, callee)) {
    const value = only && given.length === 1 ? told(only) : undefined;
    return value && isCopied(value) && (name !== dict || isMapping(value)) ? value : undefined;
  }
  const base = callee.kind === 'attribute' ? told(callee.parts[0] as Part) : undefined;
  if (base === undefined) return undefined;
  if (name === count && isSequence(base)) {
    const sought = only && given.length === 1 ? told(only) : undefined;
    const items = itemsIn(base);
    if (sought === undefined || !areAlike([...items, sought])) return undefined;
    return textTokens(String(items.filter((item) => item.join() === sought.join()).length));
  }
  if (name === copy) return given.length === 0 && isCopied(base) ? base : undefined;
  const values = given.map((part) =>
    part.kind === 'star' || part.kind === 'keyword' ? undefined : told(part),
  );
  const text = textOfValue(program, base);
  if (text === undefined || !values.every((value) => value !== undefined)) return undefined;
  const value = name === join ? joinedBy(program, text, values) : methodOf(program, name, text, values);
  const isOwn =
    code[0] === forWord ||
    isUntaught(name) ||
    values.some((one) => integerOf(one) !== undefined) ||
    (value?.length ?? 0) > longestTold ||
    [base, value, ...values].some((one) => one?.includes(backslash));
  return isOwn ? value : undefined;
}

/** `map(len, xs)` as a list. */
function lengthsIn(
  code: readonly number[],
  { kind, parts }: Part,
  told: (part: Part) => Value | undefined,
): Value | undefined {
  const [callee, called, over, ...others] = kind === 'call' ? parts : [];
  const isMap = callee?.kind === 'name' && code[callee.first] === map && others.length === 0;
  const isLength = isMap && called?.kind === 'name' && code[called.first] === len;
  const items = isLength && over ? iterated(code, over, told, longest) : undefined;
  const isSized = items?.every((item) => hasItems(item) && !item.includes(backslash));
  return items && isSized ? listed(items.map((item) => textTokens(String(itemsIn(item).length)))) : undefined;
}

/** The items of a deque with a greatest length, as a list: to what asks for no more it is the same. */
function limitedItems(
  program: Program,
  { locals }: Frame,
  code: readonly number[],
  { kind, first }: Part,
): Value | undefined {
  if (kind !== 'name') return undefined;
  const text = locals.get(nameOfSlot(program, code[first] as number));
  const [, list] = /^deque\((\[.*\]), maxlen=\d+\)$/s.exec(text ?? '') ?? [];
  const value = list === undefined ? [] : encodeValue(program, list);
  return isLiteral(value) ? value : undefined;
}

/** Whether a value is a list, a dict or a set. */
const isCopied = ([first]: Value): boolean => first === square || first === brace;

/** Whether a callee is `dict`, or `copy` or `deepcopy` of the module `copy`. */
function copies(program: Program, code: readonly number[], { kind, end, first }: Part): boolean {
  const name = code[end - 1] as number;
  if (kind === 'name' && name === dict) return true;
  const word = attributeName(program, name);
  if (word !== 'copy' && word !== 'deepcopy') return false;
  if (kind === 'name') return isImported(program, word, 'copy');
  const isOfModule = kind === 'attribute' && end === first + 3;
  return isOfModule && attributeName(program, code[first] as number) === 'copy' && importsCopy(program);
}

const importsCopy = perText(({ source }) => /^[ \t]*import[ \t]+copy\b(?![ \t]*[.,]|[ \t]+as)/m.test(source));

/** What a method gives. */
function methodOf(program: Program, name: number, text: string, values: readonly Value[]): Value | undefined {
  const given = values.map((value) => textOfValue(program, value) ?? integerOf(value));
  if (!given.every((one) => one !== undefined)) return undefined;
  const made = madeOfText(name, text, given);
  if (typeof made === 'string') return valueOfText(program, made);
  if (typeof made === 'boolean') return [made ? isTrue : isFalse];
  if (typeof made === 'number') return textTokens(String(made));
  return made && listed(made.map((one) => valueOfText(program, one)));
}

/** What `join` makes of a list or tuple of texts. */
function joinedBy(program: Program, text: string, [list, ...others]: readonly Value[]): Value | undefined {
  if (list === undefined || others.length > 0 || !isSequence(list)) return undefined;
  const texts = itemsIn(list).map((item) => textOfValue(program, item));
  return texts.every((one) => one !== undefined) ? valueOfText(program, texts.join(text)) : undefined;
}

/** The characters of a value that is a string. */
function textOfValue(program: Program, value: Value): string | undefined {
  const repr = quotes.includes(value[0] as number) ? decodeValue(program, value) : undefined;
  return typeof repr === 'string' ? textOfRepr(repr) : undefined;
}

const valueOfText = (program: Program, text: string): Value => encodeValue(program, reprOfText(text));
