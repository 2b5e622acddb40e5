/** Constants of the module: names outside functions whose values the program's text tells (docs/trace-language.md, section 6). */
import { lineTokens, nameOfSlot, type Program } from '../program.js';
import type { Frame } from '../state.js';
import { closingOf } from './augmented.js';
import { isKnownFunction, isKnownMethod } from './known-calls.js';
import { isLiteral, isMutable, mutableDepth } from './literal-values.js';
import { augmented, lineParts } from './parts.js';
import { charTokens, isSlotToken, slotBase, wordToken } from './tokens.js';
import { toldValue } from './told.js';
import { encodeValue } from './values.js';

type Value = readonly number[];

/** Most tokens of a constant. */
const longest = 128;
const [opening, closing, square, dot, colon, equals] = charTokens('()[.:=');
const inWord = wordToken('in');
/** By program: the values of its constants, by slot. */
const found = new WeakMap<Program, ReadonlyMap<number, Value>>();

/** The tokens of the value of a name in a frame: what it is bound to there, or the constant of the module that it is; undefined: it is not known. */
export function valueOfName(program: Program, frame: Frame, slot: number): Value | undefined {
  const text = frame.locals.get(nameOfSlot(program, slot));
  return text === undefined ? constantsOf(program).get(slot) : encodeValue(program, text);
}

/** The constants of the module. */
export function constantsOf(program: Program): ReadonlyMap<number, Value> {
  let constants = found.get(program);
  if (constants === undefined) {
    constants = new Map(
      [...program.assignedOnce].flatMap(([name, lines]) => {
        const slot = program.slots.get(name);
        const value = slot === undefined ? undefined : assignedValue(program, slot, lines);
        return slot === undefined || value === undefined ? [] : [[slot, value] as const];
      }),
    );
    found.set(program, constants);
  }
  return constants;
}

/** The value of an assignment on these lines to one name, if the code tells it and nothing in the program can change it. */
function assignedValue(
  program: Program,
  slot: number,
  [firstLine, lastLine]: readonly [number, number],
): Value | undefined {
  const lines = program.codeLines.filter((line) => firstLine <= line && line <= lastLine);
  const code = lines.flatMap((line) => [...lineTokens(program, line)]);
  const line = lineParts(code);
  const part = line?.values.length === 1 && line.inner.length === 0 ? line.values[0] : undefined;
  const value = part && toldValue(code, part, ({ kind }) => (kind === 'name' ? null : undefined));
  if (value === undefined || value.length > longest || !isLiteral(value)) return undefined;
  const isKept = !isMutable(value) || (mutableDepth(value) === 1 && isOnlyRead(program, slot));
  return isKept ? value : undefined;
}

/** Whether all that is done with a name, once it has its value, is to look into it. */
function isOnlyRead(program: Program, slot: number): boolean {
  const { tokens } = program;
  const places = [...tokens.keys()].filter((at) => tokens[at] === slot && tokens[at - 1] !== dot);
  const first = places[0] as number;
  const behind = tokens[first + 1];
  return (behind === equals || behind === colon) && looksInto(program, tokens.subarray(first + 1), slot);
}

/** Whether code does nothing else with a name than look into what it is bound to. */
export const looksInto = (program: Program, code: Int32Array, slot: number): boolean =>
  code.every((token, at) => token !== slot || code[at - 1] === dot || isRead(program, code, at));

/** Whether a name is looked into at `tokens[at]`: `in x`, `x[i]` (but as a target), `x.get(i)`, `len(x)`. */
function isRead({ slotNames }: Program, tokens: Int32Array, at: number): boolean {
  const [before, behind] = [tokens[at - 1], tokens[at + 1]];
  if (behind === square) {
    const next = tokens[closingOf(tokens, at + 1) + 1];
    return next !== undefined && next !== equals && !augmented.has(next);
  }
  if (behind === dot) {
    const name = tokens[at + 2] as number;
    const word = (isSlotToken(name) ? wordToken(slotNames[name - slotBase] ?? '') : undefined) ?? name;
    return isKnownMethod(word) && tokens[at + 3] === opening;
  }
  if (before === opening && behind === closing) return isKnownFunction(tokens[at - 2] as number);
  return before === inWord;
}
