/** A `name := value` that a line evaluates before anything else. */
import { readFrom } from './code-cursor.js';
import { ExpressionParser } from './expression-parts.js';
import { charTokens, isSlotToken, operatorToken, wordTokens } from './tokens.js';

const walrus = operatorToken(':=');
const [ifWord, elifWord, whileWord, returnWord, not, forWord] = wordTokens('if elif while return not for');
const [round, roundEnd, equals] = charTokens('()=');
const heads = new Set<number | undefined>([ifWord, elifWord, whileWord]);
/** What may stand before it and does nothing by then. */
const before = new Set([...heads, returnWord, not, round]);
/** Behind it, these may stand for what is evaluated before it, or what evaluates it each time. */
const choosing = new Set<number | undefined>([ifWord, forWord]);

export interface Walrus {
  readonly slot: number;
  /** Code tokens of what the name is bound to. */
  readonly value: readonly number[];
  /** Those of the line with the name alone. */
  readonly rest: readonly number[];
}

/** undefined for lines that have none or several, and where something else may come before it, or decide whether it is evaluated. */
export function firstWalrus(code: readonly number[]): Walrus | undefined {
  const at = code.indexOf(walrus);
  const slot = code[at - 1] ?? -1;
  if (!isSlotToken(slot) || code.includes(walrus, at + 1)) return undefined;
  const prefix = code.slice(0, at - 1);
  const isFirst = prefix.every((token, index) => before.has(token) || isTarget(prefix, index, slot));
  const end = readFrom(code, at + 1, (cursor) => {
    new ExpressionParser(cursor).single();
    return cursor.at;
  });
  if (!isFirst || end === undefined) return undefined;
  const inBrackets = prefix.at(-1) === round;
  const isWhole = inBrackets ? code[end] === roundEnd : heads.has(prefix.at(-1)) && end === code.length - 1;
  const rest = code.slice(end);
  if (!isWhole || rest.some((token) => choosing.has(token))) return undefined;
  return { slot, value: code.slice(at + 1, end), rest: [...prefix, slot, ...rest] };
}

/** Whether a token is part of `x = ` in front of a value, x another name. */
function isTarget(prefix: readonly number[], index: number, slot: number): boolean {
  const at = prefix[index] === equals ? index - 1 : index;
  const name = prefix[at] ?? -1;
  const isAlone = at === 0 || prefix[at - 1] === equals;
  return isAlone && isSlotToken(name) && name !== slot && prefix[at + 1] === equals;
}
