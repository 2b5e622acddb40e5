/** The entry function of a problem, read off its text: parameters, return statements, the states a run may end in, arguments as text. */
import { type Parameter, readParameters } from '../debugger/entry-binding.js';
import { type LexicalToken, lex } from '../debugger/language/lexer.js';
import { boundedRepr, LiteralReader } from '../debugger/literals.js';
import { loopsOf, type Program, type Scope } from '../debugger/program.js';
import { currentFrame, type DebuggerState } from '../debugger/state.js';
import { ForetraceError } from '../errors.js';
import { valuesEqual } from './cruxeval-value.js';

/** One `return` of the entry function. */
export interface ReturnStatement {
  /** Physical line of the word `return`. */
  readonly line: number;
  /** What it gives, where the text alone tells: a literal's repr, or a name of the function. */
  readonly literal?: string;
  readonly name?: string;
}

export interface EntryFunction {
  readonly name: string;
  readonly scope: Scope;
  /** null: a parameter list that cannot be read. */
  readonly parameters: readonly Parameter[] | null;
  /** In source order. */
  readonly returns: readonly ReturnStatement[];
}

/** The last function of this name at module level. @throws ForetraceError invalid_entry: there is none, or it is a generator function */
export function entryFunction(program: Program, name: string): EntryFunction {
  const tokens = lex(program.source);
  const isDefinition = ({ text, level }: LexicalToken, index: number): boolean =>
    text === 'def' && level === 0 && tokens[index + 1]?.text === name;
  const index = tokens.findLastIndex(isDefinition);
  const line = tokens[index]?.line ?? 0;
  const around = program.scopes.filter(
    (scope) => scope.name === name && scope.firstLine <= line && line <= scope.lastLine,
  );
  // A function of the same name inside it starts later.
  const scope = around.reduce<Scope | undefined>(
    (first, other) => (first && first.index <= other.index ? first : other),
    undefined,
  );
  if (index < 0 || scope === undefined || scope.isGenerator) {
    throw new ForetraceError('invalid_entry', `the program has no function ${name} that a call can enter`, {
      expected: `a function ${name} at module level that is no generator`,
      actual: scope ? 'a generator function' : 'none',
    });
  }
  const parameters = readParameters(tokens, index);
  return { name, scope, parameters, returns: returnsOf(program, scope, tokens) };
}

function returnsOf(program: Program, scope: Scope, tokens: readonly LexicalToken[]): ReturnStatement[] {
  const nested = program.scopes.filter(
    ({ index, firstLine, lastLine, name }) =>
      index !== scope.index &&
      !name.startsWith('<') &&
      firstLine >= scope.firstLine &&
      lastLine <= scope.lastLine,
  );
  const isOwn = (line: number): boolean =>
    line >= scope.firstLine &&
    line <= scope.lastLine &&
    !nested.some(({ firstLine, lastLine }) => firstLine <= line && line <= lastLine);
  return tokens.flatMap((token, index) =>
    token.kind === 'name' && token.text === 'return' && isOwn(token.line)
      ? [{ line: token.line, ...given(scope, statementAfter(tokens, index)) }]
      : [],
  );
}

/** The tokens after the word at `index`, to the end of its statement. */
function statementAfter(tokens: readonly LexicalToken[], index: number): LexicalToken[] {
  const { logical } = tokens[index] as LexicalToken;
  let end = index + 1;
  while (end < tokens.length && tokens[end]?.logical === logical && tokens[end]?.text !== ';') end += 1;
  return tokens.slice(index + 1, end);
}

function given(scope: Scope, expression: readonly LexicalToken[]): { literal?: string; name?: string } {
  if (expression.length === 0) return { literal: 'None' };
  const reader = new LiteralReader(expression);
  const literal = reader.value();
  if (literal !== null && reader.atEnd) return { literal };
  const [first] = expression;
  const isName = expression.length === 1 && first?.kind === 'name' && scope.names.includes(first.text);
  return isName ? { name: first.text } : {};
}

/** Canonical bounded repr of a value written as a literal; other text as it is. */
export function canonicalValue(text: string): string {
  try {
    const reader = new LiteralReader(lex(text.trim()));
    const value = reader.value();
    if (value !== null && reader.atEnd) return value;
  } catch {
    // Not Python to the lexer: the repr of an object, say.
  }
  return boundedRepr(text.trim());
}

/** More return statements than these are not tried. */
const maxReturnStates = 8;

/**
 * What is known of a run's last state when only its value is: one state for each `return` that can give the value. A `return` of
 * another literal cannot. The value of `return NAME` is NAME's own; no other local is known, so none is listed. Counters of loops around the
 * line are unknown too and written as 0. A function without `return` ends on its last line.
 */
export function returnStates(
  program: Program,
  { scope, returns }: EntryFunction,
  output: string,
): DebuggerState[] {
  const value = canonicalValue(output);
  const possible = returns.filter(({ literal }) => literal === undefined || valuesEqual(literal, value));
  const hasFinally = lex(program.source).some(
    ({ text, line }) => text === 'finally' && line >= scope.firstLine && line <= scope.lastLine,
  );
  const last = scope.lines.at(-1) ?? scope.firstLine;
  const tried: readonly ReturnStatement[] = possible.length > 0 ? possible : returns;
  const statements = tried.length > 0 ? tried : [{ line: last }];
  return statements.slice(0, maxReturnStates).map(({ line, name }) => ({
    event: 'return',
    frames: [
      {
        line,
        // A `finally` may bind the name anew after the value was read.
        locals: new Map(name === undefined || hasFinally ? [] : [[name, value]]),
        its: loopsOf(scope, line).map(() => 0),
        gots: [],
      },
    ],
    hiddenFrames: 0,
    value,
  }));
}

/**
 * The arguments that bind the parameters as a `call` state shows them, as text between the brackets of a call.
 * null: a parameter without default has no value, or the parameters cannot be read.
 */
export function argumentsText(entry: EntryFunction, call: DebuggerState): string | null {
  if (entry.parameters === null) return null;
  const { locals } = currentFrame(call);
  const parts: string[] = [];
  let byName = false;
  for (const { name, kind, fallback } of entry.parameters) {
    const value = locals.get(name);
    if (kind === 'star') {
      if (value !== undefined && value !== '()') parts.push(`*${value}`);
      byName = true;
    } else if (kind === 'doubleStar') {
      if (value !== undefined && value !== '{}') parts.push(`**${value}`);
    } else if (value === undefined) {
      if (fallback === null || kind === 'positional') return null;
      byName = true;
    } else parts.push(byName || kind === 'keyword' ? `${name}=${value}` : value);
  }
  return parts.join(', ');
}
