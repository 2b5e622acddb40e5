/** The functions and methods of builtins that workings know (docs/trace-language.md, section 9): they change nothing. */
import type { Program } from '../program.js';
import type { Part } from './parts.js';
import { charTokens, isSlotToken, slotBase, wordToken, wordTokens } from './tokens.js';

const words = (texts: string): Set<number> => new Set(wordTokens(texts));
const functions = words(
  'abs all any ascii bin bool bytes chr complex dict divmod enumerate filter float format frozenset hex int isinstance len list map max min oct ord range repr reversed round set sorted str sum tuple zip',
);
const methods = words(
  'capitalize casefold center count encode endswith expandtabs find index isalnum isalpha isascii isdecimal isdigit isidentifier islower isnumeric isprintable isspace istitle isupper join ljust lower lstrip partition removeprefix removesuffix replace rfind rindex rjust rpartition rsplit rstrip split splitlines startswith strip swapcase title upper zfill copy get items keys values difference intersection isdisjoint issubset issuperset symmetric_difference union bit_length is_integer decode',
);
const lazy = words('enumerate filter map range reversed zip items keys values');
const consumers = words('all any dict frozenset list max min set sorted sum tuple');
/** Functions and classes besides that ask a generator for all it gives. */
const takers = words('bytes Counter deque');
const givers = words('enumerate filter list map reversed tuple zip copy items keys values');
const [dot, opening] = charTokens('.(');
const [join, next, collections, superWord] = wordTokens('join next collections super');

const changing =
  /^(?:add|append(?:left)?|clear|close|discard|elements|extend(?:left)?|insert|most_common|move_to_end|pop(?:item|left)?|remove|reverse|rotate|send|setdefault|sort|subtract|total|update|\w+_update)$/;

/** Whether it is the name of a method that changes a list, a dict or their like. */
export const isChanging = (name: string): boolean => changing.test(name);

/** Whether a name is that of one of the functions. */
export const isKnownFunction = (token: number): boolean => functions.has(token);

/** Whether a part is a call of `super`. */
export const isSuper = (code: ArrayLike<number>, { kind, first }: Part): boolean =>
  kind === 'call' && code[first] === superWord;

/** Whether a word is that of one of the methods. */
export const isKnownMethod = (token: number): boolean => methods.has(token);

/** Whether a callee is a function or a method that leaves everything as it is. */
export function changesNothing(code: ArrayLike<number>, { kind, end }: Part): boolean {
  const name = code[end - 1] as number;
  return kind === 'attribute' ? methods.has(name) : kind === 'name' && functions.has(name);
}

/** The code with their words for the methods that are called in it: names of the program that spell one stand as slots. */
export function withMethods(program: Program, code: ArrayLike<number>): number[] {
  return Array.from(code, (token, at) => {
    const isCalled = code[at - 1] === dot && code[at + 1] === opening && isSlotToken(token);
    const word = isCalled ? wordToken(program.slotNames[token - slotBase] ?? '') : undefined;
    return word !== undefined && methods.has(word) ? word : token;
  });
}

/** Whether a part is a call whose value is no literal: an iterator or a view. */
export function isLazy(code: ArrayLike<number>, { kind, parts }: Part): boolean {
  const callee = kind === 'call' ? parts[0] : undefined;
  return callee !== undefined && lazy.has(code[callee.end - 1] as number);
}

/** Whether a callee takes a list for the generator expression that it is given. */
export function consumes(code: ArrayLike<number>, { kind, end }: Part): boolean {
  const name = code[end - 1] as number;
  return kind === 'attribute' ? name === join : kind === 'name' && consumers.has(name);
}

/** Whether a callee asks a generator for all it gives, unless the first few decide. */
export function takesAll(code: ArrayLike<number>, callee: Part): boolean {
  const isOfModule = callee.kind === 'attribute' && code[callee.first] === collections;
  const isAlone = isOfModule ? callee.end === callee.first + 3 : callee.kind === 'name';
  return consumes(code, callee) || (isAlone && takers.has(code[callee.end - 1] as number));
}

/** Whether a callee asks an iterator for one item. */
export const takesOne = (code: ArrayLike<number>, { kind, first }: Part): boolean =>
  kind === 'name' && code[first] === next;

/** Whether a call does no more than ask the generator expression that it is given. */
function onlyAsks(code: ArrayLike<number>, { kind, parts }: Part): boolean {
  const [callee, given] = kind === 'call' ? parts : [];
  return (
    given?.kind === 'generator' && callee !== undefined && (takesAll(code, callee) || takesOne(code, callee))
  );
}

/** Whether what a callee gives has the items of what it is given, in their order or the other way round. */
export const givesItems = (code: ArrayLike<number>, { end }: Part): boolean =>
  givers.has(code[end - 1] as number);

/**
 * Whether something is called in a part that may change what names are bound to.
 * @param isTold whether it is known what an f-string or a call comes to, so that it changes nothing
 */
export const mayCall = (
  code: ArrayLike<number>,
  part: Part,
  isTold: (part: Part) => boolean = () => false,
): boolean =>
  (calls(code, part) && !isTold(part)) || part.parts.some((inner) => mayCall(code, inner, isTold));

/** The same of what a part does itself, whatever those in it do. */
export const calls = (code: ArrayLike<number>, part: Part): boolean =>
  part.kind === 'text' ||
  (part.kind === 'call' && !changesNothing(code, part.parts[0] as Part) && !onlyAsks(code, part));
