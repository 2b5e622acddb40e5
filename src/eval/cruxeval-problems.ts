/** Problems in CruxEval's form: JSON lines {id, code, input, output, entry?}. */
import { ForetraceError } from '../errors.js';
import { readText } from './files.js';

export interface CruxProblem {
  readonly id: string;
  readonly code: string;
  /** The arguments as they stand between the brackets of the call. */
  readonly input: string;
  /** What the call gives, as an expression. */
  readonly output: string;
  /** Name of the function that is called. */
  readonly entry: string;
}

const defaultEntry = 'f';

/** @throws ForetraceError unreadable_file, which names the line */
export function readProblems(file: string, limit = Number.POSITIVE_INFINITY): CruxProblem[] {
  const problems: CruxProblem[] = [];
  for (const [index, line] of readText(file, 'a file of problems').split('\n').entries()) {
    if (problems.length >= limit) break;
    if (line.trim() !== '') problems.push(parseProblem(line, index + 1, file));
  }
  if (problems.length > 0) return problems;
  throw new ForetraceError('unreadable_file', `${file} holds no problem`, {
    expected: 'at least one line {id, code, input, output}',
    actual: 'none',
  });
}

function parseProblem(line: string, number: number, file: string): CruxProblem {
  const fail = (expected: string, actual: string): never => {
    throw new ForetraceError('unreadable_file', `line ${number} of ${file} is not a problem`, {
      expected,
      actual,
      line: number,
    });
  };
  let data: unknown;
  try {
    data = JSON.parse(line);
  } catch (error) {
    return fail('a JSON object', error instanceof Error ? error.message : String(error));
  }
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return fail('a JSON object', line);
  const fields = data as Record<string, unknown>;
  const text = (name: string, fallback?: string): string => {
    const value = fields[name] ?? fallback;
    return typeof value === 'string' ? value : fail(`${name}: a string`, JSON.stringify(value) ?? 'nothing');
  };
  const { id = number } = fields;
  if (typeof id !== 'string' && typeof id !== 'number')
    return fail('id: a string or a number', JSON.stringify(id));
  const entry = text('entry', defaultEntry);
  if (!/^[\p{L}_][\p{L}\p{N}_]*$/u.test(entry)) return fail('entry: the name of a function', entry);
  return { id: String(id), code: text('code'), input: text('input'), output: text('output'), entry };
}
