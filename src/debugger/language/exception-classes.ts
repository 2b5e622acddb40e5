/** Classes of exceptions, of builtins and of the program, by the names that their objects are written with. */
import { type Program, perText } from '../program.js';
import { builtinBases } from './builtin-exceptions.js';

/** A class, and the lines that are indented further. */
const definition =
  /^(?<indent>[ \t]*)class[ \t]+(?<name>[^\W\d]\w*)[ \t]*(?:\((?<bases>[^()\n]*)\))?[ \t]*:(?<body>.*(?:\n(?:[ \t]*|\k<indent>[ \t].*)(?=\n|$))*)/gmu;

/** Builtins whose text is made of more than what they were given, or otherwise. */
const otherTexts = ['OSError', 'ImportError', 'SyntaxError', 'UnicodeError', 'SystemExit'];

/** What gives classes other names, or objects other classes. */
const renamed = /\btype\s*\([^()]*,|__class__|__name__\s*=(?!=)|__qualname__\s*=(?!=)/;
interface Classes {
  readonly bases: ReadonlyMap<string, readonly string[]>;
  /** Classes of the program that make texts of their objects. */
  readonly ownTexts: ReadonlySet<string>;
}

/** Classes of builtins and of the program, by name; undefined where two of a name could be meant. */
const classesOf = perText(({ source, bound }): Classes | undefined => {
  const found = new Map(Object.entries(builtinBases).map(([name, base]) => [name, [base]]));
  const ownTexts = new Set<string>();
  for (const { groups = {} } of source.matchAll(definition)) {
    const { name = '', bases = '', body = '' } = groups;
    if (/__(?:repr|str)__/.test(body)) ownTexts.add(name);
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
  return isRebound || renamed.test(source) ? undefined : { bases: found, ownTexts };
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

/** `Name(..)`, as exceptions are written. */
const written = /^(?<name>[^\W\d]\w*)\((?<given>.*)\)$/su;

/** What stands in the brackets of an exception that is written so. */
export const givenTo = (text: string): string | undefined => written.exec(text)?.groups?.given;

/** The class of an exception that is written so, and those it is derived from, by name; undefined where the program may mean others. */
export function classesOfException(program: Program, text: string): ReadonlySet<string> | undefined {
  const { name } = written.exec(text)?.groups ?? {};
  const classes = classesOf(program);
  return name === undefined || classes === undefined ? undefined : lineage(name, classes.bases);
}

/** The name of the class of an exception; undefined for what is none. */
export function exceptionName(program: Program, text: string): string | undefined {
  const classes = classesOfException(program, text);
  return classes?.has('BaseException') ? written.exec(text)?.groups?.name : undefined;
}

/** The bases of a class of the program or of builtins, by name. */
export const basesOf = (program: Program, name: string): readonly string[] =>
  classesOf(program)?.bases.get(name) ?? [];

/** Whether a name is that of an exception of builtins. */
export const isBuiltinException = (name: string): boolean => name === 'BaseException' || name in builtinBases;

/** Whether `str` makes of its objects what they were given, and nothing else, whatever the program's own classes say. */
export function isPlainlyTold(program: Program, classes: ReadonlySet<string>): boolean {
  const own = classesOf(program)?.ownTexts;
  return ![...classes].some((name) => own?.has(name) || otherTexts.includes(name));
}
