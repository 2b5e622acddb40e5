/** What an entry calls, as far as its text tells. */
import type { LexicalToken } from './lexer.js';

/** What a source defines. */
export interface Definitions {
  /** Names that `def` and `class` bind at module level, as the last one of them does. */
  readonly ofModule: ReadonlyMap<string, 'def' | 'class'>;
  /** Names behind any `def`. */
  readonly functions: ReadonlySet<string>;
}

export function definitionsOf(tokens: readonly LexicalToken[]): Definitions {
  const ofModule = new Map<string, 'def' | 'class'>();
  const functions = new Set<string>();
  tokens.forEach(({ text, level, logical }, index) => {
    const name = tokens[index + 1];
    if ((text !== 'def' && text !== 'class') || name === undefined) return;
    if (text === 'def') functions.add(name.text);
    const before = tokens[index - 1];
    const beginsLine = before?.logical !== logical || before.text === 'async';
    if (level === 0 && beginsLine) ofModule.set(name.text, text);
  });
  return { ofModule, functions };
}

/**
 * Whether the outermost call of an entry may run several frames one after another. A function, or a method of the program, runs in one
 * frame; a class without `__new__` in that of its `__init__`; of anything else nothing is known.
 */
export function makesSeveralCalls(
  { ofModule, functions }: Definitions,
  entry: readonly LexicalToken[],
): boolean {
  let depth = 0;
  let open = entry.length - 1;
  for (; open >= 0; open -= 1) {
    const token = entry[open];
    if (token?.kind !== 'operator') continue;
    if (')]}'.includes(token.text)) depth += 1;
    else if ('([{'.includes(token.text)) depth -= 1;
    if (depth === 0) break;
  }
  const callee = entry[open - 1];
  if (callee?.kind !== 'name') return true;
  if (open > 1) return !(entry[open - 2]?.text === '.' && functions.has(callee.text));
  const kind = ofModule.get(callee.text);
  return kind === undefined || (kind === 'class' && (functions.has('__new__') || functions.has('__call__')));
}

/** Whether an entry says that its arguments are unknown: the Ellipsis alone in the brackets, as in `f(...)`. */
export const hidesArguments = (entry: readonly LexicalToken[]): boolean =>
  ['(', '...', ')'].every((text, index, end) => entry.at(index - end.length)?.text === text);
