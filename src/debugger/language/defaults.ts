/** What parameters stand for that a call gives nothing: their defaults, where these are literals that nothing can change. */
import { type Parameter, readParameters } from '../entry-binding.js';
import { isImmutable } from '../frozen.js';
import { type Program, perText, type Scope } from '../program.js';
import { type LexicalToken, lex } from './lexer.js';

const found = perText(() => new Map<Scope, ReadonlyMap<string, string>>());

/** Canonical reprs of such defaults of a function, by parameter. */
export function defaultsOf(program: Program, scope: Scope): ReadonlyMap<string, string> {
  const known = found(program);
  const defaults = known.get(scope) ?? read(program, scope);
  known.set(scope, defaults);
  return defaults;
}

function read({ source }: Program, { name, firstLine, lastLine }: Scope): ReadonlyMap<string, string> {
  if (name.startsWith('<') || source.includes('defaults__')) return new Map();
  const tokens = lex(source);
  const at = tokens.findIndex(
    ({ text, line }: LexicalToken, index) =>
      text === 'def' && tokens[index + 1]?.text === name && line >= firstLine && line <= lastLine,
  );
  const parameters = at < 0 ? null : readParameters(tokens, at);
  const isTold = ({ fallback }: Parameter): boolean => typeof fallback === 'string' && isImmutable(fallback);
  return new Map(
    (parameters ?? []).filter(isTold).map(({ name: own, fallback }) => [own, fallback as string]),
  );
}
