/** What modules of the library do with what they are given, and what they remember. */
import { builtinBases } from '../language/builtin-exceptions.js';
import type { LexicalToken } from '../language/lexer.js';

/** Bases that call no method of a class but special ones and those of `askedFor`. */
export const plainBases: ReadonlySet<string> = new Set([
  ...'object ABC ABCMeta Generic NamedTuple namedtuple TypedDict'.split(' '),
  ...'Enum IntEnum StrEnum Flag IntFlag'.split(' '),
  'BaseException',
  ...Object.keys(builtinBases),
]);

/** Methods that builtins and the library look for in whatever they are given. */
export const askedFor: ReadonlySet<string> = new Set(
  (
    'write writelines flush close read readline keys items fileno send throw mro filter emit handle format ' +
    'insert read1 readinto closed seek tell readable writable seekable isatty aclose asend find_spec create_module exec_module ' +
    'as_integer_ratio numerator denominator utcoffset dst tzname _make _replace _asdict'
  ).split(' '),
);

/** Modules whose functions and classes leave nothing behind. */
const forgetful = (
  '__future__ abc array base64 binascii bisect cmath collections contextlib copy dataclasses datetime decimal ' +
  'difflib enum fractions functools hashlib heapq html itertools json keyword math numbers operator pathlib re statistics ' +
  'string struct textwrap types typing typing_extensions unicodedata uuid'
).split(' ');
const forgetfulModules = new Set(forgetful);
/** Modules that call no methods of what they are given but special ones and those of `askedFor`. */
const quietModules = new Set([
  ...forgetful,
  ...'csv io logging os random secrets shutil sys tempfile time traceback warnings zlib'.split(' '),
]);
/** Names of forgetful modules that are not. */
const remembering = new Set(['getcontext', 'setcontext', 'localcontext', 'DefaultContext', 'BasicContext']);

/** What a name is imported from. */
export interface Import {
  /** First part of the module's name. */
  readonly module: string;
  /** What was imported: the module itself, or this of it. */
  readonly name: string | undefined;
}

/** Whether calls of what was imported leave nothing behind; `attribute`: what is looked up in it. */
export const leavesNothing = ({ module, name }: Import, attribute: string | undefined): boolean =>
  (forgetfulModules.has(module) && !remembering.has(name ?? attribute ?? '')) ||
  (module === 'logging' && (name ?? attribute) === 'getLogger') ||
  (module === 'os' && (name ?? attribute) === 'path');

/** Whether a module calls no methods of the program that nothing names. */
export const isQuietModule = (module: string): boolean => quietModules.has(module);

/** What the imports in some code bind, wherever they stand in it. */
export function* importsIn(
  tokens: readonly LexicalToken[],
): Generator<readonly [name: string, from: Import]> {
  for (const [at, { text, logical }] of tokens.entries()) {
    const before = tokens[at - 1];
    const isFirst = before?.logical !== logical || before.text === ':' || before.text === ';';
    if (!isFirst || (text !== 'import' && text !== 'from')) continue;
    let end = at + 1;
    while (tokens[end]?.logical === logical && tokens[end]?.text !== ';') end += 1;
    yield* importsOf(tokens.slice(at, end));
  }
}

/** What an import binds: `import a.b as c, d` and `from a import (b as c, d)`. */
function importsOf(tokens: readonly LexicalToken[]): Map<string, Import> {
  const found = new Map<string, Import>();
  const isFrom = tokens[0]?.text === 'from';
  const at = tokens.findIndex(({ text }) => text === 'import');
  const module = tokens[1]?.text ?? '';
  let part: LexicalToken[] = [];
  for (const token of [...tokens.slice(at + 1), undefined]) {
    if (token !== undefined && token.text !== ',' && token.text !== '(' && token.text !== ')')
      part.push(token);
    else if (part.length > 0) {
      const [first] = part;
      const own = (part.at(-2)?.text === 'as' ? part.at(-1) : first)?.text ?? '';
      found.set(own, isFrom ? { module, name: first?.text } : { module: first?.text ?? '', name: undefined });
      part = [];
    }
  }
  return found;
}
