/** Single operations: the file of cases, what is asked, the report. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { special, textTokens } from '../../../src/debugger/language/tokens.js';
import { ForetraceError } from '../../../src/errors.js';
import { evaluateOperations, type OperationCase, readOperations } from '../../../src/eval/operations.js';
import { operationsMarkdown, operationsReport } from '../../../src/eval/operations-report.js';
import { ScriptedService } from '../../support/scripted-service.js';

const folder = mkdtempSync(join(tmpdir(), 'foretrace-operations-'));
const file = join(folder, 'operations.jsonl');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const whole: OperationCase = {
  id: 'a',
  operation: 'len',
  size: 0,
  locals: { xs: '[1, 2]' },
  expression: 'len(xs)',
  value: '2',
};
const read = (...lines: unknown[]) => {
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join('\n'));
  return readOperations(file);
};
const answer = (text: string): number[] => [special.value, ...textTokens(text), special.end];
function access(...script: (number[] | ForetraceError)[]) {
  const service = new ScriptedService();
  service.script.push(...script);
  return { service, modelDigest: 'm', maxContext: 512, maxAnswerTokens: 64 };
}

describe('a file of operations', () => {
  it('is read in order', () => {
    expect(read(whole, { ...whole, id: 'b', size: 2 })).toEqual([whole, { ...whole, id: 'b', size: 2 }]);
  });

  it.each<[string, unknown[], RegExp]>([
    ['nothing', [], /none/],
    ['what is no object', [[1]], /\[1\]/],
    ['a missing field', [{ ...whole, value: undefined }], /nothing/],
    ['a size that is none', [{ ...whole, size: -1 }], /-1/],
    ['a local that is no text', [whole, { ...whole, locals: { xs: 1 } }], /1/],
  ])('says what is wrong with %s', (_name, lines, actual) => {
    const refused = (): unknown => read(...lines);
    expect(refused).toThrow(ForetraceError);
    expect(refused).toThrow(
      expect.objectContaining({
        code: 'unreadable_file',
        details: expect.objectContaining({ actual: expect.stringMatching(actual) as string }) as object,
      }) as Error,
    );
  });
});

describe('operations', () => {
  it('are asked in a state that holds their values, judged by their text and counted by size', async () => {
    const cases = [
      whole,
      { ...whole, id: 'b', size: 1 },
      { ...whole, id: 'c', operation: 'bad', expression: 'len(' },
      { ...whole, id: 'd', operation: 'name', locals: { 'x y': '1' }, expression: '1' },
    ];
    const given = access(answer('2'), answer('3'));
    const run = await evaluateOperations(given, cases, 1);
    expect(run.results.map(({ id, answer: text, right }) => [id, text, right])).toEqual([
      ['a', '2', true],
      ['b', '3', false],
    ]);
    expect([...run.leftOut]).toEqual([['invalid_python', 2]]);
    const report = operationsReport(run);
    expect(report).toEqual({
      n: 2,
      right: 1,
      left_out: { invalid_python: 2 },
      operations: {
        len: {
          n: 2,
          right: 1,
          sizes: [
            { size: 0, n: 1, right: 1 },
            { size: 1, n: 1, right: 0 },
          ],
        },
      },
    });
    expect(operationsMarkdown(report)).toContain('| `len` | 100 | 0 | 50 |');
    expect(operationsMarkdown(report)).toMatch(/\n\n- 2 left out: invalid_python$/);
    const none = operationsReport({ results: [], leftOut: new Map([['invalid_python', 1]]) });
    expect(operationsMarkdown(none)).toBe('0 operations\n\n- 1 left out: invalid_python');
  });

  it('end with the first failure of the service', async () => {
    const broken = access(new ForetraceError('internal', 'it is gone'));
    await expect(evaluateOperations(broken, [whole], 1)).rejects.toMatchObject({ code: 'internal' });
  });
});
