/** The statements of a function, one after the other. */
import { lineParts } from './language/line-parts.js';
import { surelyRead } from './language/sure-reads.js';
import { wordTokens } from './language/tokens.js';
import type { Program, Scope } from './program.js';
import { statementTokens } from './whole-statement.js';

const [returning, ifWord] = wordTokens('return if') as [number, number];

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

const indentOf = ({ lines }: Program, line: number): number =>
  /^\s*/.exec(lines[line - 1] ?? '')?.[0].length ?? 0;

/** The one of these lines; undefined where there are several, or none. */
export const onlyOf = (lines: Iterable<number>): number | undefined => {
  const [only, ...others] = lines;
  return others.length === 0 ? only : undefined;
};

/** The statement behind one that branches nowhere. */
export function lineBehind({ flow }: Scope, line: number): number | undefined {
  const own = flow?.lines.get(line)?.own ?? new Set();
  const following = [...own].flatMap((one) => [...(flow?.lines.get(one)?.next ?? [])]);
  return onlyOf(new Set(following.filter((one) => !own.has(one))));
}

/** The attributes of its object that a function reads before it branches or calls a method of that, whatever it comes to. */
export function readFirst(program: Program, method: Scope): readonly string[] {
  const [name = ''] = method.positional;
  if (!method.keptParameters.has(name)) return [];
  const reads: string[] = [];
  const walked = new Set<number>();
  let line = onlyOf(method.flow?.entry ?? []);
  while (line !== undefined && !walked.has(line)) {
    walked.add(line);
    const code = statementOn(program, method, line);
    const { values = [], targets = [] } = lineParts(code) ?? {};
    const isLast = code[0] === returning || code[0] === ifWord;
    if (!isLast && targets.length === 0) break;
    for (const value of values) {
      const { attributes, isAll } = surelyRead(program, code, value, name);
      reads.push(...attributes);
      if (!isAll) return reads;
    }
    if (isLast) break;
    line = lineBehind(method, line);
  }
  return reads;
}
