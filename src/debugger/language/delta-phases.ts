/** Where the reader of a delta stands, and what may come next there. */
import type { EventKind } from '../state.js';

export type Phase =
  | 'start'
  | 'line'
  | 'digits'
  | 'moreDigits'
  | 'head'
  | 'changes'
  | 'local'
  | 'key'
  | 'keyed'
  | 'operand'
  | 'patched'
  | 'gots'
  | 'got'
  | 'value'
  | 'last'
  | 'done';

/** Those in which a value begins. */
export const opensValue: ReadonlySet<Phase> = new Set(['local', 'key', 'operand', 'got', 'value']);

const expectedWords: Partial<Record<Phase, string>> = {
  line: 'a line of the program',
  digits: 'a digit',
  moreDigits: 'a digit or the next part',
  local: 'a value, <|del|>, <|it|> or <|o:+=|>',
  key: 'an index or a key',
  keyed: '<|it|>, <|value|>, <|o:+=|> or <|del|>',
  operand: 'a value',
  got: 'a value',
  value: 'a value',
  last: '<|end|>',
  done: 'nothing',
};
const betweenParts: Partial<Record<Phase, string>> = {
  head: '<|it|>, a name, <|got|>',
  changes: 'a name, <|got|>',
  patched: '<|it|>, <|o:+=|>, a name, <|got|>',
};

/** What may come next, in words. `frames`: how many frames the delta has so far; `event`: that of the last. */
export function expectedIn(phase: Phase, frames: number, event: EventKind | undefined): string {
  if (phase === 'start') return `${frames === 0 ? '<|pop|>, ' : ''}<|push|> or an event`;
  const known = expectedWords[phase];
  if (known !== undefined) return known;
  const end =
    event === undefined
      ? '<|push|> or an event'
      : event === 'call' || event === 'line'
        ? '<|end|>'
        : '<|value|>';
  return `${betweenParts[phase] ?? '<|got|>'} or ${end}`;
}
