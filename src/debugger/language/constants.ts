/** Constants of the module: names outside functions whose values the program's text tells (docs/trace-language.md, section 6). */
import { lineTokens, nameOfSlot, type Program, perProgram } from '../program.js';
import type { Frame } from '../state.js';
import { closingOf } from './augmented.js';
import { isMapping } from './displays.js';
import { isKnownFunction, isKnownMethod } from './known-calls.js';
import { lineParts } from './line-parts.js';
import { isLiteral, isMutable, mutableDepth } from './literal-values.js';
import { augmented } from './operators.js';
import type { Part } from './parts.js';
import { isTable } from './tables.js';
import { charTokens, isLineToken, isSlotToken, slotBase, wordToken, wordTokens } from './tokens.js';
import { toldValue } from './told.js';
import { encodeValue } from './values.js';

type Value = readonly number[];

/** Most tokens of a constant that a line shows. */
const longestShown = 128;
/** Most tokens of a constant that is looked into. */
const longest = 8192;
const [opening, closing, square, dot, colon, equals, comma] = charTokens('()[.:=,');
const [inWord, len, del, keys, forWord] = wordTokens('in len del keys for');

interface Constants {
  /** Those that a line shows. */
  readonly shown: ReadonlyMap<number, Value>;
  /** Those that are too long for that, or hold what could be changed: they are looked into. */
  readonly tables: ReadonlyMap<number, Value>;
}

/** The tokens of the value of a name in a frame: what it is bound to there, or the constant of the module that it is; undefined: it is not known. */
export function valueOfName(program: Program, frame: Frame, slot: number): Value | undefined {
  const text = frame.locals.get(nameOfSlot(program, slot));
  return text === undefined ? constantsOf(program).get(slot) : encodeValue(program, text);
}

/** The constants of the module. */
export const constantsOf = (program: Program): ReadonlyMap<number, Value> => found(program).shown;

/** Constants of the module of which a line shows nothing. */
export const tablesOf = (program: Program): ReadonlyMap<number, Value> => found(program).tables;

/** By slot. */
const found = perProgram((program): Constants => {
  const [shown, tables] = [new Map<number, Value>(), new Map<number, Value>()];
  for (const [name, lines] of program.assignedOnce) {
    const slot = program.slots.get(name);
    const value = slot === undefined ? undefined : assignedValue(program, lines);
    if (slot === undefined || value === undefined || !isKept(program, slot, value)) continue;
    const isShown = value.length <= longestShown && mutableDepth(value) <= 1;
    if (isShown) shown.set(slot, value);
    else if (isTable(value)) tables.set(slot, value);
  }
  return { shown, tables };
});

/** What an assignment on these lines assigns, if that is one expression. */
export function assignedPart(
  program: Program,
  [firstLine, lastLine]: readonly [number, number],
): { readonly code: readonly number[]; readonly part: Part } | undefined {
  const lines = program.codeLines.filter((line) => firstLine <= line && line <= lastLine);
  const code = lines.flatMap((line) => [...lineTokens(program, line)]);
  const line = lineParts(code);
  const part = line?.values.length === 1 && line.inner.length === 0 ? line.values[0] : undefined;
  return part && { code, part };
}

/** The value of an assignment on these lines to one name, if the code tells it. */
function assignedValue(program: Program, lines: readonly [number, number]): Value | undefined {
  const { code = [], part } = assignedPart(program, lines) ?? {};
  const value = part && toldValue(code, part, ({ kind }) => (kind === 'name' ? null : undefined));
  return value !== undefined && value.length <= longest && isLiteral(value) ? value : undefined;
}

/** Whether nothing in the program can change a value that a name is bound to. */
export function isKept(program: Program, slot: number, value: Value): boolean {
  if (!isMutable(value)) return true;
  const { tokens } = program;
  const places = [...tokens.keys()].filter((at) => tokens[at] === slot && tokens[at - 1] !== dot);
  const first = places[0] as number;
  const behind = tokens[first + 1];
  const isRead = (at: number): boolean => isReadAt(program, tokens, at);
  const isReadThrough = (at: number): boolean => isRead(at) && givesNoItem(tokens, at, isMapping(value));
  const depth = mutableDepth(value);
  return (
    (behind === equals || behind === colon) &&
    depth <= 2 &&
    places.slice(1).every(depth < 2 ? isRead : isReadThrough)
  );
}

/** Whether no item of what a name is bound to is given away where it is looked into: `x[i][j]`, `in x[i]`, `len(x)`; `in x` gives the keys of a dict. */
function givesNoItem(tokens: Int32Array, at: number, isDict: boolean): boolean {
  const [before, behind] = [tokens[at - 1], tokens[at + 1]];
  if (behind === square) {
    const end = closingOf(tokens, at + 1);
    return tokens[end + 1] === square ? isNoTarget(tokens, at, end + 1) : before === inWord;
  }
  return behind !== dot && (isDict || tokens[at - 2] === len);
}

/** Whether code does nothing else with a name than look into what it is bound to. */
export const looksInto = (program: Program, code: Int32Array, slot: number): boolean =>
  code.every((token, at) => token !== slot || code[at - 1] === dot || isReadAt(program, code, at));

/** The same where what is looked up holds lists and their like, none of which is given away. */
export const looksThrough = (program: Program, code: Int32Array, slot: number, isDict: boolean): boolean =>
  code.every(
    (token, at) =>
      token !== slot ||
      code[at - 1] === dot ||
      (isReadAt(program, code, at) && (givesNoItem(code, at, isDict) || (isDict && givesKeys(code, at)))),
  );

/** Whether nothing but the keys of a dict are asked for: `x.keys()`. */
const givesKeys = (tokens: Int32Array, at: number): boolean =>
  tokens[at + 1] === dot && tokens[at + 2] === keys && tokens[at + 3] === opening;

/** Whether a name is looked into at `tokens[at]`: `in x`, `x[i]` (but as a target), `x.get(i)`, `len(x)`. */
function isReadAt({ slotNames }: Program, tokens: Int32Array, at: number): boolean {
  const [before, behind] = [tokens[at - 1], tokens[at + 1]];
  if (behind === square) return isNoTarget(tokens, at, at + 1);
  if (behind === dot) {
    const name = tokens[at + 2] as number;
    const word = (isSlotToken(name) ? wordToken(slotNames[name - slotBase] ?? '') : undefined) ?? name;
    return isKnownMethod(word) && tokens[at + 3] === opening;
  }
  if (before === opening && behind === closing) return isKnownFunction(tokens[at - 2] as number);
  return before === inWord;
}

/** Whether the subscript whose bracket opens at `bracket`, of the name at `tokens[at]`, is neither assigned to nor on a line that deletes. */
function isNoTarget(tokens: Int32Array, at: number, bracket: number): boolean {
  const end = closingOf(tokens, bracket) + 1;
  const next = tokens[end];
  const isAssigned =
    next !== undefined &&
    (next === equals || augmented.has(next) || (next === comma && assigns(tokens, end)));
  if (tokens[at - 1] === forWord) return false;
  let before = at - 1;
  while (before >= 0 && tokens[before] !== del && !isLineToken(tokens[before] as number)) before -= 1;
  return !isAssigned && tokens[before] !== del;
}

/** Whether something is assigned further on in a line; what may be a keyword argument counts. */
function assigns(tokens: Int32Array, from: number): boolean {
  let at = from;
  while (at < tokens.length && tokens[at] !== equals && !isLineToken(tokens[at] as number)) at += 1;
  return tokens[at] === equals;
}
