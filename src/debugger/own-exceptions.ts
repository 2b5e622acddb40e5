/** Exceptions of the program's own classes: what is raised, what their `__init__` begins with, and what that makes of them. */
import { attributeName } from './language/attributes.js';
import { readFrom } from './language/code-cursor.js';
import {
  basesOf,
  classesOfException,
  exceptionName,
  isBuiltinException,
} from './language/exception-classes.js';
import { ExpressionParser } from './language/expression-parts.js';
import { isSuper, mayCall } from './language/known-calls.js';
import { lineParts } from './language/line-parts.js';
import { isDecorated } from './language/methods.js';
import type { Part } from './language/parts.js';
import { wordTokens } from './language/tokens.js';
import { ToldLine } from './language/told-line.js';
import { longestText } from './language/values.js';
import type { Program, Scope } from './program.js';
import type { Running } from './running.js';

const [raise, from, none] = wordTokens('raise from None') as [number, number, number];
/** Longest way from a class to an exception of builtins. */
const mostBases = 16;

/** Exceptions of builtins that make something else of what they are given. */
const givenOtherwise = [
  'OSError',
  'ImportError',
  'SyntaxError',
  'UnicodeError',
  'SystemExit',
  'StopIteration',
];

const isDecoratedClass = ({ source }: Program, name: string): boolean =>
  new RegExp(`^[ \\t]*@[^\\n]*\\n[ \\t]*class[ \\t]+${name}\\b`, 'm').test(source);

interface OwnException {
  readonly name: string;
  /** Its `__init__`, if the program has one for it. */
  readonly init: Scope | undefined;
}

/** The class of the program with this name, if its objects are exceptions that keep what they are given. */
function exceptionNamed(program: Program, name: string): OwnException | undefined {
  const classes = classesOfException(program, `${name}()`);
  if (classes === undefined || givenOtherwise.some((one) => classes.has(one))) return undefined;
  let init: Scope | undefined;
  let [base, ...others] = [name] as string[];
  for (let count = 0; count < mostBases && base !== undefined && others.length === 0; count += 1) {
    if (isBuiltinException(base)) return count === 0 ? undefined : { name, init };
    const owner = base;
    const of = (method: string): Scope[] =>
      program.scopes.filter(({ qualifiedName }) => qualifiedName === `${owner}.${method}`);
    const [first, ...more] = of('__init__');
    if (
      of('__new__').length + more.length > 0 ||
      isDecoratedClass(program, owner) ||
      (first && isDecorated(program, first))
    )
      return undefined;
    init ??= first;
    [base, ...others] = basesOf(program, owner);
  }
  return undefined;
}

/** What a `raise` calls. */
interface RaisingCall {
  readonly exception: OwnException;
  /** The call, or the name of the class alone. */
  readonly part: Part;
  readonly given: readonly Part[];
}

/** The call of such a class that a `raise` statement raises; undefined for other lines, and where its arguments call anything. */
export function raisingCall(
  program: Program,
  { frame }: Running,
  code: readonly number[],
): RaisingCall | undefined {
  const part =
    code[0] === raise ? readFrom(code, 1, (cursor) => new ExpressionParser(cursor).single()) : undefined;
  if (part === undefined) return undefined;
  const [callee, ...given] = part.kind === 'call' ? (part.parts as [Part, ...Part[]]) : [part];
  if (callee.kind !== 'name') return undefined;
  const name = attributeName(program, code[callee.first] as number);
  const exception = frame.locals.has(name) ? undefined : exceptionNamed(program, name);
  const cause = code.includes(from) ? code.slice(code.indexOf(from) + 1) : undefined;
  if (cause && !isCause(program, frame, cause)) return undefined;
  return exception && !given.some((argument) => mayCall(code, argument))
    ? { exception, part, given }
    : undefined;
}

/** Whether code is `None`, or the name of an exception. */
function isCause(
  program: Program,
  { locals }: Running['frame'],
  [token = -1, ...more]: readonly number[],
): boolean {
  if (more.length > 0) return false;
  return (
    token === none || exceptionName(program, locals.get(attributeName(program, token)) ?? '') !== undefined
  );
}

/** How an exception is written that was given these, by position; undefined where one is not told. */
export function writtenWith(
  program: Program,
  running: Running,
  code: readonly number[],
  name: string,
  given: readonly Part[],
): string | undefined {
  const told = new ToldLine(program, running, code, false);
  const texts = given
    .filter(({ kind }) => kind !== 'keyword')
    .map((part) => (part.kind === 'star' ? undefined : told.text(part)));
  const text = `${name}(${texts.join(', ')})`;
  return texts.every((one) => one !== undefined) && text.length <= longestText ? text : undefined;
}

/** The exception whose `__init__` a function is, by how the object is written there: the name of its class. */
export function initialised(
  program: Program,
  { frame, scope }: Running,
): { readonly self: string; readonly name: string } | undefined {
  const [self = ''] = scope.positional;
  const name = /^(\w+)\(/.exec(frame.locals.get(self) ?? '')?.[1];
  const exception = name === undefined ? undefined : exceptionNamed(program, name);
  return name !== undefined &&
    exception?.init !== undefined &&
    scope.name === '__init__' &&
    scope.keptParameters.has(self)
    ? { self, name }
    : undefined;
}

/** What the object is once `super().__init__(..)` has given it other arguments, if that is the one of builtins. */
export function givenAgain(
  program: Program,
  running: Running,
  code: readonly number[],
): readonly [self: string, text: string] | undefined {
  const own = initialised(program, running);
  const { values: [value] = [], targets = [] } = lineParts(code) ?? {};
  const [callee, ...given] = value?.kind === 'call' && targets.length === 0 ? value.parts : [];
  if (own === undefined || callee?.kind !== 'attribute' || !isSuper(code, callee.parts[0] as Part))
    return undefined;
  const owner = running.scope.qualifiedName.replace(/\.__init__$/, '');
  const [base = '', ...others] = basesOf(program, owner);
  const isOfBuiltins =
    others.length === 0 && (isBuiltinException(base) || exceptionNamed(program, base)?.init === undefined);
  const isPlain = attributeName(program, code[callee.end - 1] as number) === '__init__' && isOfBuiltins;
  const isQuiet = !given.some((argument) => argument.kind === 'keyword' || mayCall(code, argument));
  const text = isPlain && isQuiet ? writtenWith(program, running, code, own.name, given) : undefined;
  return text === undefined ? undefined : [own.self, text];
}
