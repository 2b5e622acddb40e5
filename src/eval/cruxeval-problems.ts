/** Problems in CruxEval's form: JSON lines {id, code, input, output, entry?}. */
import { type JsonLine, type LineKind, readLines } from './json-lines.js';

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

const problems: LineKind = { one: 'problem', article: 'a', fields: '{id, code, input, output}' };

/** @throws ForetraceError unreadable_file, which names the line */
export const readProblems = (file: string, limit?: number): CruxProblem[] =>
  readLines(file, problems, problemIn, limit);

function problemIn(line: JsonLine): CruxProblem {
  const given = line.field('id');
  const id = given === undefined ? line.number : given;
  if (typeof id !== 'string' && typeof id !== 'number')
    return line.fail('id: a string or a number', JSON.stringify(id));
  const entry = line.text('entry', defaultEntry);
  if (!/^[\p{L}_][\p{L}\p{N}_]*$/u.test(entry)) return line.fail('entry: the name of a function', entry);
  return {
    id: String(id),
    code: line.text('code'),
    input: line.text('input'),
    output: line.text('output'),
    entry,
  };
}
