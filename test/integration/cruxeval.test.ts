/** `eval cruxeval` end to end: own problems, the real engine with a tiny untrained model, real Python for real runs. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { main } from '../../src/cli/main.js';
import { interpreter } from '../../src/cli/python.js';
import { checkInputs } from '../../src/eval/cruxeval-check.js';
import { realRuns } from '../../src/eval/cruxeval-truth.js';
import { tinyModel } from '../support/command.js';

const folder = mkdtempSync(join(tmpdir(), 'foretrace-cruxeval-'));
const data = join(folder, 'problems.jsonl');
afterAll(() => rmSync(folder, { recursive: true, force: true }));
afterEach(() => vi.restoreAllMocks());

const problems = [
  { id: 'identity', code: 'def f(x):\n    return x\n', input: '(1, 2)', output: '(1, 2)' },
  {
    id: 'loop',
    code: 'def f(xs):\n    total = 0\n    for x in xs:\n        total += x\n    return total\n',
    input: '[1, 2, 3]',
    output: '6',
  },
  {
    id: 'helper',
    code: 'def twice(n):\n    return n * 2\n\n\ndef g(n, k=1):\n    if n > 3:\n        return twice(n)\n    return k\n',
    input: '5, k=0',
    output: '10',
    entry: 'g',
  },
  { id: 'computed', code: 'def f(s):\n    return s.upper()\n', input: "'a' * 2", output: "'AA'" },
  { id: 'raises', code: 'def f(d):\n    return d["b"]\n', input: "{'a': 1}", output: 'None' },
  { id: 'broken', code: 'def f(x:\n', input: '1', output: '1' },
];
writeFileSync(data, problems.map((problem) => `${JSON.stringify(problem)}\n`).join(''));

const engine = ['--model', tinyModel, '--threads', '1', '--pages', '1024', '--max-steps', '8'];

async function run(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const out: string[] = [];
  const err: string[] = [];
  vi.spyOn(console, 'log').mockImplementation((text) => void out.push(String(text)));
  vi.spyOn(console, 'error').mockImplementation((text) => void err.push(String(text)));
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => err.push(String(text)) > 0);
  const code = await main(['eval', 'cruxeval', ...args]);
  vi.restoreAllMocks();
  return { code, out: out.join('\n'), err: err.join('\n') };
}

const lines = (file: string): Record<string, unknown>[] =>
  readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe('the output task', () => {
  it('asks every way, beside real runs, and writes its reports', async () => {
    const out = join(folder, 'output');
    const args = ['--task', 'output', '--mode', 'auto', '--truth', '--json', '--out', out];
    const { code, out: printed, err } = await run('--data', data, ...args, ...engine);
    expect(err).toBe('');
    expect(code).toBe(0);
    const report = JSON.parse(printed);
    expect(report).toMatchObject({
      n: 5,
      task: 'output',
      mode: 'auto',
      pass_at_1: expect.any(Number),
      left_out: 1,
      left_out_reasons: { invalid_python: 1 },
      baseline: { first_argument: 0.2, any_argument: 0.2, rule: 0.2 },
      truth: { n: 5, no_run: {}, output_disagrees: 1 },
    });
    const methods = ['walk', 'step_return', 'breakpoint', 'continue', 'auto', 'vote'];
    expect(Object.keys(report.methods)).toEqual(methods);
    for (const method of methods) expect(report.methods[method].n).toBe(5);
    expect(JSON.parse(readFileSync(join(out, 'report.json'), 'utf8'))).toEqual(report);
    expect(readFileSync(join(out, 'report.md'), 'utf8')).toContain('## Walks beside real runs');
    const results = lines(join(out, 'results.jsonl'));
    expect(results.map(({ id }) => id)).toEqual([
      'identity',
      'loop',
      'helper',
      'computed',
      'raises',
      'broken',
    ]);
    expect(results[1]).toMatchObject({
      right: expect.any(Boolean),
      steps: expect.any(Number),
      probability: expect.any(Number),
      truth: { length: 10, value: '6', raised: false },
    });
    expect(results[4]).toMatchObject({ truth: { raised: true } });
    expect(results[5]).toEqual({ id: 'broken', left_out: 'invalid_python' });
    const right = results.filter((result) => result.right === true).length;
    expect(report.pass_at_1).toBeCloseTo(right / 5, 12);
  });

  it('makes the jump it is told to, of the first problems', async () => {
    const args = ['--task', 'output', '--jump', 'breakpoint', '--limit', '2'];
    const { code, out } = await run('--data', data, ...args, ...engine);
    expect(code).toBe(0);
    expect(out).toMatch(/^# CruxEval form: output prediction, jump/);
    expect(out).toMatch(/by `breakpoint` on 2 problems; 0 left out/);
    expect(out).not.toMatch(/step_return|walk/);
  });
});

describe('the input task', () => {
  it.each(['jump', 'walk'])('by %s', async (mode) => {
    const out = join(folder, `input-${mode}`);
    const args = ['--task', 'input', '--mode', mode, '--candidates', '2', '--rerank', 'both', '--out', out];
    const { code, out: printed, err } = await run('--data', data, ...args, '--json', ...engine);
    expect(err).toBe('');
    expect(code).toBe(0);
    const report = JSON.parse(printed);
    expect(report).toMatchObject({
      n: 4,
      task: 'input',
      mode,
      candidates: 2,
      left_out: 2,
      left_out_reasons: { invalid_python: 1, own_input_is_wrong_here: 1 },
      // The identity, and a string that is upper case already.
      baseline: { output: 0.5 },
    });
    expect(Object.keys(report.methods)).toEqual(
      mode === 'walk' ? ['walk'] : ['inv_step_call', 'inv_continue'],
    );
    for (const method of Object.values(report.methods))
      expect(method).toMatchObject({
        n: 4,
        pass_at: { 1: expect.any(Number), 2: expect.any(Number) },
        reranked: { jump: { pass_at_1: expect.any(Number) }, walk: { pass_at_1: expect.any(Number) } },
      });
    expect(lines(join(out, 'results.jsonl'))).toHaveLength(6);
    expect(readFileSync(join(out, 'report.md'), 'utf8')).toContain('re-ranked by walk');
  });
});

describe('what cannot be done', () => {
  it.each<[string, string[], number, RegExp]>([
    ['no task', ['--data', data], 2, /--task/],
    ['an unknown task', ['--data', data, '--task', 'both'], 2, /output, input/],
    ['an input by auto', ['--data', data, '--task', 'input', '--mode', 'auto'], 2, /--mode auto/],
    ['too many candidates', ['--data', data, '--task', 'input', '--candidates', '99'], 2, /from 1 to 16/],
    ['no file', ['--data', join(folder, 'none'), '--task', 'output'], 1, /unreadable_file/],
  ])('%s', async (_name, args, code, message) => {
    const result = await run(...args, ...engine);
    expect(result.err).toMatch(message);
    expect(result).toMatchObject({ code, out: '' });
  });

  it('a line that is no problem', async () => {
    const file = join(folder, 'bad.jsonl');
    writeFileSync(file, `${JSON.stringify(problems[0])}\n{"id": 2}\n`);
    const result = await run('--data', file, '--task', 'output', '--json', ...engine);
    expect(result.code).toBe(1);
    expect(JSON.parse(result.err)).toMatchObject({ error: { code: 'unreadable_file', line: 2 } });
  });
});

describe('the Python side', () => {
  const problem = (code: string, input: string) => ({ id: 'x', code, input, output: '1', entry: 'f' });

  it('runs a program, or says why there is no run', async () => {
    const runs = realRuns({ python: interpreter(), maxEvents: 50, timeout: 60 });
    expect(await runs(problem('def f(x):\n    return -x\n', '-1'))).toEqual({
      events: [
        { event: 'call', line: 1, depth: 1, locals: { x: '-1' } },
        { event: 'line', line: 2, depth: 1, locals: { x: '-1' } },
        { event: 'return', line: 2, depth: 1, locals: { x: '-1' }, value: '1' },
      ],
    });
    expect(await runs(problem('def f(x):\n    return x\n', '1, 2'))).toEqual({ failed: 'not_traced' });
    expect(await runs(problem('def f(x):\n    while x:\n        x += 1\n', '1'))).toEqual({
      failed: 'event_limit',
    });
  });

  it('checks inputs in order, and fails loudly', async () => {
    const request = {
      id: 'x',
      code: 'def f(x):\n    return x\n',
      entry: 'f',
      output: '1',
      candidates: ['1', '2', 'True'],
    };
    const seen: string[] = [];
    const check = checkInputs(interpreter(), 60);
    const verdicts = await check([request, { ...request, candidates: [] }], (done, total) =>
      seen.push(`${done}/${total}`),
    );
    expect(verdicts).toEqual([[true, false, true], []]);
    expect(seen).toEqual(['1/2', '2/2']);
    expect(await check([])).toEqual([]);
    const bad = check([{ ...request, candidates: [1] as unknown as string[] }]);
    await expect(bad).rejects.toMatchObject({ code: 'internal' });
    await expect(checkInputs('/nowhere/python', 1)([request])).rejects.toThrow(/ENOENT/);
  });
});
