/** Arguments of a call bound to the parameters of a definition, as Python binds them; both are read off lexical tokens. */
import { ForetraceError } from '../errors.js';
import type { LexicalToken } from './language/lexer.js';
import { boundedRepr, LiteralReader } from './literals.js';

export interface Parameter {
  readonly name: string;
  readonly kind: 'positional' | 'plain' | 'keyword' | 'star' | 'doubleStar';
  /** Canonical repr of the default; null: none; undefined: one that is not a literal. */
  readonly fallback: string | null | undefined;
}

export interface CallArguments {
  readonly callee: string;
  readonly positional: readonly string[];
  readonly keywords: ReadonlyMap<string, string>;
}

const problem = (message: string, actual: string): ForetraceError =>
  new ForetraceError('invalid_entry', message, {
    expected: 'a call that enters a function of the program',
    actual,
  });

/** A call as its canonical text. */
const written = ({ callee, positional, keywords }: CallArguments): string =>
  `${callee}(${[...positional, ...[...keywords].map(([name, value]) => `${name}=${value}`)].join(', ')})`;

/** A call of a plain name whose arguments are all literals; null: another one. @throws ForetraceError invalid_entry */
export function readCall(tokens: readonly LexicalToken[]): CallArguments | null {
  const callee = tokens[0];
  if (callee?.kind !== 'name' || tokens[1]?.text !== '(') return null;
  const reader = new LiteralReader(tokens, 2);
  const positional: string[] = [];
  const keywords = new Map<string, string>();
  while (!reader.take(')')) {
    if (reader.is('*') || reader.is('**')) return null;
    const keyword = reader.is('=', 1) ? tokens[reader.position]?.text : undefined;
    if (keyword !== undefined) reader.position += 2;
    const value = reader.value();
    if (value === null || !(reader.is(',') || reader.is(')'))) return null;
    if (keyword !== undefined) {
      if (keywords.has(keyword)) throw problem(`the keyword ${keyword} is repeated`, `${keyword}=${value}`);
      keywords.set(keyword, value);
    } else if (keywords.size > 0) throw problem('a positional argument follows a keyword', value);
    else positional.push(value);
    reader.take(',');
  }
  return reader.atEnd ? { callee: callee.text, positional, keywords } : null;
}

/** The parameters of the definition whose `def` token is at `index`; null: they cannot be read. */
export function readParameters(tokens: readonly LexicalToken[], index: number): Parameter[] | null {
  if (tokens[index + 2]?.text !== '(') return null;
  const reader = new LiteralReader(tokens, index + 3);
  let found: Parameter[] = [];
  let keywordOnly = false;
  while (!reader.take(')')) {
    if (reader.atEnd) return null;
    if (reader.take('/')) {
      found = found.map((parameter) => ({ ...parameter, kind: 'positional' }));
      reader.take(',');
      continue;
    }
    const stars = reader.take('**') ? 'doubleStar' : reader.take('*') ? 'star' : null;
    if (stars === 'star') keywordOnly = true;
    if (stars === 'star' && reader.take(',')) continue;
    const name = tokens[reader.position]?.text ?? '';
    reader.position += 1;
    if (reader.is(':') && !skipTo(reader, tokens, [',', '=', ')'])) return null;
    let fallback: string | null | undefined = null;
    if (reader.take('=')) {
      fallback = readDefault(reader);
      if (fallback === undefined && !skipTo(reader, tokens, [',', ')'])) return null;
    }
    found.push({ name, kind: stars ?? (keywordOnly ? 'keyword' : 'plain'), fallback });
    reader.take(',');
  }
  return found;
}

/** Moves to the next of `stops` outside brackets; false: a lambda, whose commas and colons are its own, is in the way. */
function skipTo(reader: LiteralReader, tokens: readonly LexicalToken[], stops: readonly string[]): boolean {
  let depth = 0;
  for (; !reader.atEnd; reader.position += 1) {
    const { text, kind } = tokens[reader.position] as LexicalToken;
    if (depth === 0 && stops.includes(text)) return true;
    if (text === 'lambda') return false;
    if (kind !== 'operator') continue;
    if ('([{'.includes(text)) depth += 1;
    if (')]}'.includes(text)) depth -= 1;
  }
  return false;
}

function readDefault(reader: LiteralReader): string | undefined {
  const start = reader.position;
  const value = reader.value();
  if (value !== null && (reader.is(',') || reader.is(')'))) return value;
  reader.position = start;
  return undefined;
}

/** Binds arguments as a call does. null: a default that is not a literal is needed. @throws ForetraceError invalid_entry */
export function bindArguments(
  parameters: readonly Parameter[],
  call: CallArguments,
): Map<string, string> | null {
  const bound = new Map<string, string>();
  const rest = [...call.positional];
  const keywords = new Map(call.keywords);
  let known = true;
  const one = ({ name, kind, fallback }: Parameter): void => {
    const byPosition = kind === 'positional' || kind === 'plain' ? rest.shift() : undefined;
    const byKeyword = kind === 'positional' ? undefined : keywords.get(name);
    if (byPosition !== undefined && byKeyword !== undefined)
      throw problem(`two values for the parameter ${name}`, written(call));
    if (byKeyword !== undefined) keywords.delete(name);
    const given = byPosition ?? byKeyword ?? fallback;
    if (given === null) throw problem(`no value for the parameter ${name}`, written(call));
    if (given === undefined) known = false;
    else bound.set(name, given);
  };
  for (const parameter of parameters) {
    if (parameter.kind === 'star') {
      bound.set(parameter.name, boundedRepr(rest.length === 1 ? `(${rest[0]},)` : `(${rest.join(', ')})`));
      rest.length = 0;
    } else if (parameter.kind === 'doubleStar') {
      bound.set(
        parameter.name,
        boundedRepr(`{${[...keywords].map(([key, value]) => `'${key}': ${value}`).join(', ')}}`),
      );
      keywords.clear();
    } else one(parameter);
  }
  if (rest.length > 0) throw problem(`${rest.length} positional arguments too many`, written(call));
  if (keywords.size > 0) throw problem(`no parameter ${[...keywords.keys()].join(', ')}`, written(call));
  return known ? bound : null;
}
