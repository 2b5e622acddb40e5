/** Values that code tells by itself: literals that are written as values are (docs/trace-language.md, section 9). */
import type { Program } from '../program.js';
import { brace } from './displays.js';
import { expressionParts } from './expression-parts.js';
import { collected, joined, listed, mapped } from './items.js';
import { constantValue } from './literal-constants.js';
import { type Part, partTokens } from './parts.js';
import { charTokens } from './tokens.js';
import { decodeValue } from './values.js';

type Value = readonly number[];

const [opening, colon] = charTokens('(:');

/** The value of an expression that is a literal as values are written; undefined for others. */
export function literalText(program: Program, code: readonly number[]): string | undefined {
  const part = expressionParts(code);
  const value = part && toldValue(code, part, () => undefined);
  const text = value && decodeValue(program, value);
  return typeof text === 'string' ? text : undefined;
}

/**
 * The value of a part as it is written canonically; undefined where the code does not tell it. `known`: the value of a name, and of any other part of
 * which more is known than the code says; null: it is not known.
 */
export function toldValue(
  code: ArrayLike<number>,
  part: Part,
  known: (part: Part) => Value | null | undefined,
): Value | undefined {
  const { kind, first, end, parts } = part;
  const own = known(part);
  if (own !== undefined) return own ?? undefined;
  const tokens = partTokens(code, part);
  if (kind === 'constant') return constantValue(tokens);
  if (kind !== 'display') return undefined;
  const values = parts.map((inner) => toldValue(code, inner, known));
  if (!values.every((value) => value !== undefined)) return undefined;
  const [opens] = tokens;
  const isBare = parts[0]?.begin === first;
  if (isBare || opens === opening) return joined(values);
  if (opens !== brace) return listed(values);
  if (parts.length > 0 && code[parts[0]?.until ?? end] !== colon) return collected(values);
  return parts.length % 2 === 0 ? mapped(values) : undefined;
}
