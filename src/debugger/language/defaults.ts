/** What parameters stand for that a call gives nothing: their defaults, where these are literals that nothing can change. */
import { type Parameter, readParameters } from '../entry-binding.js';
import { isImmutable } from '../frozen.js';
import { type Program, perText, type Scope } from '../program.js';
import { type LexicalToken, lex } from './lexer.js';

const known = perText(() => new Map<Scope, readonly Parameter[]>());

/** The parameters of a function that a `def` makes; none where they cannot be read. */
export function parametersOf(program: Program, scope: Scope): readonly Parameter[] {
  const found = known(program);
  const parameters = found.get(scope) ?? read(program, scope);
  found.set(scope, parameters);
  return parameters;
}

/** Canonical reprs of such defaults of a function, by parameter. */
export const defaultsOf = (program: Program, scope: Scope): ReadonlyMap<string, string> =>
  new Map(
    parametersOf(program, scope).flatMap(({ name, fallback }) =>
      typeof fallback === 'string' && isImmutable(fallback) ? [[name, fallback] as const] : [],
    ),
  );

function read({ source }: Program, { name, firstLine, lastLine }: Scope): readonly Parameter[] {
  if (name.startsWith('<') || source.includes('defaults__')) return [];
  const tokens = lex(source);
  const at = tokens.findIndex(
    ({ text, line }: LexicalToken, index) =>
      text === 'def' && tokens[index + 1]?.text === name && line >= firstLine && line <= lastLine,
  );
  return (at < 0 ? null : readParameters(tokens, at)) ?? [];
}
