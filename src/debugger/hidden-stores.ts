/** Statements that assign an attribute which its object does not show, and change nothing else. */
import { attributeName } from './language/attributes.js';
import { exceptionName } from './language/exception-classes.js';
import { mayCall } from './language/known-calls.js';
import { lineParts } from './language/line-parts.js';
import { classOf } from './language/methods.js';
import { augmented } from './language/operators.js';
import { templatesOf } from './language/repr-templates.js';
import { charToken } from './language/tokens.js';
import { nameOfSlot, type Program, perText } from './program.js';
import { runningFrame } from './running.js';
import type { DebuggerState } from './state.js';
import { alone, statementTokens } from './whole-statement.js';

const equals = charToken('=');
const owners = /^<(?:unrepresentable ([^<>]+)>$|(\S+) object[ >])/;

const hasClasses = perText(({ source }) => /\bclass\b/.test(source));

/** Whether the `__repr__` of a class may write an attribute of this name, of whatever object. */
const isWrittenBySome = (program: Program, name: string): boolean =>
  program.scopes.some((scope) => {
    const isRead = scope.name === '__repr__' && templatesOf(program).has(classOf(scope));
    const text = program.lines.slice(scope.firstLine - 1, scope.lastLine).join('\n');
    return scope.name === '__repr__' && (!isRead || new RegExp(`\\.${name}\\b`).test(text));
  });

/** Whether all names of the frame stand for what they do once the statement of a `line` state has ended. */
export function storesHidden(program: Program, state: DebuggerState | null): boolean {
  if (state?.event !== 'line' || !hasClasses(program)) return false;
  const running = alone(program, runningFrame(program, state));
  if (running === undefined) return false;
  const code = statementTokens(program, running);
  const at = code.findIndex((token) => augmented.has(token));
  // Of `self.x += y` the target is read like any other.
  const read = at < 0 ? code : [...code.slice(0, at), equals, ...code.slice(at + 1)];
  const { values = [], targets: [target, ...others] = [] } = lineParts(read) ?? {};
  const isOne = target?.kind === 'attribute' && target.end === target.first + 3 && others.length === 0;
  if (!isOne || values.some((value) => mayCall(read, value))) return false;
  const text = running.frame.locals.get(nameOfSlot(program, code[target.first] as number)) ?? '';
  const name = attributeName(program, code[target.end - 1] as number);
  // An exception writes what it was given.
  if (exceptionName(program, text) !== undefined) return name !== 'args';
  const [, unwritten, opened] = owners.exec(text) ?? [];
  const template = templatesOf(program).get(unwritten ?? opened ?? '');
  return (
    template !== undefined &&
    !template.computedOf.has(name) &&
    !template.shown.has(name) &&
    !isWrittenBySome(program, name)
  );
}
