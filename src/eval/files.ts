/** Reading and writing files, with coded errors. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { ForetraceError } from '../errors.js';

/** @throws ForetraceError unreadable_file; `expected` says what the file should be. */
export function readText(file: string, expected: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw unusable(`cannot read ${file}`, expected, cause);
  }
}

/** Makes a folder unless it is there. @throws ForetraceError unreadable_file */
export function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true });
  } catch (cause) {
    throw unusable(`cannot make the folder ${folder}`, 'a place for a folder', cause);
  }
}

/** Writes a file, and the folders it lies in. @throws ForetraceError unreadable_file */
export function writeFile(file: string, content: string | Uint8Array): void {
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  } catch (cause) {
    throw unusable(`cannot write ${file}`, 'a place for a file', cause);
  }
}

function unusable(message: string, expected: string, cause: unknown): ForetraceError {
  const actual = cause instanceof Error ? cause.message : String(cause);
  return new ForetraceError('unreadable_file', message, { expected, actual }, { cause });
}
