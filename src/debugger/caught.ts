/** What an `except ... as` binds, where the way to it tells the exception and its class whether the clause takes it. */
import { type Program, perText } from './program.js';
import type { Running } from './running.js';

/** `except A as e:` and `except (A, B) as e:`, with nothing behind them. */
const clause =
  /^\s*except\s+(?:(?<one>[^\W\d]\w*)|\((?<several>[^()]*)\))\s+as\s+(?<name>[^\W\d]\w*)\s*:\s*(?:#.*)?$/u;
const identifier = /^[^\W\d]\w*$/u;

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

/**
 * Bases by name, of classes of builtins and of the program; undefined where two of a name could be meant, or the repr of an exception may name another
 * class.
 */
const basesOf = perText(({ source, bound }): ReadonlyMap<string, readonly string[]> | undefined => {
  const found = new Map(Object.entries(builtinBases).map(([name, base]) => [name, [base]]));
  const spoken: string[] = [];
  for (const { groups = {} } of source.matchAll(definition)) {
    const { name = '', bases = '', body = '' } = groups;
    if (body.includes('__repr__')) spoken.push(name);
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
  const isMisled = spoken.some((name) => lineage(name, found).has('BaseException'));
  return isRebound || isMisled ? undefined : found;
});

/** The name that the clause on a frame's line binds, and the exception; undefined for other lines, and where it is not told. */
export function caughtAs(program: Program, { frame, scope }: Running): readonly [string, string] | undefined {
  const { inFlight, line } = frame;
  const { one, several = '', name } = clause.exec(program.lines[line - 1] ?? '')?.groups ?? {};
  if (inFlight === undefined || name === undefined || !scope.names.includes(name)) return undefined;
  const wanted = one === undefined ? several.split(',').map((text) => text.trim()) : [one];
  const bases = basesOf(program);
  const raised = inFlight.value.slice(0, inFlight.value.indexOf('('));
  if (bases === undefined || !identifier.test(raised)) return undefined;
  const taken = [...lineage(raised, bases)].some((one) => wanted.includes(one) && !scope.names.includes(one));
  return taken ? [name, inFlight.value] : undefined;
}

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
