/** `eval steps` and `eval compare` as a user calls them, over the real engine, the real programs and a tiny untrained model. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { main } from '../../../src/cli/main.js';
import type { Comparison } from '../../../src/eval/compare.js';
import type { StepsReport } from '../../../src/eval/steps-report.js';
import { tinyModel } from '../../support/command.js';

// Programs run in processes of their own, a dozen of them.
vi.setConfig({ testTimeout: 300_000 });

const folder = mkdtempSync(join(tmpdir(), 'foretrace-eval-'));
const data = join(folder, 'cases.jsonl');
const engine = ['--model', tinyModel, '--device', 'cpu', '--threads', '1', '--pages', '1024'];
const source =
  'def total(numbers):\n    found = 0\n    for number in numbers:\n        found += number\n    return found\n';
const at = (event: string, line: number, locals: Record<string, string>, value?: string): object => ({
  event,
  line,
  locals,
  ...(value ? { value } : {}),
});
const numbers = '[1, 2]';
const first = at('line', 4, { numbers, found: '0', number: '1' });
const later = at('line', 4, { numbers, found: '1', number: '2' });
const cases = [
  {
    id: 'forward',
    tags: ['loop', 'forward'],
    actions: [{ action: 'step_into' }, { action: 'breakpoint', lines: [4] }, { action: 'continue' }],
    states: [
      at('call', 1, { numbers }),
      at('line', 2, { numbers }),
      first,
      at('return', 5, { numbers, found: '3', number: '2' }, '3'),
    ],
  },
  {
    id: 'reverse',
    tags: ['loop'],
    actions: [
      { action: 'inv_step_into' },
      { action: 'inv_breakpoint', lines: [4] },
      { action: 'inv_continue' },
    ],
    states: [later, at('line', 3, { numbers, found: '1', number: '1' }), first, at('call', 1, { numbers })],
  },
  { id: 'other', actions: [{ action: 'step_into' }], states: [at('line', 2, {}), at('line', 3, {})] },
];

beforeAll(() => {
  const lines = cases.map((item) => JSON.stringify({ source, call: 'total([1, 2])', ...item }));
  writeFileSync(data, `${lines.join('\n')}\n`);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Exit code and what was printed. */
async function run(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const out = vi.spyOn(console, 'log').mockImplementation(() => {});
  const err = vi.spyOn(console, 'error').mockImplementation(() => {});
  const stderr = vi.spyOn(process.stderr, 'write').mockImplementation(() => true);
  try {
    const code = await main(args);
    const text = (spy: typeof out | typeof stderr): string =>
      spy.mock.calls.map(([part]) => String(part)).join('\n');
    return { code, out: text(out), err: `${text(err)}${text(stderr)}` };
  } finally {
    for (const spy of [out, err, stderr]) spy.mockRestore();
  }
}

describe('eval steps', () => {
  const out = join(folder, 'report');

  it('measures, asks for candidates and writes everything', async () => {
    const ended = await run(
      'eval',
      'steps',
      '--data',
      data,
      ...engine,
      '--candidates',
      '2',
      '--check-forward',
      '--out',
      out,
      '--json',
    );
    expect([ended.code, ended.err]).toEqual([0, '']);
    const report = JSON.parse(ended.out) as StepsReport;
    expect(report).toEqual(JSON.parse(readFileSync(join(out, 'report.json'), 'utf8')));
    expect(report).toMatchObject({
      n: 6,
      left_out: 1,
      cases: 2,
      programs: 1,
      subject: { model: { name: 'model-tiny' }, data: { name: 'cases.jsonl' } },
    });
    expect(report.breakdowns.direction.map(({ name, n }) => [name, n])).toEqual([
      ['forward', 3],
      ['reverse', 3],
    ]);
    expect(report.breakdowns.tag.map(({ name, n }) => [name, n])).toEqual([
      ['loop', 6],
      ['forward', 3],
    ]);
    expect(report.breakdowns.statement.map(({ name, n }) => [name, n])).toEqual([
      ['for', 1],
      ['call event', 1],
    ]);
    expect(report.horizon.map(({ n }) => n)).toEqual([1, 2, 1, 0, 0, 0]);
    expect(report.calibration.answer.n).toBe(6);
    for (const { n, brier, ece } of Object.values(report.calibration)) {
      expect(brier >= 0 && brier <= 1 && ece >= 0 && ece <= 1, `${n}`).toBe(true);
    }
    expect(report.reverse).toMatchObject({ asked: 2, all: { n: 3 } });
    expect(report.reverse?.all.mass).toBeGreaterThan(0);
    expect(report.reverse?.all.mass).toBeLessThanOrEqual(1);
    for (const name of [
      'report.md',
      'results.jsonl',
      'horizon.svg',
      'horizon.png',
      'calibration.png',
      'by-type.png',
    ])
      expect(existsSync(join(out, name)), name).toBe(true);
    expect(readFileSync(join(out, 'results.jsonl'), 'utf8').trim().split('\n')).toHaveLength(6);
  });

  it('has the same results one program at a time, and compares as equal', async () => {
    const again = join(folder, 'again');
    const ended = await run('eval', 'steps', '--data', data, ...engine, '--concurrency', '1', '--out', again);
    expect([ended.code, ended.err]).toEqual([0, '']);
    expect(ended.out).toContain('6 transitions in 2 cases of 1 programs, 1 left out');
    expect(readFileSync(join(again, 'results.jsonl'), 'utf8')).toBe(
      readFileSync(join(out, 'results.jsonl'), 'utf8'),
    );
    const compared = await run('eval', 'compare', out, join(again, 'report.json'), '--json');
    const { paired_n, rows } = JSON.parse(compared.out) as Comparison;
    expect(paired_n).toBe(6);
    expect(rows.map(({ difference }) => difference)).toEqual(rows.map(() => 0));
    const table = await run('eval', 'compare', out, again);
    expect(table.out).toContain('| same questions | n |');
  });

  it.each<[string, string[], number, RegExp]>([
    ['too many candidates', ['--candidates', '17'], 2, /from 1 to 16/],
    ['no bins', ['--bins', '0'], 2, /whole number from 1/],
    ['a file for a folder', ['--out', data], 1, /unreadable_file/],
    ['a place that takes no folders', ['--out', '/proc/foretrace/report'], 1, /unreadable_file/],
    ['a table in such a place', ['--accuracy', '/proc/foretrace/accuracy.json'], 1, /unreadable_file/],
  ])('refuses %s before it starts', async (_name, args, code, message) => {
    const ended = await run('eval', 'steps', '--data', data, ...engine, ...args);
    expect([ended.code, ended.out]).toEqual([code, '']);
    expect(ended.err).toMatch(message);
  });

  it('refuses a file without cases', async () => {
    const empty = join(folder, 'empty.jsonl');
    writeFileSync(empty, '\n');
    const ended = await run('eval', 'steps', '--data', empty, ...engine);
    expect([ended.code, ended.out]).toEqual([1, '']);
    expect(ended.err).toContain(`unreadable_file: ${empty} holds no case`);
  });

  it.each<[string, object, string[]]>([
    ['operations', { operation: 'len', size: 0, locals: {}, expression: '1', value: '1' }, []],
    ['cruxeval', { code: 'def f(x):\n    return x\n', input: '1', output: '1' }, ['--task', 'output']],
  ])('eval %s refuses a place that takes no folders before it asks anything', async (name, line, args) => {
    const file = join(folder, `${name}.jsonl`);
    writeFileSync(file, JSON.stringify({ id: 'a', ...line }));
    // Of a model that is not there it would complain next.
    const missing = ['--model', '/nowhere', '--out', '/proc/foretrace'];
    const ended = await run('eval', name, '--data', file, ...args, ...missing);
    expect([ended.code, ended.out]).toEqual([1, '']);
    expect(ended.err).toContain('unreadable_file: cannot make the folder /proc/foretrace');
  });

  it('compare refuses what is no report', async () => {
    const ended = await run('eval', 'compare', out, data);
    expect(ended.code).toBe(1);
    expect(ended.err).toContain('unreadable_file');
  });
});
