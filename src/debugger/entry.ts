/** The first state of a run, read off the entry call when its arguments are literals: the `call` event of the entry function. */
import { ForetraceError } from '../errors.js';
import { bindArguments, type Parameter, readCall, readParameters } from './entry-binding.js';
import { findDefinition, withFields } from './entry-definition.js';
import { assertKnownName } from './entry-name.js';
import { type LexicalToken, lex } from './language/lexer.js';
import type { Program, Scope } from './program.js';
import type { DebuggerState } from './state.js';

/**
 * The state at the entry's `call` event, or null where it takes running code to know it: an argument that is not a literal, a
 * decorated or asynchronous function, a class, a method, a name that is bound more than once, arguments that are hidden.
 * @throws ForetraceError invalid_entry when the call cannot enter the function: an unknown name, wrong arguments, or a generator function
 */
export function entryState(program: Program): DebuggerState | null {
  let state = entryStates.get(program);
  if (state === undefined) {
    assertKnownName(program);
    state = readEntry(program);
    entryStates.set(program, state);
  }
  return state;
}

/** Sessions over one program begin with the same state, which is read once; states never change. */
const entryStates = new WeakMap<Program, DebuggerState | null>();

function readEntry(program: Program): DebuggerState | null {
  if (program.hidesArguments) return null;
  const call = readCall(lex(program.call));
  if (!call) return null;
  const tokens = lex(program.source);
  const definition = findDefinition(program.source, tokens, call.callee);
  if (definition === null) return null;
  const scope = scopeAt(program, call.callee, tokens[definition]?.line);
  const parameters = readParameters(tokens, definition);
  if (!parameters || !scope) return null;
  if (scope.isGenerator) {
    throw new ForetraceError(
      'invalid_entry',
      'the entry is a generator function: calling it runs none of its code',
      {
        expected: 'a call that enters a function of the program',
        actual: program.call,
      },
    );
  }
  const bound = bindArguments(parameters, call);
  if (!bound) return null;
  if (usesMutableDefault(parameters, bound) && isUsedElsewhere(tokens, call.callee, scope)) return null;
  return stateAt(scope, bound);
}

const scopeAt = (program: Program, name: string, line: number | undefined): Scope | undefined =>
  program.scopes.find(
    (scope) => scope.name === name && scope.parent === undefined && scope.firstLine === line,
  );

function stateAt(scope: Scope, bound: ReadonlyMap<string, string>): DebuggerState {
  const locals = new Map<string, string>();
  for (const name of scope.names) {
    const value = bound.get(name);
    if (value !== undefined) locals.set(name, value);
  }
  return { event: 'call', frames: [{ line: scope.firstLine, locals, its: [], gots: [] }], hiddenFrames: 0 };
}

const usesMutableDefault = (parameters: readonly Parameter[], bound: ReadonlyMap<string, string>): boolean =>
  parameters.some(
    ({ name, fallback }) => !!fallback && /[[{]/.test(fallback) && bound.get(name) === fallback,
  );

/** Whatever else names the function may have called it before the entry does, and changed a default. */
const isUsedElsewhere = (
  tokens: readonly LexicalToken[],
  name: string,
  { firstLine, lastLine }: Scope,
): boolean =>
  withFields(tokens).some(({ text, line }) => text === name && (line < firstLine || line > lastLine));
