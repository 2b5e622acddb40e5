/** Names whose lists, dicts and sets nothing in a program can change: they are bound to what is made there, and all else that is done with them is to look into them. */
import { looksInto, looksThrough } from './language/constants.js';
import { isMapping } from './language/displays.js';
import { lineParts } from './language/line-parts.js';
import { isLiteral, mutableDepth } from './language/literal-values.js';
import { givesBuiltins } from './language/object-owners.js';
import type { Part } from './language/parts.js';
import { charToken, wordToken } from './language/tokens.js';
import { lineTokens, type Program, perText } from './program.js';

const [defWord, equals] = [wordToken('def'), charToken('=')];

/** By slot and kind of value. */
const onlyRead = perText(() => new Map<string, boolean>());

/** Whether a program does nothing with what a name stands for, which is this value, but look into it, and has no other way to that. */
export function isOnlyRead(program: Program, slot: number, value: readonly number[]): boolean {
  const depth = isLiteral(value) ? mutableDepth(value) : 0;
  // Of what is nested deeper, lists are given away.
  if (depth < 1 || depth > 2) return false;
  const known = onlyRead(program);
  const key = [slot, depth, isMapping(value)].join();
  const looks = (code: Int32Array): boolean =>
    depth === 1 ? looksInto(program, code, slot) : looksThrough(program, code, slot, isMapping(value));
  const found =
    known.get(key) ??
    program.codeLines.every((line) => {
      const code = lineTokens(program, line);
      // What a default is has another name.
      if (code[0] === defWord) return code.every((token, at) => token !== slot || code[at - 1] !== equals);
      return bindsNew(code, slot, depth) || looks(code);
    });
  known.set(key, found);
  return found;
}

/** Whether a line does no more with a name than bind it to what it makes. */
function bindsNew(code: Int32Array, slot: number, depth: number): boolean {
  if (code[0] !== slot || code[1] !== equals || code.includes(slot, 1)) return false;
  const [value] = lineParts(code)?.values ?? [];
  return value !== undefined && isNew(code, value, depth);
}

/** Whether a part makes all lists, dicts and sets that it comes to, which are nested so deep. */
function isNew(code: ArrayLike<number>, { kind, parts }: Part, depth: number): boolean {
  if (depth === 0 || kind === 'constant') return true;
  if (kind === 'display') return parts.every((inner) => isNew(code, inner, depth - 1));
  if (kind === 'comprehension') return parts.slice(1).every((inner) => isNew(code, inner, depth - 1));
  const [callee] = parts;
  if (kind === 'call' && callee?.kind === 'name')
    return depth === 1 && givesBuiltins(code[callee.first] as number);
  return kind === 'binary' && parts.every((inner) => depth === 1 || isNew(code, inner, depth));
}
