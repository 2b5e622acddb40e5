/**
 * What a program may measure, checked before anything is built from it: a source comes from anybody, and what is done with it must end soon.
 * Each bound lies far above what fits into the context of a model.
 */
import { ForetraceError } from '../../errors.js';
import { problem, type SourcePosition } from './source-error.js';

/** Brackets open at once, as in CPython. */
const maximumBrackets = 200;

/** Lines, empty ones and those inside strings too. */
const maximumLines = 16_384;

/** Most tokens of Python, those inside f-strings too, of what is read altogether. */
export const programTokens = 8_192;
/** The same of what is looked through for what a call reaches of it. */
export const sourceTokens = 131_072;

/** Counts while a text is read. */
export class SourceBounds {
  private tokens = 0;

  constructor(private readonly most: number) {}

  /** One more token, with so many brackets open. @throws ForetraceError program_too_long, invalid_python */
  token(depth: number, at: () => SourcePosition): void {
    this.tokens += 1;
    if (this.tokens > this.most) throw tooLong(`at most ${this.most} tokens`, 'more', at().line);
    if (depth > maximumBrackets) throw problem('too many nested parentheses', at());
  }
}

/** @throws ForetraceError program_too_long */
export function checkLines(text: string): void {
  let lines = 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines += 1;
  if (lines > maximumLines)
    throw tooLong(`at most ${maximumLines} lines`, `${lines} lines`, maximumLines + 1);
}

const tooLong = (expected: string, actual: string, line: number): ForetraceError =>
  new ForetraceError('program_too_long', 'The program text is larger than what is read.', {
    expected,
    actual,
    line,
  });
