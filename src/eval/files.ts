/** Reading and writing files, with coded errors. */
import { accessSync, constants, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { ForetraceError } from '../errors.js';

/** @throws ForetraceError unreadable_file; `expected` says what the file should be. */
export function readText(file: string, expected: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw unusable(`cannot read ${file}`, expected, cause);
  }
}

/**
 * Makes a folder that files can be written to, and those it lies in, unless it is there. Commands call it before their work: what cannot be
 * written should not be measured for an hour first.
 * @throws ForetraceError unreadable_file
 */
export function makeFolder(folder: string): void {
  try {
    makeMissing(resolve(folder));
    accessSync(folder, constants.W_OK);
  } catch (cause) {
    throw unusable(`cannot make the folder ${folder}`, 'a place for a folder', cause);
  }
}

/** One after the other: `recursive` of Node.js tries for ever where a file system takes no folders, such as /proc. */
function makeMissing(folder: string): void {
  if (existsSync(folder)) {
    if (!statSync(folder).isDirectory()) throw new Error(`${folder} is a file`);
    return;
  }
  makeMissing(dirname(folder));
  try {
    mkdirSync(folder);
  } catch (error) {
    // Another process was faster.
    if (!existsSync(folder)) throw error;
  }
}

/** Writes a file, and makes the folders it lies in. @throws ForetraceError unreadable_file */
export function writeFile(file: string, content: string | Uint8Array): void {
  makeFolder(dirname(file));
  try {
    writeFileSync(file, content);
  } catch (cause) {
    throw unusable(`cannot write ${file}`, 'a place for a file', cause);
  }
}

function unusable(message: string, expected: string, cause: unknown): ForetraceError {
  const actual = cause instanceof Error ? cause.message : String(cause);
  return new ForetraceError('unreadable_file', message, { expected, actual }, { cause });
}
