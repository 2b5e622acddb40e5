/** With which values a call begins: what its line tells of the arguments. */
import { nameOfSlot, type Program, type Scope } from '../program.js';
import type { Running } from '../running.js';
import { attributeName } from './attributes.js';
import { defaultsOf } from './defaults.js';
import type { Entered } from './handed.js';
import { isSuper } from './known-calls.js';
import type { LineCall } from './line-calls.js';
import { classOf, isConstructor, isMethod } from './methods.js';
import { newObject } from './new-objects.js';
import type { Part } from './parts.js';
import { type Binding, bindingOf, classNamed, keepsObject } from './program-classes.js';
import { isWordToken, wordOf } from './tokens.js';
import { ToldLine } from './told-line.js';
import { textOf } from './told-values.js';
import { writtenScope } from './written.js';

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
  if (written.some(({ kind }) => kind === 'star')) return found;
  const left = new Map(defaultsOf(program, callee));
  const bind = (name: string | undefined, argument: Part | undefined): void => {
    if (name === undefined) return;
    const text = argument && (told.text(argument) ?? functionText(program, running, code, argument));
    left.delete(name);
    if (text !== undefined) found.set(name, text);
  };
  const bound = target ? boundBy(program, running, code, target, callee) : 'nothing';
  const [first = ''] = callee.positional;
  if (bound === 'object' && target?.kind === 'attribute') {
    bind(first, target.parts[0]);
    const object = objectOfSuper(program, running, code, target.parts[0] as Part);
    if (object !== undefined) found.set(first, object);
  }
  const made = bound === 'made' ? newObject(program, classOf(callee)) : undefined;
  if (made !== undefined) found.set(first, made);
  if (bound === 'class') {
    const base = target?.parts[0];
    const name = base?.kind === 'name' ? attributeName(program, code[base.first] as number) : '';
    if (classNamed(program, running.frame, name)) found.set(first, `<class '${name}'>`);
  }
  const names = callee.positional.slice(Number(bound !== 'nothing'));
  const inOrder = written.filter(({ kind }) => kind !== 'keyword');
  for (const [index, argument] of inOrder.entries()) bind(names[index], argument);
  for (const { kind, first, parts } of written) {
    const name = kind === 'keyword' ? nameOfSlot(program, code[first] as number) : '';
    if (callee.parameters.has(name)) bind(name, parts[0]);
  }
  for (const [name, text] of left) found.set(name, text);
  return found;
}

/** What a call gives the function by itself before its arguments. */
export function boundBy(
  program: Program,
  { frame }: Pick<Running, 'frame'>,
  code: ArrayLike<number>,
  target: Part,
  callee: Scope,
): Binding | 'made' {
  if (target.kind !== 'attribute')
    return target.kind === 'name' && isConstructor(callee) ? 'made' : 'nothing';
  const binding = isMethod(callee) ? (bindingOf(program, callee) ?? 'object') : 'object';
  const base = target.parts[0] as Part;
  const name = base.kind === 'name' ? attributeName(program, code[base.first] as number) : '';
  return binding === 'object' && classNamed(program, frame, name) ? 'nothing' : binding;
}

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

/** The canonical repr of a lambda, of a type of builtins, or of what such a type gives without arguments. */
function functionText(
  program: Program,
  { frame }: Running,
  code: ArrayLike<number>,
  part: Part,
): string | undefined {
  const token = code[part.first] as number;
  const word = isWordToken(token) ? wordOf(token) : '';
  if (part.kind === 'call' && part.parts.length === 1 && part.parts[0]?.kind === 'name')
    return empty.get(word);
  if (part.kind === 'name' && types.has(word)) return `<class '${word}'>`;
  const written = part.kind === 'lambda' ? writtenScope(program, frame, code, part) : undefined;
  return written && `<function ${written.qualifiedName}>`;
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
