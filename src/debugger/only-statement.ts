/** Lines that are one statement, which is read off their code tokens. */
import { type LineParts, lineParts } from './language/line-parts.js';
import type { Part } from './language/parts.js';
import { wordToken } from './language/tokens.js';
import { lineTokens, type Program, type Scope } from './program.js';

const forWord = wordToken('for');

/** The statement that is all of a line, if it can be read. The head of a loop cannot. */
export function onlyStatement(
  program: Program,
  { flow }: Scope,
  line: number,
): { code: Int32Array; line: LineParts } | undefined {
  const code = lineTokens(program, line);
  const parts = flow?.lines.get(line)?.own.size === 1 && code[0] !== forWord ? lineParts(code) : undefined;
  return parts && { code, line: parts };
}

/** The one expression of such a line, if it has no other, and the assignment's target if it is one. */
export function onlyValue(
  program: Program,
  scope: Scope,
  line: number,
): { code: Int32Array; value: Part; target: Part | undefined } | undefined {
  const statement = onlyStatement(program, scope, line);
  const [value, ...others] = statement?.line.values ?? [];
  const [target, ...targets] = statement?.line.targets ?? [];
  const isOne = statement && value !== undefined && others.length + targets.length === 0;
  return isOne ? { code: statement.code, value, target } : undefined;
}
