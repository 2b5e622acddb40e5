/** The line about to run with the values of its names beside them (docs/trace-language.md, section 6). */
import { lineTokens, type Program } from '../program.js';
import type { DebuggerState, Frame } from '../state.js';
import { valueAt } from './attributes.js';
import { integerOf } from './literal-values.js';
import { type Lookups, marked, marks, subscripts } from './marks.js';
import { partTokens } from './parts.js';
import { charToken, charTokens, isSlotToken, special, textTokens, wordToken } from './tokens.js';

/** A longer value stands behind the first occurrence of its name only. */
const repeatedTokens = 8;
const dot = charToken('.');
const equals = charToken('=');
const forWord = wordToken('for');
const inWord = wordToken('in');
const reversedWord = wordToken('reversed');
const rangeWord = wordToken('range');
const reorders = new Set(['reversed', 'sorted', 'set', 'frozenset'].map(wordToken));
const [opening, closing, subscript, comma, colon] = charTokens('()[,:');
const backwards = textTokens('[::-1]');

/**
 * `<|here|>` and the line with which the program goes on from the state, as far as the state tells: that of a `line` event, or that of the caller after a
 * `return`. Empty for other states. worked: the code tokens of that line, where some of its expressions were worked out.
 */
export function encodeHere(program: Program, state: DebuggerState, worked?: ArrayLike<number>): number[] {
  const frame = goingOn(state);
  if (frame === undefined) return [];
  return [special.here, ...withValues(program, worked ?? lineTokens(program, frame.line), frame)];
}

/** The frame that goes on from the state, on the line where it is; undefined where the state does not tell. */
export function goingOn({ event, frames }: DebuggerState): Frame | undefined {
  if (event === 'line') return frames.at(-1);
  return event === 'return' ? frames.at(-2) : undefined;
}

/**
 * Code tokens, each name that is bound in the frame followed by its value, or if attributes follow that its value tells, the last of these by that of the
 * attribute: every time if it is short, else the first time, and the first time with other marks. The target of an assignment to one name or attribute has none. Marks (`<|it|>`) stand before the items that subscripts look up and, on the line of
 * a `for` statement, in the iterable before the item that comes next; behind a range stands a mark and the integer that comes next.
 */
export function withValues(program: Program, code: ArrayLike<number>, frame: Frame): number[] {
  const out: number[] = [];
  const seen = new Set<string>();
  let following: number | undefined;
  let reordered = 0; // functions that change the order, behind the `in` of a `for`
  for (let index = 0, next = 1; index < code.length; index = next, next += 1) {
    const token = code[index] as number;
    out.push(token);
    if (token === inWord && code[0] === forWord && following === undefined) following = frame.its.at(-1);
    if (following !== undefined && reorders.has(token)) reordered += 1;
    if (!isSlotToken(token) || code[index - 1] === dot) continue;
    const { value, end } = valueAt(program, code, index, frame);
    for (next = index + 1; next < end; next += 1) out.push(code[next] as number);
    if (value === undefined || (index === 0 && code[end] === equals)) continue;
    const lookups = subscripts(program, code, end - 1, frame);
    const places = marks(value, lookups, inOrder(code, index, end, lookups, following, reordered));
    const shown = partTokens(code, { first: index, end }).join();
    const shownSo = `${shown}:${places.join()}`;
    if (value.length > repeatedTokens && seen.has(places.length > 0 ? shownSo : shown)) continue;
    seen.add(shown).add(shownSo);
    for (const written of marked(value, places)) out.push(written);
  }
  const after = following === undefined ? undefined : nextOfRange(program, code, frame, following);
  return after === undefined ? out : [...out.slice(0, -1), special.it, ...after, colon];
}

/**
 * The integer that comes next in a loop over a range, or one that goes backwards, if its bounds are constants or names bound to integers; nothing if the range is
 * at its end; undefined for other loops. `following`: how many came before.
 */
function nextOfRange(
  program: Program,
  code: ArrayLike<number>,
  frame: Frame,
  following: number,
): readonly number[] | undefined {
  const line = Array.from(code);
  const tokens = line.slice(line.indexOf(inWord as number) + 1);
  const isReversed = tokens[0] === reversedWord && tokens[1] === opening;
  const inside = isReversed ? tokens.slice(2, -2) : tokens.slice(0, -1);
  const isCall = inside[0] === rangeWord && inside[1] === opening && inside.at(-1) === closing;
  if (!isCall || tokens.at(-1) !== colon || tokens.at(-2) !== closing) return undefined;
  const bounds = separated(inside.slice(2, -1)).map((bound) => boundOf(program, bound, frame));
  if (bounds.length > 3 || bounds.includes(undefined) || bounds[2] === 0) return undefined;
  const [start, stop, step = 1] =
    bounds.length === 1 ? [0, bounds[0] as number] : (bounds as [number, number, number?]);
  const count = Math.max(0, Math.ceil((stop - start) / step));
  if (following >= count) return [];
  return textTokens(`${start + step * (isReversed ? count - 1 - following : following)}`);
}

/** What stands between commas. */
function separated(tokens: readonly number[]): number[][] {
  const found: number[][] = [[]];
  for (const token of tokens) {
    if (token === comma) found.push([]);
    else found.at(-1)?.push(token);
  }
  return found;
}

/** The integer that a bound of a range is. */
function boundOf(program: Program, bound: readonly number[], frame: Frame): number | undefined {
  const { value, end } = valueAt(program, bound, 0, frame);
  return integerOf(value !== undefined && end === bound.length ? value : bound);
}

/**
 * The number of the item that comes next, of what a loop goes over at `code[first .. end - 1]`: from the end where it goes backwards (-1 is the last),
 * undefined where its order is not told.
 */
function inOrder(
  code: ArrayLike<number>,
  first: number,
  end: number,
  { isWhole }: Lookups,
  following: number | undefined,
  reordered: number,
): number | undefined {
  if (following === undefined) return undefined;
  if (reordered > 0) {
    const isArgument = code[first - 1] === opening && code[first - 2] === reversedWord;
    return isArgument && code[end] === closing && reordered === 1 ? -1 - following : undefined;
  }
  if (backwards.every((token, at) => code[end + at] === token))
    return code[end + backwards.length] === subscript ? undefined : -1 - following;
  return isWhole ? following : undefined;
}
