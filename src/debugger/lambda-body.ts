/** What the frame of a lambda runs: its body, which is a `return` without the word. */
import { readFirst } from './language/code-cursor.js';
import { ExpressionParser } from './language/expression-parts.js';
import { partTokens } from './language/parts.js';
import { wordTokens } from './language/tokens.js';
import { lineTokens, type Program } from './program.js';
import type { Running } from './running.js';

const [lambdaWord, returnWord] = wordTokens('lambda return') as [number, number];

export const isLambda = ({ scope }: Running): boolean => scope.name === '<lambda>';

/** The code tokens of a `return` of its body, for the frame of a lambda; none where it stands on several lines or is not read. */
export function lambdaTokens(program: Program, { scope }: Running): number[] {
  if (scope.firstLine !== scope.lastLine) return [];
  const code = lineTokens(program, scope.firstLine);
  const begins = Array.from(code.keys()).filter((at) => code[at] === lambdaWord);
  // Scopes are in source order. One that begins on the line may go on behind it.
  const beside = program.scopes.filter(
    ({ name, firstLine }) => name === scope.name && firstLine === scope.firstLine,
  );
  const first = begins.length === beside.length ? begins[beside.indexOf(scope)] : undefined;
  if (first === undefined) return [];
  const written = code.subarray(first);
  const [body] = readFirst(written, (cursor) => new ExpressionParser(cursor).single())?.parts ?? [];
  return body ? [returnWord, ...partTokens(written, body)] : [];
}
