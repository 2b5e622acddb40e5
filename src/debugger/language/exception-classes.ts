/** Classes of exceptions: those of builtins and of the program, and what their objects say of themselves. */
import { type Program, perText } from '../program.js';
import { isText, itemsOf } from './displays.js';
import { isLiteral } from './literal-values.js';
import { textTokens } from './tokens.js';
import { encodeValue } from './values.js';

/** Bases of the exceptions of builtins (docs.python.org, "Exception hierarchy"), but for those of warnings and groups. */
const builtinBases: Readonly<Record<string, string>> = {
  Exception: 'BaseException',
  KeyboardInterrupt: 'BaseException',
  SystemExit: 'BaseException',
  ArithmeticError: 'Exception',
  AssertionError: 'Exception',
  AttributeError: 'Exception',
  BufferError: 'Exception',
  EOFError: 'Exception',
  ImportError: 'Exception',
  LookupError: 'Exception',
  MemoryError: 'Exception',
  NameError: 'Exception',
  OSError: 'Exception',
  ReferenceError: 'Exception',
  RuntimeError: 'Exception',
  StopIteration: 'Exception',
  SyntaxError: 'Exception',
  SystemError: 'Exception',
  TypeError: 'Exception',
  ValueError: 'Exception',
  FloatingPointError: 'ArithmeticError',
  OverflowError: 'ArithmeticError',
  ZeroDivisionError: 'ArithmeticError',
  ModuleNotFoundError: 'ImportError',
  IndexError: 'LookupError',
  KeyError: 'LookupError',
  UnboundLocalError: 'NameError',
  FileNotFoundError: 'OSError',
  PermissionError: 'OSError',
  TimeoutError: 'OSError',
  NotImplementedError: 'RuntimeError',
  RecursionError: 'RuntimeError',
  IndentationError: 'SyntaxError',
  UnicodeError: 'ValueError',
  UnicodeDecodeError: 'UnicodeError',
  UnicodeEncodeError: 'UnicodeError',
};

/** A class, and the lines that are indented further. */
const definition =
  /^(?<indent>[ \t]*)class[ \t]+(?<name>[^\W\d]\w*)[ \t]*(?:\((?<bases>[^()\n]*)\))?[ \t]*:(?<body>.*(?:\n(?:[ \t]*|\k<indent>[ \t].*)(?=\n|$))*)/gmu;

/** Builtins whose text is made of more than what they were given, or otherwise. */
const otherTexts = ['OSError', 'ImportError', 'SyntaxError', 'UnicodeError', 'SystemExit'];

/** What gives classes other names, or objects other classes. */
const renamed = /\btype\s*\([^()]*,|__class__|__name__\s*=(?!=)|__qualname__\s*=(?!=)/;
/** What gives exceptions other arguments, and values that may be written otherwise later. */
const changesArguments = /\.args\s*(?:[-+*]?=(?!=)|\.)|__setstate__|\bsetattr\b/;
const string = /[bB]?(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")/g;
const changing = /[[{<]|\bset\(|\w\(/;

interface Classes {
  readonly bases: ReadonlyMap<string, readonly string[]>;
  /** Classes of the program with a `__str__` of their own. */
  readonly written: ReadonlySet<string>;
}

/**
 * Classes of builtins and of the program, by name; undefined where two of a name could be meant, or the repr of an exception may name another
 * class.
 */
const classesOf = perText(({ source, bound }): Classes | undefined => {
  const found = new Map(Object.entries(builtinBases).map(([name, base]) => [name, [base]]));
  const spoken: string[] = [];
  const written = new Set<string>();
  for (const { groups = {} } of source.matchAll(definition)) {
    const { name = '', bases = '', body = '' } = groups;
    if (body.includes('__repr__')) spoken.push(name);
    if (body.includes('__str__')) written.add(name);
    if (
      found.has(name) ||
      new RegExp(`\\b${name}\\b\\s*(?:=(?!=)|:=)|\\bdef\\s+${name}\\b`, 'u').test(source)
    )
      return undefined;
    found.set(
      name,
      bases.split(',').map((base) => base.trim()),
    );
  }
  const isRebound = Object.keys(builtinBases).some((name) => bound.has(name));
  const isMisled = [...found.keys()].some((name) => {
    const classes = lineage(name, found);
    return classes.has('BaseException') && spoken.some((other) => classes.has(other));
  });
  return isRebound || isMisled || renamed.test(source) ? undefined : { bases: found, written };
});

/** A class and those it is derived from, as far as they are known. */
function lineage(
  name: string,
  bases: ReadonlyMap<string, readonly string[]>,
  found = new Set<string>(),
): ReadonlySet<string> {
  if (found.has(name)) return found;
  found.add(name);
  for (const base of bases.get(name) ?? []) lineage(base, bases, found);
  return found;
}

/** `Name(..)`, as exceptions are written that do not write themselves. */
const written = /^(?<name>[^\W\d]\w*)\((?<given>.*)\)$/su;

/** The class of an exception that is written so, and those it is derived from, by name; undefined where the program may mean others. */
export function classesOfException(program: Program, text: string): ReadonlySet<string> | undefined {
  const { name } = written.exec(text)?.groups ?? {};
  const classes = classesOf(program);
  return name === undefined || classes === undefined ? undefined : lineage(name, classes.bases);
}

/** The tuple of what an exception was given, `e.args`, if that is literals; undefined for what is no exception, and where it is not told. */
export function argumentsOfException(program: Program, text: string): readonly number[] | undefined {
  const { given } = written.exec(text)?.groups ?? {};
  if (given === undefined || !classesOfException(program, text)?.has('BaseException')) return undefined;
  const all = encodeValue(program, given === '' ? '()' : `(${given})`);
  const one = given === '' ? [] : encodeValue(program, `(${given},)`);
  const found = (itemsOf(one, 0, one.length)?.length === 1 ? one : undefined) ?? all;
  return isLiteral(found) && itemsOf(found, 0, found.length) !== undefined ? found : undefined;
}

/** Whether a value is an exception that is written in the same way whatever is done: it was given what cannot change, and nobody gives it other things. */
export function isLastingException(program: Program, text: string): boolean {
  const { given } = written.exec(text)?.groups ?? {};
  if (given === undefined || changing.test(given.replace(string, ''))) return false;
  return !changesArguments.test(program.source) && argumentsOfException(program, text) !== undefined;
}

/** What `str` makes of an exception that was given literals, where its class does not say otherwise. */
export function textOfException(program: Program, text: string): readonly number[] | undefined {
  const classes = classesOfException(program, text);
  const own = classesOf(program)?.written;
  const isPlain = classes && ![...classes].some((name) => own?.has(name) || otherTexts.includes(name));
  const given = isPlain ? argumentsOfException(program, text) : undefined;
  const items = given && itemsOf(given, 0, given.length);
  if (given === undefined || items === undefined) return undefined;
  const [item, ...others] = items;
  if (item === undefined) return textTokens("''");
  const shown = written.exec(text)?.groups?.given ?? '';
  const isItself =
    others.length === 0 && isText(given.slice(item.first, item.end)) && !classes?.has('KeyError');
  if (isItself) return given.slice(item.first, item.end);
  const quoted = quote(others.length === 0 ? shown : `(${shown})`);
  return quoted === undefined ? undefined : encodeValue(program, quoted);
}

/** The repr of a text that needs no escapes; undefined for others. */
function quote(text: string): string | undefined {
  if (!/^[ -[\]-~]*$/.test(text) || (text.includes("'") && text.includes('"'))) return undefined;
  return text.includes("'") ? `"${text}"` : `'${text}'`;
}
