/** What can become of the values that statements of a module bind names to. */
import type { LexicalToken } from '../language/lexer.js';
import { assigning, atDepthZero, type Unit } from './source-units.js';

/** Calls of the library that give what holds nothing of the program, or what shows nothing of it. */
const plainCalls =
  /^(?:(?:re\.)?compile|(?:logging\.)?getLogger|(?:collections\.)?namedtuple|(?:typing\.)?(?:TypeVar|NewType)|(?:struct\.)?Struct|(?:dataclasses\.)?field|frozenset|range|object)$/;

/** Whether tokens are a value that nothing changes where it lies: no display of items, no call; `isKept` tells of names. */
export const isPlain = (
  value: readonly LexicalToken[],
  isKept: (name: string) => boolean = () => false,
): boolean =>
  value.every(({ kind, text }, at) => {
    const before = value[at - 1];
    const isBehindValue = before?.kind === 'name' || before?.text === ')' || before?.text === ']';
    if (text === '{' || (text === '[' && !isBehindValue) || (text === '(' && isBehindValue)) return false;
    return kind !== 'name' || constants.has(text) || before?.text === '.' || isKept(text);
  });

const constants = new Set(['None', 'True', 'False', 'not', 'and', 'or', 'if', 'else', 'is', 'in']);

/** What may become of the value that a statement binds: nothing, other items for it, or anything. */
export type Changes = 'nothing' | 'items' | 'anything';

/** What may become of what a statement binds. isKept: whether a name has a value that nothing changes, or is none of the program. */
export function changesOf({ head }: Unit, isKept: (name: string) => boolean): Changes {
  const [at, ...others] = atDepthZero(head, [...assigning, ';']);
  if (at === undefined || others.length > 0 || head[at]?.text !== '=') return 'anything';
  const value = head.slice(at + 1);
  const open = value.findIndex(({ text }) => text === '(');
  const callee = value.slice(0, Math.max(open, 0)).map(({ text }) => text);
  if (isPlain(value, isKept) || plainCalls.test(callee.join(''))) return 'nothing';
  const isDisplay = /^[[{]$/.test(value[0]?.text ?? '') && /^[\]}]$/.test(value.at(-1)?.text ?? '');
  return isDisplay && isPlain(value.slice(1, -1), isKept) ? 'items' : 'anything';
}
