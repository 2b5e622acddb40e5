/** Reads the program a command is about. */
import { readFileSync, statSync } from 'node:fs';
import { ForetraceError } from '../errors.js';

/** Far more than a program may have: what is longer is something else. */
const mostBytes = 16 * 1024 * 1024;

/** @throws ForetraceError unreadable_file */
export function readSource(file: string): string {
  try {
    const about = statSync(file);
    // Reading a pipe or a device might never end, and nothing else would run meanwhile.
    if (!about.isFile()) throw new Error('no regular file');
    if (about.size > mostBytes) throw new Error(`a file of ${about.size} bytes`);
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
