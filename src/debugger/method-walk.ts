/** The statements of a function, one after the other. */
import { indentOf, type Program, type Scope } from './program.js';
import { statementTokens } from './whole-statement.js';

export interface Statement {
  /** Of its head. */
  readonly line: number;
  /** Columns that it is indented by. */
  readonly indent: number;
  readonly code: readonly number[];
}

/** The statements up to a line, that on it included, heads without what is in them; undefined where one is not read. */
export function statementsUpTo(program: Program, scope: Scope, last: number): Statement[] | undefined {
  const found: Statement[] = [];
  let behind = 0;
  for (const line of scope.lines.filter((one) => one <= last)) {
    if (line <= behind) continue;
    const own = scope.flow?.lines.get(line)?.own;
    if (own === undefined) return undefined;
    behind = Math.max(line, ...own);
    found.push({ line, indent: indentOf(program, line), code: statementOn(program, scope, line) });
  }
  return found;
}

/** The code tokens of the statement of a function on a line. */
export const statementOn = (program: Program, scope: Scope, line: number): number[] =>
  statementTokens(program, { scope, frame: { line, locals: new Map(), its: [], gots: [] } });

/** The one of these; undefined where there are several, or none. */
export const onlyOf = <T>([first, ...others]: Iterable<T>): T | undefined =>
  others.length === 0 ? first : undefined;

/** The statement behind one that branches nowhere. */
export function lineBehind({ flow }: Scope, line: number): number | undefined {
  const own = flow?.lines.get(line)?.own ?? new Set();
  const following = [...own].flatMap((one) => [...(flow?.lines.get(one)?.next ?? [])]);
  return onlyOf(new Set(following.filter((one) => !own.has(one))));
}
