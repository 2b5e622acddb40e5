/** What an entry calls, as far as its text tells. */
import type { LexicalToken } from './lexer.js';

/** Names that `def` and `class` bind at module level. */
function definitions(tokens: readonly LexicalToken[]): Map<string, 'def' | 'class'> {
  const found = new Map<string, 'def' | 'class'>();
  tokens.forEach((token, index) => {
    if (token.level > 0 || (token.text !== 'def' && token.text !== 'class')) return;
    const before = tokens[index - 1];
    const name = tokens[index + 1];
    if (before?.logical === token.logical && before.text !== 'async') return;
    if (name !== undefined) found.set(name.text, token.text);
  });
  return found;
}

/**
 * Whether the outermost call of an entry may run several frames one after another. A function, or a method of the program, runs in one
 * frame; a class without `__new__` in that of its `__init__`; of anything else nothing is known.
 */
export function makesSeveralCalls(source: readonly LexicalToken[], entry: readonly LexicalToken[]): boolean {
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
  const isDefined = (name: string): boolean =>
    source.some((token, index) => token.text === name && source[index - 1]?.text === 'def');
  if (open > 1) return !(entry[open - 2]?.text === '.' && isDefined(callee.text));
  const kind = definitions(source).get(callee.text);
  return kind === undefined || (kind === 'class' && (isDefined('__new__') || isDefined('__call__')));
}

/** Whether an entry says that its arguments are unknown: the Ellipsis alone in the brackets, as in `f(...)`. */
export const hidesArguments = (entry: readonly LexicalToken[]): boolean =>
  ['(', '...', ')'].every((text, index, end) => entry.at(index - end.length)?.text === text);
