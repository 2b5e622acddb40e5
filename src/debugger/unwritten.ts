/** Objects in the making that cannot write themselves yet: an attribute is missing that their `__repr__` reads, whatever the others are. */
import { hasPlainAttributes } from './language/attributes.js';
import { isConstructor } from './language/methods.js';
import { neededBy } from './language/new-objects.js';
import { classesOf, methodOf } from './language/program-classes.js';
import { unwrittenOwner } from './language/repr-text.js';
import { mentioned } from './language/sure-reads.js';
import { onlyOf, statementsUpTo } from './method-walk.js';
import type { Program, Scope } from './program.js';
import type { Frame } from './state.js';

/** What reaches an object without naming it. */
const unnamed = /\b(?:super|vars|locals|exec|eval|__class__)\b/;

/** Whether a method may do something with its object without naming it. */
export const reachesUnnamed = ({ lines }: Program, { firstLine, lastLine }: Scope): boolean =>
  lines.slice(firstLine, lastLine).some((text) => unnamed.test(text));

/** Whether a name of a frame of a method stands for such an object until the statement on its line has ended, and then, too. */
export function staysUnwritten(program: Program, scope: Scope, frame: Frame, name: string): boolean {
  const owner = unwrittenOwner(frame.locals.get(name) ?? '');
  const needed = owner === undefined ? [] : neededBy(program, owner);
  if (owner === undefined || needed.length === 0) return false;
  const touched = isOwnObject(program, scope, owner, name)
    ? touchedIn(program, scope, frame.line, name)
    : undefined;
  return needed.some(
    (one) => (touched && !touched.has(one)) || isFurtherDown(program, scope, frame.line, one),
  );
}

/** Whether a name stands for the object that an `__init__` makes, and nothing was done with that before. */
function isOwnObject(program: Program, scope: Scope, owner: string, name: string): boolean {
  const found = classesOf(program).get(owner);
  return (
    found !== undefined &&
    isConstructor(scope) &&
    methodOf(program, found, '__init__') === scope &&
    scope.positional[0] === name &&
    scope.keptParameters.has(name) &&
    hasPlainAttributes(program)
  );
}

/** Whether an attribute is assigned nowhere but further down in a function. */
function isFurtherDown(program: Program, { lastLine }: Scope, line: number, name: string): boolean {
  const binding = new RegExp(`\\.${name}[ \\t]*(?::[^\\n=]*)?=(?!=)|\\bsetattr\\b`);
  const lines = program.lines.flatMap((text, at) => (binding.test(text) ? [at + 1] : []));
  const only = onlyOf(lines);
  return only !== undefined && line < only && only <= lastLine;
}

/** The attributes that may be there once the statement on a line has run; undefined where something else may have bound some. */
function touchedIn(
  program: Program,
  scope: Scope,
  line: number,
  self: string,
): ReadonlySet<string> | undefined {
  const { flow, lines, lastLine } = scope;
  const isLooping = lines.some((one) => [...(flow?.lines.get(one)?.next ?? [])].some((next) => next < one));
  const statements = statementsUpTo(program, scope, isLooping ? lastLine : line);
  if (statements === undefined || reachesUnnamed(program, scope)) return undefined;
  const found = statements.map(({ code }) => mentioned(program, code, self));
  return found.every((one) => one !== undefined) ? new Set(found.flatMap((one) => [...one])) : undefined;
}
