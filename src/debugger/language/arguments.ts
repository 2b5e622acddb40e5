/** With which values a call begins: what its line tells of the arguments. */
import { boundedRepr } from '../literals.js';
import type { Program, Scope } from '../program.js';
import type { Running } from '../running.js';
import type { Frame } from '../state.js';
import { attributeName } from './attributes.js';
import { boundMethod } from './bound-methods.js';
import { defaultsOf, parametersOf } from './defaults.js';
import { isSequence, itemsIn } from './displays.js';
import type { Entered } from './handed.js';
import { isSuper } from './known-calls.js';
import type { LineCall } from './line-calls.js';
import { classOf, isConstructor, isMethod } from './methods.js';
import type { Part } from './parts.js';
import { type Binding, bindingOf, classesOf, classNamed, keepsObject } from './program-classes.js';
import { charToken, isWordToken, wordOf } from './tokens.js';
import { ToldLine } from './told-line.js';
import { textOf } from './told-values.js';

const star = charToken('*');

/** What is known of parameters, by name: canonical reprs. */
type Bound = Map<string, string>;

/**
 * The parameters that are told. `code`: the line of the calling frame, perhaps with values in place of what was worked out; `isStale`: lists and their like may
 * have changed since the frame was seen; `given`: a part of which it is known otherwise.
 */
export function argumentsOf(
  program: Program,
  running: Running,
  code: ArrayLike<number>,
  { part, callee, operands }: Pick<LineCall, 'part' | 'callee' | 'operands'>,
  isStale: boolean,
  given?: { readonly part: Part; readonly text: string },
): Bound {
  const told = new ToldLine(program, running, code, isStale, given);
  const found: Bound = new Map();
  if (operands) {
    for (const [index, operand] of operands.entries()) {
      const [name, text] = [callee.positional[index], told.text(operand)];
      if (name !== undefined && text !== undefined) found.set(name, text);
    }
    return found;
  }
  const [target, ...written] = part.parts;
  const textOfPart = (argument: Part): string | undefined => told.text(argument) ?? typeText(code, argument);
  const keywords = written.filter(({ kind }) => kind === 'keyword');
  const inOrder = positionalTexts(program, code, told, written, textOfPart);
  if (inOrder === undefined) return found;
  const left = new Map(defaultsOf(program, callee));
  const bindText = (name: string | undefined, text: string | undefined): void => {
    if (name === undefined) return;
    left.delete(name);
    if (text !== undefined) found.set(name, text);
  };
  const bind = (name: string | undefined, argument: Part | undefined): void =>
    bindText(name, argument && textOfPart(argument));
  const bound = target ? boundBy(program, running, code, target, callee) : 'nothing';
  const [first = ''] = callee.positional;
  // It is the first of `*args` then.
  if (bound !== 'nothing' && first === '') return found;
  if (bound === 'object' && target?.kind === 'attribute') {
    bind(first, target.parts[0]);
    const object = objectOfSuper(program, running, code, target.parts[0] as Part);
    if (object !== undefined) found.set(first, object);
  }
  const held = target && boundObject(program, running.frame, code, target);
  if (held !== undefined) found.set(first, held);
  const made = bound === 'made' ? newObject(program, classOf(callee)) : undefined;
  if (made !== undefined) found.set(first, made);
  if (bound === 'class') {
    const base = target?.parts[0];
    const name = base?.kind === 'name' ? attributeName(program, code[base.first] as number) : '';
    if (classNamed(program, running.frame, name)) found.set(first, `<class '${name}'>`);
  }
  const names = callee.positional.slice(Number(bound !== 'nothing'));
  for (const [index, text] of inOrder.entries()) bindText(names[index], text);
  const others = new Map<string, string | undefined>();
  const parameters = parametersOf(program, callee);
  const plain = parameters.filter(({ kind }) => kind === 'plain' || kind === 'keyword');
  for (const { first, parts } of keywords) {
    const name = attributeName(program, code[first] as number);
    if (plain.some((parameter) => parameter.name === name) || parameters.length === 0) bind(name, parts[0]);
    else others.set(name, parts[0] && textOfPart(parts[0]));
  }
  for (const { name, kind } of parameters) {
    if (kind === 'star') bindText(name, tupleOf(inOrder.slice(names.length)));
    else if (kind === 'doubleStar') bindText(name, dictOf(others));
  }
  for (const [name, text] of left) found.set(name, text);
  return found;
}

/** What an object of a class, by its qualified name, is written as before it has attributes. */
const newObject = (program: Program, owner: string): string | undefined =>
  classesOf(program).get(owner)?.isData ? undefined : `<${owner} object>`;

/** The arguments by position, those of `*xs` too, undefined for one that is not told; undefined where it is not told how many there are. */
function positionalTexts(
  program: Program,
  code: ArrayLike<number>,
  told: ToldLine,
  written: readonly Part[],
  textOfPart: (part: Part) => string | undefined,
): readonly (string | undefined)[] | undefined {
  const found: (string | undefined)[] = [];
  for (const part of written) {
    if (part.kind === 'keyword') continue;
    if (part.kind !== 'star') found.push(textOfPart(part));
    else {
      const value = code[part.first] === star ? told.tokens(part.parts[0] as Part) : undefined;
      if (value === undefined || !isSequence(value)) return undefined;
      found.push(...itemsIn(value).map((item) => textOf(program, item)));
    }
  }
  return found;
}

function tupleOf(texts: readonly (string | undefined)[]): string | undefined {
  const text = `(${texts.join(', ')}${texts.length === 1 ? ',' : ''})`;
  return texts.includes(undefined) ? undefined : boundedRepr(text);
}

function dictOf(entries: ReadonlyMap<string, string | undefined>): string | undefined {
  const text = `{${[...entries].map(([name, value]) => `'${name}': ${value}`).join(', ')}}`;
  return [...entries.values()].includes(undefined) ? undefined : boundedRepr(text);
}

/** What a call gives the function by itself before its arguments. */
export function boundBy(
  program: Program,
  { frame }: Pick<Running, 'frame'>,
  code: ArrayLike<number>,
  target: Part,
  callee: Scope,
): Binding | 'made' {
  if (boundObject(program, frame, code, target) !== undefined) return 'object';
  if (target.kind !== 'attribute')
    return target.kind === 'name' && isConstructor(callee) ? 'made' : 'nothing';
  const binding = isMethod(callee) ? (bindingOf(program, callee) ?? 'object') : 'object';
  const base = target.parts[0] as Part;
  const name = base.kind === 'name' ? attributeName(program, code[base.first] as number) : '';
  return binding === 'object' && classNamed(program, frame, name) ? 'nothing' : binding;
}

/** The object with which a name of the frame stands for a method. */
const boundObject = (
  program: Program,
  frame: Frame,
  code: ArrayLike<number>,
  { kind, first }: Part,
): string | undefined =>
  kind === 'name'
    ? boundMethod(program, frame.locals.get(attributeName(program, code[first] as number)))?.object
    : undefined;

/** The object of the method that calls another one of it through `super()`. */
function objectOfSuper(
  program: Program,
  { frame, scope, current }: Running,
  code: ArrayLike<number>,
  base: Part,
): string | undefined {
  const [name = ''] = scope.positional;
  return isSuper(code, base) && keepsObject(program, scope)
    ? (current?.get(name) ?? frame.locals.get(name))
    : undefined;
}

const empty = new Map(Object.entries({ dict: '{}', list: '[]', set: 'set()', str: "''", tuple: '()' }));
const types = new Set('bool bytes dict float frozenset int list set str tuple'.split(' '));

/** The canonical repr of a type of builtins, or of what such a type gives without arguments. */
function typeText(code: ArrayLike<number>, { kind, first, parts }: Part): string | undefined {
  const token = code[first] as number;
  const word = isWordToken(token) ? wordOf(token) : '';
  if (kind === 'call' && parts.length === 1 && parts[0]?.kind === 'name') return empty.get(word);
  return kind === 'name' && types.has(word) ? `<class '${word}'>` : undefined;
}

/** The parameters of a function that no call in the text names. */
export function handedTo(
  program: Program,
  running: Running,
  code: ArrayLike<number>,
  { callee, part, given }: Entered,
  isStale: boolean,
): Bound {
  if (part !== undefined) return argumentsOf(program, running, code, { part, callee }, isStale);
  const found: Bound = new Map(defaultsOf(program, callee));
  for (const [index, name] of callee.positional.slice(0, given.length).entries()) {
    const text = textOf(program, given[index] as readonly number[]);
    if (text === undefined) found.delete(name);
    else found.set(name, text);
  }
  return found;
}
