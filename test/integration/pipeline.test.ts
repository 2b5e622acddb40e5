/** Everything from functions to a judged model, each by its documented command, at toy size: that the parts fit, not that the model is good. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findPython } from '../../scripts/tools.mjs';
import { command, root } from '../support/command.js';

const python = findPython('torch');
const folder = mkdtempSync(join(tmpdir(), 'foretrace-pipeline-'));
const file = (name: string): string => join(folder, name);

function foretrace(...args: string[]): string {
  const done = spawnSync(python as string, ['-W', 'ignore', '-m', 'foretrace', ...args], {
    cwd: `${root}python`,
    encoding: 'utf8',
    env: { ...process.env, PYTHONHASHSEED: '0' },
  });
  if (done.status !== 0) throw new Error(`foretrace ${args.join(' ')}: ${done.stdout}${done.stderr}`);
  return done.stdout;
}

const linesOf = (name: string): unknown[] =>
  readFileSync(file(name), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

/** A collection of small functions with doctests; files fall on either side by their names. */
function writeCollection(): string {
  const collection = file('collection');
  mkdirSync(collection);
  writeFileSync(join(collection, 'LICENSE'), 'MIT License\n\nPermission is hereby granted, free of charge\n');
  for (let index = 0; index < 40; index += 1) {
    const source = [
      `def scale_${index}(values, factor=${index + 2}):`,
      `    """>>> scale_${index}([1, 2, ${index}])`,
      `    [${index + 2}]`,
      '    """',
      '    total = []',
      '    for value in values:',
      `        if value % ${index + 2} ${index % 2 ? '==' : '!='} ${index % 3}:`,
      `            total.append(value ${['*', '+', '-', '//'][index % 4]} factor)`,
      `    return total${'[::-1]'.repeat(index % 3)}`,
      '',
    ];
    writeFileSync(join(collection, `module_${index}.py`), source.join('\n'));
  }
  return collection;
}

describe.skipIf(python === null)('from functions to a judged model', () => {
  beforeAll(() => {
    const functions = ['--name', 'toy/collection', '--out', file('functions.jsonl'), '--workers', '1'];
    foretrace('corpus', 'functions', writeCollection(), ...functions);
    foretrace(
      ...['recipe', 'h200', '--scale', 'tiny', '--run', '3', '--minutes', '1', '--tokens', '6000'],
      ...['--functions', file('functions.jsonl'), '--work', file('work'), '--out', file('model')],
    );
  }, 120_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('splits functions by file', () => {
    const sides = new Set(linesOf('functions.jsonl').map((line) => (line as { split: string }).split));
    expect([...sides].sort()).toEqual(['held', 'train']);
  });

  it('trains and exports a model that the engine loads', async () => {
    const { code, out, err } = await command('info', '--model', file('model'), '--json');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(JSON.parse(out)).toMatchObject({ engine: { vocabSize: 1025 } });
  });

  it('judges it on single steps of generated programs and of held-out functions', async () => {
    foretrace('corpus', 'eval', '--programs', '4', '--out', file('generated.jsonl'));
    const real = ['--functions', file('functions.jsonl'), '--programs', '1', '--out', file('real.jsonl')];
    foretrace('corpus', 'eval', ...real);
    for (const data of ['generated.jsonl', 'real.jsonl']) {
      const judged = [
        '--model',
        file('model'),
        '--data',
        file(data),
        '--out',
        file(`${data}-report`),
        '--json',
      ];
      const { code, out, err } = await command('eval', 'steps', ...judged);
      expect({ code, err }).toMatchObject({ code: 0 });
      const report = JSON.parse(out) as { n: number };
      expect(report.n).toBeGreaterThan(2);
      expect(readFileSync(join(file(`${data}-report`), 'horizon.svg'), 'utf8')).toContain('<svg');
    }
  }, 120_000);

  it('judges it on outputs and inputs of whole runs', async () => {
    foretrace('corpus', 'calls', '--programs', '2', '--out', file('calls.jsonl'));
    const problems = ['--model', file('model'), '--data', file('calls.jsonl'), '--max-steps', '8', '--json'];
    const output = await command('eval', 'cruxeval', ...problems, '--task', 'output', '--mode', 'walk');
    expect(JSON.parse(output.out)).toMatchObject({ n: 2, task: 'output', mode: 'walk' });
    const inputs = ['--task', 'input', '--mode', 'jump', '--candidates', '2', '--rerank', 'none'];
    const input = await command('eval', 'cruxeval', ...problems, ...inputs);
    expect(JSON.parse(input.out)).toMatchObject({ task: 'input', mode: 'jump' });
  }, 120_000);
});
