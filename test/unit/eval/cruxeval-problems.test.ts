import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ForetraceError } from '../../../src/errors.js';
import { readProblems } from '../../../src/eval/cruxeval-problems.js';

const folder = mkdtempSync(join(tmpdir(), 'foretrace-problems-'));
const file = join(folder, 'problems.jsonl');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const line = (fields: object): string => `${JSON.stringify(fields)}\n`;
const whole = { id: 'a', code: 'def f(x):\n    return x\n', input: '1', output: '1' };
function read(text: string, limit?: number) {
  writeFileSync(file, text);
  return readProblems(file, limit);
}

describe('problems', () => {
  it('are read in order, with the entry f and numbers for missing ids', () => {
    const { id: _, ...rest } = whole;
    expect(read(`${line(whole)}\n${line({ ...rest, entry: 'g' })}${line({ ...whole, id: 7 })}`)).toEqual([
      { ...whole, entry: 'f' },
      { ...rest, id: '3', entry: 'g' },
      { ...whole, id: '7', entry: 'f' },
    ]);
  });

  it('are read up to the limit and no further', () => {
    expect(read(`${line(whole)}${line({ ...whole, id: 'b' })}nonsense\n`, 2).map(({ id }) => id)).toEqual([
      'a',
      'b',
    ]);
  });

  it.each([
    ['what is not JSON', 'nonsense\n', /JSON/],
    ['what is no object', '[1]\n', /\[1\]/],
    ['a missing field', line({ id: 'b', code: '', input: '' }), /nothing/],
    ['a field of another type', line({ ...whole, output: 1 }), /1/],
    ['an id that is none', line({ ...whole, id: [] }), /\[\]/],
    ['an entry that is no name', line({ ...whole, entry: 'f(1)' }), /f\(1\)/],
  ])('%s is an error with its line', (_name, text, actual) => {
    try {
      read(line(whole) + text);
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(ForetraceError);
      expect(error).toMatchObject({ code: 'unreadable_file', message: /line 2 of/, details: { line: 2 } });
      expect((error as ForetraceError).details.actual).toMatch(actual);
    }
  });

  it('are there', () => {
    expect(() => read('\n\n')).toThrow(/holds no problem/);
    expect(() => readProblems(join(folder, 'none'))).toThrow(/cannot read/);
  });
});
