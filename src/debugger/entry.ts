/** The first state of a run, read off the entry call when its arguments are literals: the `call` event of the entry function. */
import { ForetraceError } from '../errors.js';
import { bindArguments, type Parameter, readCall, readParameters } from './entry-binding.js';
import { type LexicalToken, lex } from './language/lexer.js';
import type { Program, Scope } from './program.js';
import type { DebuggerState } from './state.js';

/**
 * The state at the entry's `call` event, or null where it takes running code to know it: an argument that is not a literal, a
 * decorated or asynchronous function, a class, a method, a name that is bound more than once, arguments that are hidden.
 * @throws ForetraceError invalid_entry when the call cannot enter the function: wrong arguments, or a generator function
 */
export function entryState(program: Program): DebuggerState | null {
  let state = entryStates.get(program);
  if (state === undefined) {
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
  const definition = findDefinition(tokens, call.callee);
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
  if (!bound || (usesMutableDefault(parameters, bound) && isUsedBefore(tokens, call.callee, definition)))
    return null;
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

const startsLine = (tokens: readonly LexicalToken[], index: number): boolean =>
  tokens[index - 1]?.logical !== tokens[index]?.logical;
const bindingWords = new Set(['def', 'class', 'import', 'as', 'for', 'global', 'del']);

/** Whether the token at `index` may give its name another value; keyword arguments of that name count too, which does no harm. */
function mayBind(tokens: readonly LexicalToken[], index: number): boolean {
  const before = tokens[index - 1]?.text ?? '';
  const after = tokens[index + 1]?.text ?? '';
  if (bindingWords.has(before) || /^(:=|[^=!<>]{0,3}=)$/.test(after)) return true;
  return (startsLine(tokens, index) && (after === ',' || after === ':')) || (before === ',' && after === '=');
}

/** Index of the `def` token of the only binding of `name`, if that is a plain module-level definition; else null. */
function findDefinition(tokens: readonly LexicalToken[], name: string): number | null {
  if (tokens.some((token, index) => token.text === '*' && tokens[index - 1]?.text === 'import')) return null;
  const bindings = tokens.flatMap((token, index) =>
    token.kind === 'name' && token.text === name && mayBind(tokens, index) ? [index] : [],
  );
  const [only] = bindings;
  if (only === undefined || bindings.length > 1) return null;
  const index = only - 1;
  const isPlain = tokens[index]?.text === 'def' && tokens[index]?.level === 0 && startsLine(tokens, index);
  return isPlain && !isDecorated(tokens, index) ? index : null;
}

function isDecorated(tokens: readonly LexicalToken[], index: number): boolean {
  let start = index - 1;
  while (start > 0 && !startsLine(tokens, start)) start -= 1;
  return tokens[start]?.text === '@';
}

const usesMutableDefault = (parameters: readonly Parameter[], bound: ReadonlyMap<string, string>): boolean =>
  parameters.some(
    ({ name, fallback }) => !!fallback && /[[{]/.test(fallback) && bound.get(name) === fallback,
  );

/** Module-level code that names the function may have called it and changed a default. */
const isUsedBefore = (tokens: readonly LexicalToken[], name: string, definition: number): boolean =>
  tokens.some((token, index) => token.text === name && token.level === 0 && index !== definition + 1);
