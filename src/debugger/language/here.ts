/** The line about to run with the values of its names beside them (docs/trace-language.md, section 6). */
import { lineTokenOf, type Program } from '../program.js';
import type { DebuggerState, Frame } from '../state.js';
import { byteToken, charToken, isLineToken, isSlotToken, slotBase, special, wordToken } from './tokens.js';
import { encodeValue } from './values.js';

/** A longer value stands behind the first occurrence of its name only. */
const repeatedTokens = 8;
const dot = charToken('.');
const equals = charToken('=');
const comma = charToken(',');
const backslash = charToken('\\');
const quotes: readonly number[] = [charToken("'"), charToken('"')];
const opening: readonly number[] = ['[', '(', '{'].map(charToken);
const closing: readonly number[] = [']', ')', '}'].map(charToken);
const forWord = wordToken('for');
const inWord = wordToken('in');

/**
 * `<|here|>` and the line with which the program goes on from the state, as far as the state tells: that of a `line` event, or that of the caller after a
 * `return`. Empty for other states.
 */
export function encodeHere(program: Program, state: DebuggerState): number[] {
  const frame = goingOn(state);
  return frame === undefined
    ? []
    : [special.here, ...withValues(program, lineTokens(program, frame.line), frame)];
}

function goingOn({ event, frames }: DebuggerState): Frame | undefined {
  if (event === 'line') return frames.at(-1);
  return event === 'return' ? frames.at(-2) : undefined;
}

/** The code tokens of the code line that physical `line` stands for, without its line and indentation tokens. */
function lineTokens(program: Program, line: number): Int32Array {
  const { tokens } = program;
  const start = tokens.indexOf(lineTokenOf(program, line)) + 2;
  let end = start;
  for (let token = tokens[end]; token !== undefined; token = tokens[end]) {
    if (isLineToken(token) || token === special.entry) break;
    end += 1;
  }
  return tokens.subarray(start, end);
}

/**
 * Code tokens, each name that is bound in the frame followed by its value: every time if it is short, else the first time. The target of an assignment to one name
 * has none. On the line of a `for` statement, `<|it|>` stands in the iterable before the item that comes next.
 */
export function withValues(program: Program, code: ArrayLike<number>, frame: Frame): number[] {
  const out: number[] = [];
  const seen = new Set<number>();
  let following: number | undefined;
  for (let index = 0; index < code.length; index += 1) {
    const token = code[index] as number;
    out.push(token);
    if (token === inWord && code[0] === forWord && following === undefined) following = frame.its.at(-1);
    if (!isSlotToken(token) || code[index - 1] === dot) continue;
    const text = frame.locals.get(program.slotNames[token - slotBase] ?? '');
    if (text === undefined || (index === 0 && code[1] === equals)) continue;
    const value = encodeValue(program, text);
    if (seen.has(token) && value.length > repeatedTokens) continue;
    seen.add(token);
    for (const written of following === undefined ? value : marked(value, following)) out.push(written);
  }
  return out;
}

/** A list, tuple, dict, set or string with `<|it|>` before its item number `item`, or at the end if it has fewer. */
function marked(value: readonly number[], item: number): readonly number[] {
  const first = value[0] as number;
  if (!quotes.includes(first) && !opening.includes(first)) return value;
  const at = quotes.includes(first) ? characterAt(value, item) : itemAt(value, item);
  return [...value.slice(0, at), special.it, ...value.slice(at)];
}

const isContinuation = (token: number): boolean => token >= byteToken(0x80) && token < byteToken(0xc0);

function characterAt(value: readonly number[], item: number): number {
  const last = value.length - 1;
  let at = 1;
  for (let left = item; left > 0 && at < last; left -= 1) {
    at += value[at] === backslash ? 2 : 1;
    while (at < last && isContinuation(value[at] as number)) at += 1;
  }
  return Math.min(at, last);
}

function itemAt(value: readonly number[], item: number): number {
  let depth = 0;
  let left = item;
  let quote: number | undefined;
  let escaped = false;
  for (const [at, token] of value.entries()) {
    if (quote !== undefined) {
      if (token === quote && !escaped) quote = undefined;
      escaped = token === backslash && !escaped;
      continue;
    }
    if (depth === 1 && left === 0) return at;
    if (quotes.includes(token)) quote = token;
    else if (opening.includes(token)) depth += 1;
    else if (closing.includes(token)) depth -= 1;
    else if (token === comma && depth === 1) left -= 1;
  }
  return value.length - 1;
}
