/** What an `except ... as` binds, where the way to it tells the exception and its class whether the clause takes it. */
import { classesOfException } from './language/exception-classes.js';
import type { Program } from './program.js';
import type { Running } from './running.js';

/** `except A as e:` and `except (A, B) as e:`, with nothing behind them. */
const clause =
  /^\s*except\s+(?:(?<one>[^\W\d]\w*)|\((?<several>[^()]*)\))\s+as\s+(?<name>[^\W\d]\w*)\s*:\s*(?:#.*)?$/u;

/** The name that the clause on a frame's line binds, and the exception; undefined for other lines, and where it is not told. */
export function caughtAs(program: Program, { frame, scope }: Running): readonly [string, string] | undefined {
  const { inFlight, line } = frame;
  const { one, several = '', name } = clause.exec(program.lines[line - 1] ?? '')?.groups ?? {};
  if (inFlight === undefined || name === undefined || !scope.names.includes(name)) return undefined;
  const wanted = one === undefined ? several.split(',').map((text) => text.trim()) : [one];
  const classes = [...(classesOfException(program, inFlight.value) ?? [])];
  const isTaken = classes.some((known) => wanted.includes(known) && !scope.names.includes(known));
  return isTaken ? [name, inFlight.value] : undefined;
}
