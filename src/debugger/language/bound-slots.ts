/** The names that an assignment binds. */
import type { LineParts } from './line-parts.js';
import type { Part } from './parts.js';
import { wordToken } from './tokens.js';

const forWord = wordToken('for');

/** Slots of the names that the statement of a line of code tokens surely binds when it ends. The head of a loop may end without. */
export function boundSlots(code: ArrayLike<number>, { targets }: LineParts): readonly number[] {
  const slots = ({ kind, first, parts }: Part): readonly number[] => {
    if (kind === 'name') return [code[first] as number];
    return kind === 'display' || kind === 'star' ? parts.flatMap(slots) : [];
  };
  return code[0] === forWord ? [] : targets.flatMap(slots);
}
