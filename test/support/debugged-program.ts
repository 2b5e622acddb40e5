/** What the tests of the command line debug: a short program, its call and the options of a small engine. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { tinyModel } from './command.js';

export const call = 'total([1, 2])';
export const source =
  'def total(numbers):\n    found = 0\n    for number in numbers:\n        found += number\n    return found\n';
export const engine = ['--model', tinyModel, '--threads', '1', '--pages', '1024'];

/** A folder with the program in it, there for the tests of a file. */
export function programFolder(): { folder: string; program: string } {
  const folder = mkdtempSync(join(tmpdir(), 'foretrace-cli-'));
  const program = join(folder, 'program.py');
  beforeAll(() => writeFileSync(program, source));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return { folder, program };
}
