/** Whether a list, dict or set of plain values is only read where its name stands. */
import type { LexicalToken } from '../language/lexer.js';
import { assigning, closingOf } from './source-units.js';

/** Functions of builtins that change nothing of what they are given and keep nothing of it, where it holds plain values. */
const readers = new Set(
  'len sum min max sorted list tuple set frozenset dict enumerate zip any all reversed iter map filter str repr print'.split(
    ' ',
  ),
);
/** Methods that change nothing. */
const readingMethods = new Set(
  (
    'get index count items keys values copy union intersection difference issubset issuperset isdisjoint ' +
    // Those of loggers, which have nothing else that shows.
    'debug info warning error exception critical log isEnabledFor'
  ).split(' '),
);

/** Whether the name at `at` is looked into, gone through, asked for something or given to a builtin that only reads it; `deletes`: in a `del` statement. */
export function isReading(tokens: readonly LexicalToken[], at: number, deletes: boolean): boolean {
  const [before, beforeThat] = [tokens[at - 1]?.text ?? '', tokens[at - 2]?.text ?? ''];
  const after = tokens[at + 1]?.text ?? '';
  if (after === '.') return readingMethods.has(tokens[at + 2]?.text ?? '') && tokens[at + 3]?.text === '(';
  if (after === '[') return !deletes && !assigning.has(tokens[closingOf(tokens, at + 1) + 1]?.text ?? '');
  if (before === 'in') return true;
  return before === '(' && readers.has(beforeThat) && tokens[at - 3]?.text !== '.' && /^[,)]$/.test(after);
}
