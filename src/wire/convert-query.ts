/** Queries about trajectories: wire messages <-> domain values. */
import type { Program } from '../debugger/program.js';
import { ForetraceError } from '../errors.js';
import type { QueryResult, TrajectoryQuery } from '../session/query.js';
import { answerToWire } from './convert.js';
import { queryEndNumbers, type WireQuery, type WireQueryResult } from './messages.js';

/** @throws ForetraceError invalid_message */
export function queryFromWire({ valuesAt, firstChange, frameTable }: WireQuery): TrajectoryQuery {
  const asked: TrajectoryQuery[] = [];
  if (valuesAt) asked.push({ kind: 'values', name: valuesAt.name, line: valuesAt.line });
  if (firstChange) asked.push({ kind: 'change', name: firstChange.name });
  if (frameTable) asked.push({ kind: 'table', names: [...new Set(frameTable.names)] });
  const [only] = asked;
  if (only !== undefined && asked.length === 1) return only;
  throw new ForetraceError('invalid_message', 'a query asks for one thing', {
    expected: 'exactly one of values_at, first_change, frame_table',
    actual: `${asked.length} of them`,
  });
}

export function queryResultToWire(
  session: string,
  program: Program,
  { rows, columns, end, counts, steps, ...rest }: QueryResult,
): WireQueryResult {
  return {
    session,
    ...rest,
    columns: [...columns],
    rows: rows.map(({ answer, values, probability }) => ({
      answer: answerToWire(session, program, answer),
      values: Object.fromEntries(values),
      probability,
    })),
    end: queryEndNumbers[end],
    truncated: end === 'open',
    steps: { ...steps },
    tokens: { ...counts },
  };
}
