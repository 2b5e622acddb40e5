/** `and`, `or` and `not` bind as in Python. */
import { parser } from '@lezer/python';
import { expect, it } from 'vitest';
import { type Logic, logicOf } from '../../../src/debugger/language/logic.js';

/** The expression with brackets around all that is joined; the span of each is that of its text. */
function bracketed(text: string, logic: Logic): string {
  const { kind, from, to } = logic;
  if (kind === 'leaf') return text.slice(from, to);
  if (kind === 'not') return `(not ${bracketed(text, logic.operand)})`;
  return `(${bracketed(text, logic.left)} ${kind} ${bracketed(text, logic.right)})`;
}

it.each([
  ['a', 'a'],
  ['a or b and c', '(a or (b and c))'],
  ['a and b or c and d', '((a and b) or (c and d))'],
  ['a or b or c', '((a or b) or c)'],
  ['not a or b', '((not a) or b)'],
  ['not a and b or c', '(((not a) and b) or c)'],
  ['a and not b or c', '((a and (not b)) or c)'],
  ['a or not b and c or d', '((a or ((not b) and c)) or d)'],
  ['not not a and b', '((not (not a)) and b)'],
  ['not a == b or c in d', '((not a == b) or c in d)'],
  ['not (a or b)', '(not (a or b))'],
])('%s', (text, expected) => {
  const expression = parser.parse(text).topNode.firstChild?.firstChild;
  if (!expression) throw new Error('nothing was parsed');
  const logic = logicOf(expression);
  expect(bracketed(text, logic)).toBe(expected);
  expect(text.slice(logic.from, logic.to)).toBe(text);
});
