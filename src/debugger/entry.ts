/** The first state of a run, read off the entry call when its arguments are literals: the `call` event of the entry function. */
import { ForetraceError } from '../errors.js';
import { type LexicalToken, lex } from './language/lexer.js';
import { LiteralReader } from './literals.js';
import type { Program, Scope } from './program.js';
import type { DebuggerState } from './state.js';

interface Parameter {
  readonly name: string;
  readonly kind: 'plain' | 'keyword' | 'star' | 'doubleStar';
  /** Canonical repr of the default; null: none; undefined: one that is not a literal. */
  readonly fallback: string | null | undefined;
}

interface CallArguments {
  readonly callee: string;
  readonly positional: readonly string[];
  readonly keywords: ReadonlyMap<string, string>;
}

/**
 * The state at the entry's `call` event, or null where it takes running code to know it: an argument that is not a literal, a
 * decorated or asynchronous function, a class, a method, a name bound twice.
 * @throws ForetraceError invalid_entry when the call cannot succeed: wrong arguments, or a generator function, whose call runs nothing
 */
export function entryState(program: Program): DebuggerState | null {
  const call = readCall(lex(program.call));
  const tokens = lex(program.source);
  const definition = call && findDefinition(tokens, call.callee);
  if (!call || definition === undefined || definition === null) return null;
  const parameters = readParameters(tokens, definition);
  const scope = program.scopes.find(({ name, firstLine, parent }) => name === call.callee && parent === undefined && firstLine === tokens[definition]?.line);
  if (!parameters || !scope) return null;
  if (scope.isGenerator) throw problem(program, 'the entry is a generator function: calling it runs none of its code');
  const bound = bind(program, parameters, call);
  return bound && stateAt(scope, bound);
}

function stateAt(scope: Scope, bound: ReadonlyMap<string, string>): DebuggerState {
  const locals = new Map<string, string>();
  for (const name of scope.names) {
    const value = bound.get(name);
    if (value !== undefined) locals.set(name, value);
  }
  return { event: 'call', frames: [{ line: scope.firstLine, locals, its: [], gots: [] }], hiddenFrames: 0 };
}

const problem = (program: Program, message: string): ForetraceError =>
  new ForetraceError('invalid_entry', message, { expected: 'a call that enters a function of the program', actual: program.call });

function readCall(tokens: readonly LexicalToken[]): CallArguments | null {
  const callee = tokens[0];
  if (callee?.kind !== 'name' || tokens[1]?.text !== '(') return null;
  const reader = new LiteralReader(tokens, 2);
  const positional: string[] = [];
  const keywords = new Map<string, string>();
  while (!reader.take(')')) {
    const keyword = reader.is('=', 1) ? tokens[reader.position]?.text : undefined;
    if (keyword !== undefined) reader.position += 2;
    const value = reader.value();
    if (value === null || !(reader.is(',') || reader.is(')'))) return null;
    if (keyword === undefined) positional.push(value);
    else keywords.set(keyword, value);
    reader.take(',');
  }
  return reader.atEnd ? { callee: callee.text, positional, keywords } : null;
}

/** Index of the `def` token of the only module-level definition of `name`; undefined: none, null: more than one or decorated. */
function findDefinition(tokens: readonly LexicalToken[], name: string): number | null | undefined {
  let found: number | null | undefined;
  tokens.forEach((token, index) => {
    const first = tokens[index - 1]?.logical !== token.logical;
    if (!first || token.level !== 0) return;
    const defines = token.text === 'def' && tokens[index + 1]?.text === name;
    const rebinds = token.text === name && tokens[index + 1]?.text === '=';
    if (!defines && !rebinds) return;
    const decorated = tokens.findLast((earlier, at) => at < index && tokens[at - 1]?.logical !== earlier.logical)?.text === '@';
    found = found !== undefined || rebinds || decorated ? null : index;
  });
  return found;
}

/** The parameters of the definition whose `def` token is at `index`. */
function readParameters(tokens: readonly LexicalToken[], index: number): Parameter[] | null {
  const reader = new LiteralReader(tokens, index + 3);
  const found: Parameter[] = [];
  let keywordOnly = false;
  while (!reader.take(')')) {
    if (reader.atEnd) return null;
    if (reader.take('/')) {
      reader.take(',');
      continue;
    }
    const stars = reader.take('**') ? 'doubleStar' : reader.take('*') ? 'star' : null;
    if (stars === 'star') keywordOnly = true;
    if (stars === 'star' && reader.take(',')) continue;
    const name = tokens[reader.position]?.text ?? '';
    reader.position += 1;
    skipAnnotation(reader, tokens);
    const fallback = reader.take('=') ? readDefault(reader, tokens) : null;
    found.push({ name, kind: stars ?? (keywordOnly ? 'keyword' : 'plain'), fallback });
    reader.take(',');
  }
  return found;
}

/** Moves to the next `,`, `=` or `)` outside brackets. */
function skipTo(reader: LiteralReader, tokens: readonly LexicalToken[], stops: readonly string[]): void {
  let depth = 0;
  while (!reader.atEnd) {
    const text = tokens[reader.position]?.text ?? '';
    if (depth === 0 && stops.includes(text)) return;
    if ('([{'.includes(text)) depth += 1;
    if (')]}'.includes(text)) depth -= 1;
    reader.position += 1;
  }
}

function skipAnnotation(reader: LiteralReader, tokens: readonly LexicalToken[]): void {
  if (reader.is(':')) skipTo(reader, tokens, [',', '=', ')']);
}

function readDefault(reader: LiteralReader, tokens: readonly LexicalToken[]): string | undefined {
  const start = reader.position;
  const value = reader.value();
  if (value !== null && (reader.is(',') || reader.is(')'))) return value;
  reader.position = start;
  skipTo(reader, tokens, [',', ')']);
  return undefined;
}

/** Binds arguments as a call does. null: a default that is not a literal is needed. @throws ForetraceError invalid_entry */
function bind(program: Program, parameters: readonly Parameter[], call: CallArguments): Map<string, string> | null {
  const bound = new Map<string, string>();
  const rest = [...call.positional];
  const keywords = new Map(call.keywords);
  let known = true;
  for (const { name, kind, fallback } of parameters) {
    if (kind === 'star') {
      bound.set(name, rest.length === 1 ? `(${rest[0]},)` : `(${rest.join(', ')})`);
      rest.length = 0;
    } else if (kind === 'doubleStar') {
      bound.set(name, `{${[...keywords].map(([key, value]) => `'${key}': ${value}`).join(', ')}}`);
      keywords.clear();
    } else {
      const given = kind === 'plain' && rest.length > 0 ? rest.shift() : keywords.get(name);
      if (keywords.has(name) && given !== keywords.get(name)) throw problem(program, `two values for the parameter ${name}`);
      keywords.delete(name);
      if (given === undefined && fallback === null) throw problem(program, `no value for the parameter ${name}`);
      if (given === undefined && fallback === undefined) known = false;
      bound.set(name, given ?? fallback ?? '');
    }
  }
  if (rest.length > 0) throw problem(program, `${rest.length} positional arguments too many`);
  if (keywords.size > 0) throw problem(program, `no parameter ${[...keywords.keys()][0]}`);
  return known ? bound : null;
}
