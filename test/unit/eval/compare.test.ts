import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ComparedReport, compareReports, pairedRow } from '../../../src/eval/compare.js';
import { comparisonMarkdown } from '../../../src/eval/compare-markdown.js';
import { compareFiles } from '../../../src/eval/report-files.js';
import { type ComparedResult, readResults, resultLine, resultLines } from '../../../src/eval/results.js';
import { codeOf } from '../../support/service-world.js';
import { exampleOutcome } from './example-outcomes.js';

const report = (n: number, exact: number): ComparedReport => ({
  all: { n, exact },
  actions: { step_into: { n, exact } },
});
const result = (position: number, exact: boolean, id = '1'): ComparedResult => ({
  id,
  program: 'p',
  position,
  action: 'step_into',
  lines: [],
  exact,
});

describe('a paired row', () => {
  it('by hand', () => {
    const pairs = [
      ...Array(5).fill({ a: true, b: true }),
      { a: true, b: false },
      ...Array(9).fill({ a: false, b: true }),
      ...Array(5).fill({ a: false, b: false }),
    ];
    expect(pairedRow(pairs)).toMatchObject({
      n: 20,
      exact_a: 6 / 20,
      exact_b: 14 / 20,
      both: 5,
      only_a: 1,
      only_b: 9,
      neither: 5,
      difference: 8 / 20,
      p: expect.closeTo(22 / 1024, 12),
    });
  });
});

describe('a comparison', () => {
  it('without single results has differences alone', () => {
    const { rows, paired_n } = compareReports(report(10, 0.5), report(20, 0.75));
    expect(paired_n).toBeNull();
    expect(rows.map(({ name, difference, paired }) => [name, difference, paired])).toEqual([
      ['all', 0.25, undefined],
      ['forward', 0.25, undefined],
      ['step_into', 0.25, undefined],
    ]);
  });

  it('pairs the same questions, repeated ones in their order', () => {
    const a = [result(0, true), result(1, true), result(1, false), result(0, true, '2')];
    const b = [result(1, false), result(1, false), result(0, true), result(0, true, '3')];
    const { rows, paired_n } = compareReports(report(4, 0.75), report(4, 0.5), { a, b });
    expect(paired_n).toBe(3);
    expect(rows[0]?.paired).toMatchObject({ n: 3, both: 1, only_a: 1, only_b: 0, neither: 1 });
  });

  it('never pairs questions about different programs', () => {
    const b = [{ ...result(0, true), program: 'q' }];
    expect(compareReports(report(1, 1), report(1, 1), { a: [result(0, true)], b }).paired_n).toBe(0);
  });

  it('has rows for actions that only one has', () => {
    const back = { all: { n: 2, exact: 1 }, actions: { inv_continue: { n: 2, exact: 1 } } };
    const { rows } = compareReports(report(10, 0.5), back);
    expect(rows.map(({ name, a, b }) => [name, a.n, b.n])).toEqual([
      ['all', 10, 2],
      ['forward', 10, 0],
      ['reverse', 0, 2],
      ['step_into', 10, 0],
      ['inv_continue', 0, 2],
    ]);
  });

  it('reads as tables', () => {
    const data = { a: [result(0, false)], b: [result(0, true)] };
    const named = { ...report(1, 0), subject: { model: { name: 'tiny' }, data: { name: 'x.jsonl' } } };
    const text = comparisonMarkdown(compareReports(named, report(1, 1), data));
    expect(text).toContain('A: tiny on x.jsonl\n\nB: a report without a subject\n\n');
    expect(text).toContain('| all | 1 | 0.0 | 1 | 100.0 | +100.0 |');
    expect(text).toContain('| all | 1 | 0.0 | 100.0 | 0 | 1 | +100.0 |');
    expect(comparisonMarkdown(compareReports(report(1, 0), report(1, 1)))).toContain('Without results.jsonl');
    const apart = { a: [result(0, true)], b: [result(1, true)] };
    expect(comparisonMarkdown(compareReports(report(1, 1), report(1, 1), apart))).toContain(
      'no question in common',
    );
  });
});

describe('files', () => {
  const folder = mkdtempSync(join(tmpdir(), 'foretrace-compare-'));
  const [a, b] = [join(folder, 'a'), join(folder, 'b')];
  beforeAll(() => {
    for (const [path, exact] of [
      [a, false],
      [b, true],
    ] as const) {
      mkdirSync(path);
      writeFileSync(join(path, 'report.json'), JSON.stringify(report(1, Number(exact))));
      writeFileSync(join(path, 'results.jsonl'), resultLines([exampleOutcome({ kind: 'step_into', exact })]));
    }
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('are named by file or folder, and paired by results.jsonl', () => {
    expect(compareFiles(a, join(b, 'report.json')).rows[0]).toMatchObject({
      difference: 1,
      paired: { n: 1, only_b: 1 },
    });
  });

  it('hold a line a question', () => {
    expect(readResults(join(a, 'results.jsonl'))).toEqual([
      resultLine(exampleOutcome({ kind: 'step_into', exact: false })),
    ]);
  });

  it.each([
    ['that are not there', 'nowhere.json', undefined],
    ['that are not JSON', 'text.json', 'text'],
    ['that are no reports', 'other.json', '{"all": {"n": 1}, "actions": {}}'],
    ['without actions', 'bare.json', '{"all": {"n": 1, "exact": 1}}'],
  ])('%s are errors', async (_name, name, content) => {
    const file = join(folder, name);
    if (content !== undefined) writeFileSync(file, content);
    expect(await codeOf(Promise.resolve().then(() => compareFiles(file, b)))).toBe('unreadable_file');
  });

  it('with a broken result name its line', () => {
    const file = join(folder, 'broken.jsonl');
    writeFileSync(file, `${resultLines([exampleOutcome({ kind: 'step_into', exact: true })])}{"id": 1}\n`);
    expect(() => readResults(file)).toThrow('line 2 of');
  });
});
