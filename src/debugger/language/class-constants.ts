/** Constants in the bodies of classes: code that is read has them in place of `self.NAME` and `Class.NAME`. */
import { lineTokens, nameOfSlot, type Program, perProgram } from '../program.js';
import { scopeOf } from '../running.js';
import type { Frame } from '../state.js';
import { closingOf } from './augmented.js';
import { derivesFromBuiltins } from './derived-builtins.js';
import { brace, withCommas } from './displays.js';
import { areAlike } from './item-changes.js';
import { isKnownFunction, isKnownMethod } from './known-calls.js';
import { lineParts } from './line-parts.js';
import { isLiteral, isMutable, mutableDepth } from './literal-values.js';
import { augmented } from './operators.js';
import type { Part } from './parts.js';
import { classesOf, keepsObject, ownerOf, type ProgramClass } from './program-classes.js';
import { charTokens, isSlotToken, special, wordTokens } from './tokens.js';
import { toldValue } from './told.js';

type Value = readonly number[];

/** Most tokens of a constant. */
const longest = 1024;
/** Most tokens of one that stands in code. */
const longestShown = 96;
/** Most lines of one. */
const mostLines = 64;
const [dot, opening, closing, square, equals, colon, comma, braceEnd] = charTokens('.()[=:,}') as [
  number,
  number,
  number,
  number,
  number,
  number,
  number,
  number,
];
const [inWord, del] = wordTokens('in del');
const unlike =
  /\b(?:setattr|delattr|vars|getattr|__dict__|__\w*attr\w*__|metaclass|\w*Enum|\w*Flag|NamedTuple|TypedDict|dataclass)\b/;
/** An assignment to a name, further in. */
const head = /^[ \t]+([^\W\d]\w*)[ \t]*(?::[^=\n]*)?=(?!=)/u;

interface ClassConstant {
  readonly value: Value;
  readonly owner: ProgramClass;
}

/** By slot of the name. */
const constantsOf = perProgram(readConstants);

function readConstants(program: Program): ReadonlyMap<number, ClassConstant> {
  const found = new Map<number, ClassConstant>();
  if (!/^[ \t]*class\b/m.test(program.source) || unlike.test(program.source) || derivesFromBuiltins(program))
    return found;
  program.lines.forEach((text, index) => {
    const [, name] = head.exec(text) ?? [];
    const slot = name === undefined ? undefined : program.slots.get(name);
    const owner = classesOf(program).get(classAround(program, index + 1) ?? '');
    if (slot === undefined || name === undefined || !owner?.isPlain || owner.isData) return;
    const value = assignedFrom(program, index + 1);
    if (value !== undefined && isBoundOnce(program, name) && isKept(program, slot, value))
      found.set(slot, { value, owner });
  });
  return found;
}

/** The name of the class of the module in whose body a line stands, if it is in no function. */
function classAround({ lines, scopes }: Program, line: number): string | undefined {
  if (scopes.some(({ firstLine, lastLine }) => firstLine <= line && line <= lastLine)) return undefined;
  const around = lines.slice(0, line - 1).findLast((text) => /^[^\s#]/.test(text));
  return /^class[ \t]+(\w+)/.exec(around ?? '')?.[1];
}

/** The value of an assignment that begins on a line. */
function assignedFrom(program: Program, first: number): Value | undefined {
  const lines = program.codeLines.filter((line) => line >= first).slice(0, mostLines);
  const code: number[] = [];
  for (const line of lines) {
    code.push(...lineTokens(program, line));
    const part = lineParts(code)?.values[0];
    const value = part && writtenValue(code, part);
    if (part) return value && value.length <= longest && isLiteral(value) ? value : undefined;
  }
  return undefined;
}

/** The value of a literal, of a dict with tuples for keys too. */
function writtenValue(code: readonly number[], part: Part): Value | undefined {
  return toldValue(code, part, (inner) => {
    if (inner.kind === 'name') return null;
    const [key] = inner.kind === 'display' && code[inner.first] === brace ? inner.parts : [];
    if (key === undefined || code[key.until] !== colon) return undefined;
    const values = inner.parts.map((one) => writtenValue(code, one));
    if (!values.every((value) => value !== undefined)) return null;
    const keys = values.filter((_, at) => at % 2 === 0);
    const isPlain = areAlike(keys) && new Set(keys.map((one) => one.join())).size === keys.length;
    const entries = keys.map((one, at) => [...one, colon, ...(values[2 * at + 1] as Value)]);
    return isPlain ? [brace, ...withCommas(entries), braceEnd] : null;
  });
}

/** Whether nothing else binds the name, as a name or as an attribute. */
function isBoundOnce({ source, scopes }: Program, name: string): boolean {
  const bindings = source.match(
    new RegExp(`(?:^[ \\t]*|\\.)${name}[ \\t]*(?::[^=\\n]*)?(?:[-+*/%&|^@<>]{0,2})=(?!=)`, 'gm'),
  );
  const isDefined = new RegExp(
    `\\b(?:def|class|import|as|for|global|nonlocal|del)[ \\t]+(?:\\w+\\.)*${name}\\b`,
  ).test(source);
  // One of several targets; an argument by keyword behind it counts as one.
  const isTarget = new RegExp(
    `\\.${name}\\b[^=\\n]*[^=!<>:\\n]=(?!=)|^[ \\t]*(?:del\\b|for\\b(?:(?!\\bin\\b)[^\\n])*|with\\b[^\\n]*\\bas\\b)[^\\n]*\\.${name}\\b[^\\n]*:?$`,
    'm',
  );
  const lines = source.split('\n').filter((text) => text.includes(`.${name}`));
  const isIterated = new RegExp(`\\bin\\b[^\\n]*\\.${name}\\b`);
  const isOther = lines.some(
    (text) => isTarget.test(text) && !(/^\s*for\b/.test(text) && isIterated.test(text)),
  );
  return (
    bindings?.length === 1 && !isDefined && !isOther && !scopes.some(({ names }) => names.includes(name))
  );
}

/** Whether nothing in the program can change a value: it holds nothing that can be changed, or is looked into alone. */
function isKept({ tokens }: Program, slot: number, value: Value): boolean {
  if (!isMutable(value)) return true;
  const places = [...tokens.keys()].filter((at) => tokens[at] === slot && tokens[at - 1] === dot);
  const bare = [...tokens.keys()].filter((at) => tokens[at] === slot && tokens[at - 1] !== dot);
  return mutableDepth(value) < 2 && bare.length === 1 && places.every((at) => isRead(tokens, at));
}

/** Whether `x.NAME` is looked into there. */
function isRead(tokens: Int32Array, at: number): boolean {
  const [before, behind] = [tokens[at - 3], tokens[at + 1]];
  if (!isSlotToken(tokens[at - 2] as number)) return false;
  if (behind === square) {
    const next = tokens[closingOf(tokens, at + 1) + 1] as number;
    return next !== equals && next !== comma && !augmented.has(next) && before !== del;
  }
  if (behind === dot) return isKnownMethod(tokens[at + 2] as number) && tokens[at + 3] === opening;
  if (before === opening && behind === closing) return isKnownFunction(tokens[at - 4] as number);
  return before === inWord;
}

/** Whether a token is the name of such a constant. */
export const isClassConstant = (program: Program, token: number): boolean => constantsOf(program).has(token);

/** The constant that a part is, if it is one. */
export function classConstant(
  program: Program,
  frame: Frame,
  code: ArrayLike<number>,
  { kind, first, end }: Part,
): Value | undefined {
  const isOfName = kind === 'attribute' && end === first + 3 && isSlotToken(code[first] as number);
  const constant = isOfName ? constantsOf(program).get(code[end - 1] as number) : undefined;
  return constant && isOf(program, frame, code[first] as number, constant) ? constant.value : undefined;
}

/** Whether a name stands for the class, or in one of its methods for the object. */
function isOf(program: Program, frame: Frame, base: number, { owner }: ClassConstant): boolean {
  const name = nameOfSlot(program, base);
  if (name === owner.name) return !frame.locals.has(name);
  const scope = scopeOf(program, frame, 'paused');
  const isObject = scope !== undefined && scope.positional[0] === name && keepsObject(program, scope);
  const own = isObject ? ownerOf(program, scope) : undefined;
  return own !== undefined && isDerived(own, owner);
}

const isDerived = (one: ProgramClass, owner: ProgramClass): boolean =>
  one === owner || (one.isPlain && one.bases.some((base) => isDerived(base, owner)));

/** Code tokens of a line of a frame, with short ones in place of their names. */
export function withClassConstants(
  program: Program,
  frame: Frame,
  code: readonly number[],
): readonly number[] {
  const constants = constantsOf(program);
  if (constants.size === 0 || !code.some((token) => constants.has(token)) || code.includes(special.fstring))
    return code;
  const out: number[] = [];
  let isChanged = false;
  code.forEach((token, at) => {
    const constant = constants.get(token);
    const base = out.at(-2);
    const isOfName = out.at(-1) === dot && base !== undefined && isSlotToken(base) && out.at(-3) !== dot;
    const isShort = constant && constant.value.length <= longestShown && constant.value[0] !== brace;
    if (!isShort || !isOfName || code[at + 1] === equals || !isOf(program, frame, base, constant)) {
      out.push(token);
      return;
    }
    out.length -= 2;
    out.push(...constant.value);
    isChanged = true;
  });
  return isChanged ? out : code;
}
