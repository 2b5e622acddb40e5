/** Errors of program text, with their place. */
import { ForetraceError } from '../../errors.js';

/** Line and column of a place in program text, both from 1; columns count Unicode characters. */
export interface SourcePosition {
  readonly line: number;
  readonly column: number;
}

/** An `invalid_python` error at a place. */
export const problem = (message: string, at: SourcePosition): ForetraceError =>
  new ForetraceError('invalid_python', `${message} (line ${at.line}, column ${at.column})`, {
    line: at.line,
    column: at.column,
    expected: 'a program that Python 3.11 parses',
    actual: message,
  });

/** Finds lines and columns of offsets into one text. */
export class SourceMap {
  private readonly starts: number[] = [0];

  constructor(readonly text: string) {
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) this.starts.push(at + 1);
  }

  /** Physical line (from 1) of an offset. */
  lineOf(offset: number): number {
    let low = 0;
    let high = this.starts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((this.starts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return low + 1;
  }

  /** Where an offset is; the column is counted when somebody asks, for most places are never told. */
  position(offset: number): SourcePosition {
    const { text, starts } = this;
    const line = this.lineOf(offset);
    return {
      line,
      get column() {
        return Array.from(text.slice(starts[line - 1] ?? 0, offset)).length + 1;
      },
    };
  }

  lines(): string[] {
    return this.text.split('\n');
  }
}
