/** Statements that put a list in another order, as expressions for the list they leave (docs/trace-language.md, section 9). */
import type { Program } from '../program.js';
import type { LineParts } from './line-parts.js';
import { isNamed, partTokens } from './parts.js';
import { charTokens, slotBase, special, wordToken } from './tokens.js';
import { decodeValue } from './values.js';

type Value = readonly number[];

const [sort, reverse, sorted] = ['sort', 'reverse', 'sorted'].map((word) => wordToken(word) as number);
const [opening, closing, comma] = charTokens('(),');
const backwards = charTokens('[::-1]');
/** Where the bracket stands in `x.sort()`. */
const afterName = 3;

/** `sorted(x)` for the line `x.sort()`, `x[::-1]` for `x.reverse()`; undefined for other lines. */
export function reordered(code: ArrayLike<number>, { values }: LineParts): Value | undefined {
  const [part, ...others] = values;
  const isCall = part?.kind === 'call' && part.first === 0 && part.end === code.length;
  const [callee, ...given] = isCall && others.length === 0 ? part.parts : [];
  const base = callee?.kind === 'attribute' ? callee.parts[0] : undefined;
  if (callee === undefined || base === undefined || !isNamed(base)) return undefined;
  if (!given.every(({ kind }) => kind === 'keyword')) return undefined;
  const list = partTokens(code, base);
  const name = code[callee.end - 1];
  if (name === reverse && given.length === 0) return [...list, ...backwards];
  const ordered = given.flatMap((inner) => [comma, ...partTokens(code, inner)]);
  return name === sort ? [sorted as number, opening, ...list, ...ordered, closing] : undefined;
}

/** The name of a list that a line puts in another order and what it leaves, where that was worked out: it stands behind the line. */
export function leftInOrder(
  program: Program,
  worked: ArrayLike<number>,
): readonly [name: string, text: string] | undefined {
  const code = Array.from(worked);
  const at = code.indexOf(special.value);
  // Of an attribute it is no value of the name.
  if (at < 0 || code[afterName] !== opening) return undefined;
  const name = program.slotNames[(code[0] as number) - slotBase];
  const text = decodeValue(program, code.slice(at + 1));
  return name !== undefined && typeof text === 'string' ? [name, text] : undefined;
}
