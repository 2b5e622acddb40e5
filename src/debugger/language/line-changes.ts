/** Whether the parts of a line change objects while no function of the program runs: what it calls besides. */
import { nameOfSlot, type Program } from '../program.js';
import type { Frame } from '../state.js';
import { attributeName, classOfObject } from './attributes.js';
import { dataClassesOf } from './data-classes.js';
import type { Foreign } from './hidden-calls.js';
import { changesNothing } from './known-calls.js';
import type { LineParts } from './line-parts.js';
import type { Part, PartKind } from './parts.js';
import { charToken, wordToken, wordTokens } from './tokens.js';

const [opening, modulo] = [charToken('('), charToken('%')];
const print = wordToken('print');
const assertWord = wordToken('assert');
/** Builtins that read no items; `max` and `min` of several values neither. */
const itemless = new Set(wordTokens('abs bool float int isinstance len print repr round str'));
const severalValues = new Set(wordTokens('max min'));
/** What looks nothing up and goes over nothing. */
const plainKinds: ReadonlySet<PartKind> = new Set([
  'constant',
  'name',
  'display',
  'attribute',
  'keyword',
  'unary',
  'not',
  'binary',
  'compare',
  'and',
  'or',
  'ternary',
]);

/** A line of code tokens in a frame. */
export interface FrameLine {
  readonly program: Program;
  readonly frame: Frame;
  readonly code: ArrayLike<number>;
  readonly parts: LineParts;
  /** Whether the frame is at one of several lines of the statement that is the code, so that its calls may be over that are not among the frame's gots. */
  readonly isPart?: boolean;
}

/** Whether the line changes nothing but what it binds, stores or updates. `past`: a call whose arguments have been evaluated, and are not again. */
export function changesNothingElse(line: FrameLine, foreign: Foreign, past?: Part): boolean {
  const { code, parts } = line;
  // What an `assert` says is not read.
  if (foreign === 'anything' || code[0] === assertWord) return false;
  if (foreign === 'reads' && Array.from(code).includes(modulo)) return false;
  const isHarmless = (part: Part): boolean => {
    const { kind } = part;
    if (part === past) return true;
    if (kind === 'call') return isQuietCall(line, part, foreign) && part.parts.slice(1).every(isHarmless);
    if (kind === 'text')
      return !Array.from(code).slice(part.first, part.end).includes(opening) && foreign === 'nothing';
    return (foreign === 'nothing' || plainKinds.has(kind)) && part.parts.every(isHarmless);
  };
  return [...parts.values, ...parts.inner].every(isHarmless);
}

/** Whether a call, its arguments aside, changes nothing by itself: a function of the program is entered, or a builtin that changes nothing. */
function isQuietCall(line: FrameLine, part: Part, foreign: Foreign): boolean {
  const { code } = line;
  const [callee, ...given] = part.parts as [Part, ...Part[]];
  const token = code[callee.end - 1] as number;
  if (entersProgram(line, callee) || makesData(line, callee)) return true;
  // `key=xs.append`
  if (given.some(({ kind }) => kind === 'keyword' || kind === 'lambda')) return false;
  if (foreign === 'nothing')
    return callee.kind === 'name' && token === print ? true : changesNothing(code, callee);
  if (callee.kind !== 'name' || given.some(({ kind }) => kind === 'star')) return false;
  return itemless.has(token) || (severalValues.has(token) && given.length > 1);
}

/** Whether a data class is called that is made of its fields alone. */
const makesData = ({ program, code }: FrameLine, { kind, first }: Part): boolean =>
  kind === 'name' && dataClassesOf(program).has(attributeName(program, code[first] as number));

/** Whether a call of `callee` enters a function of the program, if it calls anything. */
export function entersProgram({ program, frame, code }: FrameLine, callee: Part): boolean {
  const name = attributeName(program, code[callee.end - 1] as number);
  const scopes = program.scopes.filter((scope) => scope.name === name);
  if (scopes.length === 0) return false;
  if (callee.kind === 'name') return scopes.every(({ isPlain }) => isPlain);
  const [object] = callee.parts;
  if (callee.kind !== 'attribute' || object?.kind !== 'name') return false;
  return scopes.every(({ isNamed }) => isNamed) && isObject(program, frame, code[object.first] as number);
}

/** Whether a slot stands for an object of a class of the program. */
function isObject(program: Program, frame: Frame, slot: number): boolean {
  const text = frame.locals.get(nameOfSlot(program, slot)) ?? '';
  const name = classOfObject(text)?.split('.').at(-1);
  return name !== undefined && new RegExp(`\\bclass\\s+${name}\\b`).test(program.source);
}
