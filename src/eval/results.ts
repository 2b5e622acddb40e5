/** Single results as lines of JSON, so that two models can be compared question by question. */
import type { ActionKind } from '../debugger/action.js';
import { ForetraceError } from '../errors.js';
import { readText } from './files.js';
import type { Outcome } from './outcome.js';

/** One line of `results.jsonl`. */
export interface ResultLine {
  readonly id: string;
  /** First digits of the digest of the program: ids may be used again for other data. */
  readonly program: string;
  /** Of the transition in its case. */
  readonly position: number;
  readonly action: ActionKind;
  readonly lines: readonly number[];
  readonly horizon: number;
  readonly exact: boolean;
  readonly event: boolean;
  readonly line: boolean;
  readonly locals: boolean;
  readonly changed: number;
  readonly changed_right: number;
  readonly baseline_exact: boolean;
  /** Of the whole answer. */
  readonly probability: number;
  readonly statement: string | null;
  readonly tags: readonly string[];
}

export const resultLine = (outcome: Outcome): ResultLine => ({
  id: outcome.id,
  program: outcome.program.slice(0, 16),
  position: outcome.position,
  action: outcome.action.kind,
  lines: outcome.action.lines,
  horizon: outcome.horizon,
  exact: outcome.model.exact,
  event: outcome.model.event,
  line: outcome.model.line,
  locals: outcome.model.locals,
  changed: outcome.model.changed,
  changed_right: outcome.model.changedRight,
  baseline_exact: outcome.rule.exact,
  probability: Number(outcome.answer.probability.toPrecision(6)),
  statement: outcome.statement ?? null,
  tags: outcome.tags,
});

export const resultLines = (outcomes: readonly Outcome[]): string =>
  outcomes.map((outcome) => `${JSON.stringify(resultLine(outcome))}\n`).join('');

/** The parts of a result line that a comparison needs. */
export type ComparedResult = Pick<ResultLine, 'id' | 'program' | 'position' | 'action' | 'lines' | 'exact'>;

/** Reads `results.jsonl`. @throws ForetraceError unreadable_file */
export function readResults(file: string): ComparedResult[] {
  const expected =
    'lines {id, program, position, action, lines, exact, ...} as `eval steps --out` writes them';
  const lines = readText(file, expected).split('\n');
  return lines.flatMap((text, index) => {
    if (text.trim() === '') return [];
    const result = parsed(text);
    if (isResult(result)) return [result];
    throw new ForetraceError('unreadable_file', `line ${index + 1} of ${file} is not a result`, {
      expected,
      actual: text.slice(0, 120),
    });
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isResult(value: unknown): value is ComparedResult {
  if (typeof value !== 'object' || value === null) return false;
  const { id, program, position, action, lines, exact } = value as Partial<
    Record<keyof ComparedResult, unknown>
  >;
  return (
    typeof id === 'string' &&
    typeof program === 'string' &&
    typeof position === 'number' &&
    typeof action === 'string' &&
    Array.isArray(lines) &&
    typeof exact === 'boolean'
  );
}
