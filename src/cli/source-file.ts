/** Reads the program a command is about. */
import { readFileSync } from 'node:fs';
import { ForetraceError } from '../errors.js';

/** @throws ForetraceError unreadable_file */
export function readSource(file: string): string {
  try {
    // As Python reads it: UTF-8 or nothing, without the mark that some editors put first.
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file));
  } catch (cause) {
    throw new ForetraceError(
      'unreadable_file',
      `cannot read ${file}`,
      { expected: 'a Python file in UTF-8', actual: cause instanceof Error ? cause.message : String(cause) },
      { cause },
    );
  }
}
