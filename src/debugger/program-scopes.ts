/** The scopes of a program, by its code lines (docs/trace-language.md, section 3). */
import { type FunctionFlow, flowOnCodeLines } from './language/flow.js';
import type { RawScope } from './language/scopes.js';

/** A function, lambda or generator expression. Lines are physical numbers of code lines, ascending. */
export interface Scope {
  readonly index: number;
  /** As CPython names its code: the function's name, <lambda> or <genexpr>. */
  readonly name: string;
  /** `__qualname__`: with the classes and functions around it, as reprs of functions have it. */
  readonly qualifiedName: string;
  readonly firstLine: number;
  readonly lastLine: number;
  readonly isGenerator: boolean;
  /** Its name stands for it and nothing else, and is only called. */
  readonly isPlain: boolean;
  /** It is entered by calls of its name alone, or of this name as an attribute. */
  readonly isNamed: boolean;
  /** In slot order. */
  readonly names: readonly string[];
  /** Those that can be bound when a call begins: its parameters, which surely are, and names of the functions around it. */
  readonly namesAtCall: readonly string[];
  readonly parameters: ReadonlySet<string>;
  /** Parameters that nothing binds again: they stand for what the call gave as long as the frame lives. */
  readonly keptParameters: ReadonlySet<string>;
  /** Parameters that arguments by position are bound to, in order. */
  readonly positional: readonly string[];
  /** Lines on which a `line` event may stop. */
  readonly lines: readonly number[];
  /** Lines on which a `call` event may stop. */
  readonly callLines: readonly number[];
  /** Line -> lines of the `for` statements around it, outermost first; lines without loops are missing. */
  readonly loops: ReadonlyMap<number, readonly number[]>;
  /** Where a frame may stop next; undefined where nothing can be said. */
  readonly flow: FunctionFlow | undefined;
  /** Of a generator expression that awaits nothing and whose element stands on one line: how many `for` it has; else 0. */
  readonly clauses: number;
  /** Of a generator expression: first lines of the functions that it can enter; undefined: any. */
  readonly called: ReadonlySet<number> | undefined;
  /** Of those that it names. */
  readonly named: ReadonlySet<number>;
  /** Index of the scope around it. */
  readonly parent: number | undefined;
}

/** Without repetitions. */
export const ascending = (lines: Iterable<number>): number[] => [...new Set(lines)].sort((a, b) => a - b);

/** Index of the last code line at or before `line` (0 if there is none): CPython also reports lines inside strings. */
export function ordinalOf(codeLines: readonly number[], line: number): number {
  let low = 0;
  let high = codeLines.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((codeLines[middle] ?? 0) <= line) low = middle;
    else high = middle;
  }
  return low;
}

const snap = (codeLines: readonly number[], line: number): number =>
  codeLines[ordinalOf(codeLines, line)] ?? line;

/** The scopes that the syntax tree has, with the names that have slots. */
export function buildScopes(
  scopes: readonly RawScope[],
  codeLines: readonly number[],
  slots: ReadonlyMap<string, number>,
): Scope[] {
  return scopes.map((scope, index) => {
    const lines = ascending([...scope.lines].map((line) => snap(codeLines, line)));
    const callLines = ascending([...scope.callLines].map((line) => snap(codeLines, line)));
    const names = [...scope.names].filter((name) => slots.has(name));
    names.sort((a, b) => (slots.get(a) ?? 0) - (slots.get(b) ?? 0));
    return {
      index,
      name: scope.name,
      qualifiedName: scope.qualifiedName,
      firstLine: snap(codeLines, scope.firstLine),
      lastLine: scope.lastLine,
      isGenerator: scope.isGenerator,
      isPlain: scope.isPlain,
      isNamed: scope.isNamed,
      names,
      namesAtCall: names.filter((name) => scope.namesAtCall.has(name)),
      parameters: scope.parameters,
      keptParameters: scope.keptParameters,
      positional: scope.positional,
      lines,
      callLines,
      loops: loopTable(scope, [...lines, ...callLines]),
      clauses: scope.clauses,
      called: scope.called && new Set([...scope.called].map((line) => snap(codeLines, line))),
      named: new Set([...scope.named].map((line) => snap(codeLines, line))),
      flow: scope.flow && flowOnCodeLines(scope.flow, scope.lines, (line) => snap(codeLines, line)),
      parent: scope.parent === undefined ? undefined : scopes.indexOf(scope.parent),
    };
  });
}

function loopTable(scope: RawScope, lines: readonly number[]): Map<number, readonly number[]> {
  const table = new Map<number, readonly number[]>();
  for (const line of lines) {
    const around = scope.loops
      .filter((loop) => loop.line <= line && line <= loop.lastLine)
      .map((loop) => loop.line);
    if (around.length > 0) table.set(line, around);
  }
  return table;
}
