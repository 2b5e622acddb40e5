/** `eval operations`: single operations on values, each asked for its value in a state that holds them. */
import { grammarOf } from '../debugger/language/grammar.js';
import { parseProgram } from '../debugger/program.js';
import type { DebuggerState } from '../debugger/state.js';
import { greedy } from '../scheduler/request.js';
import type { ModelAccess } from '../session/ask-model.js';
import { evaluateExpression } from '../session/evaluate.js';
import { pooled, unfit } from './batch.js';
import { type LineKind, readLines } from './json-lines.js';

/** An expression over names and what it is worth; `size` says how long the values are, from 0 on. */
export interface OperationCase {
  readonly id: string;
  readonly operation: string;
  readonly size: number;
  /** Canonical reprs. */
  readonly locals: Readonly<Record<string, string>>;
  readonly expression: string;
  /** Canonical repr. */
  readonly value: string;
}

export interface OperationResult {
  readonly id: string;
  readonly operation: string;
  readonly size: number;
  readonly answer: string;
  readonly right: boolean;
  /** Of the whole answer, those before it included, 0..1. */
  readonly probability: number;
}

export interface OperationsRun {
  /** In the order of the cases. */
  readonly results: readonly OperationResult[];
  /** Cases that could not be asked, by the code of the error. */
  readonly leftOut: ReadonlyMap<string, number>;
}

const operations: LineKind = {
  one: 'operation',
  article: 'an',
  fields: '{id, operation, size, locals, expression, value}',
};

/** @throws ForetraceError unreadable_file, which names the line */
export const readOperations = (file: string): OperationCase[] =>
  readLines(file, operations, (line) => ({
    id: line.text('id'),
    operation: line.text('operation'),
    size: line.count('size'),
    locals: line.texts('locals'),
    expression: line.text('expression'),
    value: line.text('value'),
  }));

/**
 * Asks for all of them, `concurrency` at once.
 * @throws ForetraceError what evaluateExpression throws, but for cases that cannot be asked
 */
export async function evaluateOperations(
  access: ModelAccess,
  cases: readonly OperationCase[],
  concurrency: number,
  onProgress?: (done: number, total: number) => void,
): Promise<OperationsRun> {
  const answered: (OperationResult | undefined)[] = cases.map(() => undefined);
  const leftOut = new Map<string, number>();
  let done = 0;
  await pooled(cases, concurrency, async (item, index) => {
    try {
      answered[index] = await ask(access, item);
    } catch (error) {
      const { code } = unfit(error);
      leftOut.set(code, (leftOut.get(code) ?? 0) + 1);
    }
    done += 1;
    onProgress?.(done, cases.length);
  });
  return { results: answered.filter((result) => result !== undefined), leftOut };
}

async function ask(access: ModelAccess, item: OperationCase): Promise<OperationResult> {
  const { id, operation, size, locals, expression, value } = item;
  const names = Object.keys(locals);
  const program = parseProgram(
    `def f(${names.join(', ')}):\n    return ${expression}\n`,
    `f(${names.map(() => 0).join(', ')})`,
  );
  const frame = { line: 2, its: [], locals: new Map(Object.entries(locals)), gots: [] };
  const state: DebuggerState = { event: 'line', frames: [frame], hiddenFrames: 0 };
  const how = { sampling: greedy, client: 'eval', priority: 'batch', fresh: false } as const;
  const grammar = grammarOf(program);
  const { outcome, text, probability } = await evaluateExpression(access, {
    program,
    grammar,
    state,
    expression,
    ...how,
  });
  return {
    id,
    operation,
    size,
    answer: text,
    right: outcome === 'value' && text === value,
    probability,
  };
}
