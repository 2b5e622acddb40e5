/** What can become of the values that statements of a module bind names to. */
import type { LexicalToken } from '../language/lexer.js';
import { assigning, atDepthZero, closingOf, isCompound, type Unit } from './source-units.js';

/** Calls of the library that give what holds nothing of the program, or what shows nothing of it. */
const plainCalls =
  /^(?:re\.compile|(?:collections\.)?namedtuple|(?:typing\.)?(?:TypeVar|NewType)|(?:struct\.)?Struct|(?:dataclasses\.)?field|frozenset|range|object|Decimal|Fraction|(?:pathlib\.)?Path|timedelta|date)$/;
/** Calls of the library that give what can be changed, but not by what only reads lists and their like. */
const readCalls =
  /^(?:(?:logging\.)?getLogger|OrderedDict|Counter|defaultdict|deque|dict|list|set|tuple|bytearray)$/;

/** Whether tokens are a value that nothing changes where it lies: no display of items, no call; `isKept` tells of names. */
export const isPlain = (
  value: readonly LexicalToken[],
  isKept: (name: string) => boolean = () => false,
): boolean =>
  value.every(({ kind, text }, at) => {
    const before = value[at - 1];
    const isBehindValue =
      (before?.kind === 'name' && !constants.has(before.text)) ||
      before?.text === ')' ||
      before?.text === ']';
    if (text === '{' || (text === '[' && !isBehindValue) || (text === '(' && isBehindValue)) return false;
    return (
      kind !== 'name' || constants.has(text) || (before?.text === '.' && text !== 'append') || isKept(text)
    );
  });

const constants = new Set(['None', 'True', 'False', 'not', 'and', 'or', 'if', 'else', 'is', 'in']);
const running = new Set(['for', 'lambda', 'yield', 'await', ':=']);

/**
 * Whether a statement binds names to a value in which nothing is called, gone through or looked up: names, attributes, and what lists them. isThere: of which names;
 * isStored: of which attributes of names.
 */
export function isListing(
  { head }: Unit,
  isThere: (name: string) => boolean,
  isStored: (name: string, attribute: string) => boolean,
): boolean {
  const end = atDepthZero(head, assigning).at(-1);
  if (
    end === undefined ||
    head[end]?.text !== '=' ||
    isCompound(head) ||
    head.some(({ text }) => text === ';')
  )
    return false;
  const targets = head[1]?.text === ':' ? head.slice(0, 1) : head.slice(0, end);
  if (head.slice(0, end).some(({ text }) => text === '(')) return false;
  if (!targets.every(({ kind, text }) => kind === 'name' || text === '=' || text === ',')) return false;
  return listsOnly(head.slice(end + 1), isThere, isStored);
}

/** Whether tokens are values as `isListing` wants them. */
export const listsOnly = (
  value: readonly LexicalToken[],
  isThere: (name: string) => boolean,
  isStored: (name: string, attribute: string) => boolean,
): boolean =>
  value.every(({ kind, text }, at) => {
    const before = value[at - 1];
    const isBehindValue =
      (before?.kind === 'name' && !constants.has(before.text)) || /^[)\]]$/.test(before?.text ?? '');
    if (before?.text === '.') return value[at - 3]?.text !== '.' && isStored(value[at - 2]?.text ?? '', text);
    if (kind === 'name') return constants.has(text) || (!running.has(text) && isThere(text));
    if (kind === 'operator')
      return /^[,:.{}[\]()]$/.test(text) && !((text === '(' || text === '[') && isBehindValue);
    return kind !== 'fstring';
  });

/** What may become of the value that a statement binds: nothing, other items for it, or anything. */
export type Changes = 'nothing' | 'items' | 'anything';

/**
 * What may become of what a statement binds. isKept: whether a name has a value that nothing changes, or is none of the program. isLibrary: whether it is one of builtins or
 * of the library.
 */
export function changesOf(
  { head }: Unit,
  isKept: (name: string) => boolean,
  isLibrary: (name: string) => boolean,
): Changes {
  const [at, ...others] = atDepthZero(head, [...assigning, ';']);
  if (at === undefined || others.length > 0 || head[at]?.text !== '=' || isCompound(head)) return 'anything';
  const value = head.slice(at + 1);
  if (head[0]?.kind !== 'name' || (at > 1 && head[1]?.text !== ':')) return 'anything';
  // An annotation that makes a call.
  if (head.slice(0, at).some(({ text }) => text === '(')) return 'anything';
  if (value.some(({ text }) => running.has(text))) return 'anything';
  if (isPlain(value, isKept) || isTypeAlias(value, isLibrary)) return 'nothing';
  const open = value.findIndex(({ text }) => text === '(');
  const callee = value.slice(0, Math.max(open, 0)).map(({ text }) => text);
  const isWholeCall = open > 0 && closingOf(value, open) === value.length - 1 && isLibrary(callee[0] ?? '');
  const given = value.slice(open + 1, -1);
  if (isWholeCall && plainCalls.test(callee.join('')) && isFlat(given, isKept)) return 'nothing';
  if (isWholeCall && readCalls.test(callee.join('')) && isFlat(given, isKept)) return 'items';
  const isDisplay = /^[[{]$/.test(value[0]?.text ?? '') && closingOf(value, 0) === value.length - 1;
  return isDisplay && isPlain(value.slice(1, -1), isKept) ? 'items' : 'anything';
}

/** Whether a value is one such as `Dict[str, List[int]]`. */
const isTypeAlias = (value: readonly LexicalToken[], isLibrary: (name: string) => boolean): boolean =>
  value[0]?.kind === 'name' &&
  isLibrary(value[0].text) &&
  value[1]?.text === '[' &&
  closingOf(value, 1) === value.length - 1 &&
  value.every(({ text }) => text !== '(' && text !== '{');

/** Whether tokens hold nothing but plain values and lists of these that nobody else has. */
const isFlat = (tokens: readonly LexicalToken[], isKept: (name: string) => boolean): boolean =>
  tokens.every(
    ({ kind, text }, at) =>
      (kind !== 'name' || constants.has(text) || isKept(text) || tokens[at + 1]?.text === '=') &&
      !(text === '(' && tokens[at - 1]?.kind === 'name'),
  );
