/** The command line as a user has it: child processes, exit codes, machine-readable output. The model is tiny and untrained. */
import { spawn } from 'node:child_process';
import { closeSync, cpSync, openSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ForetraceClient } from '../../src/client/client.js';
import { actionNumbers } from '../../src/wire/messages.js';
import {
  command,
  firstLine,
  jsonLines,
  outcome,
  root,
  start,
  startWith,
  tinyModel,
} from '../support/command.js';
import { call, engine, programFolder, source } from '../support/debugged-program.js';

const { folder, program } = programFolder();

function changeConfig(directory: string, change: object): void {
  const file = join(directory, 'config.json');
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), ...change }));
}

describe('errors', () => {
  it.each<[string, string[], number, RegExp]>([
    ['an unknown command', ['fly'], 2, /unknown command/],
    ['a missing option', ['debug', 'x.py'], 2, /--call/],
    ['a missing option of a sub-command', ['eval', 'steps'], 2, /--data/],
    ['a wrong number', ['serve', '--port', 'x'], 2, /whole number/],
    ['an empty key', ['serve', '--api-key', ' ', ...engine], 1, /invalid_argument/],
    ['an empty number', ['serve', '--port', ''], 2, /whole number/],
    ['a number that is none for people', ['serve', '--threads', '1e0'], 2, /whole number/],
    ['an option for a key', ['serve', '--api-key', '--host', '::', ...engine], 1, /invalid_argument/],
    ['a wrong choice', ['info', '--device', 'abacus'], 2, /auto, cpu, cuda/],
    ['a file that is not there', ['debug', '/nowhere.py', '--call', 'f()'], 1, /unreadable_file/],
    ['cases that are not there', ['eval', 'steps', '--data', '/nowhere'], 1, /unreadable_file/],
    ['a model that is not there', ['info', '--model', '/nowhere'], 1, /model_not_found/],
    ['an entry that is no call', ['debug', program, '--call', '1', ...engine], 1, /invalid_entry/],
    [
      'a service that is not there',
      ['debug', program, '--call', call, '--connect', 'ws://127.0.0.1:9/v1/socket'],
      1,
      /disconnected/,
    ],
  ])('%s', async (_name, args, code, message) => {
    const run = await command(...args);
    expect(run.err).toMatch(message);
    expect(run.out).toBe('');
    expect(run.code).toBe(code);
  });

  it.each<[string, (directory: string) => void]>([
    ['truncated weights', (directory) => truncateSync(join(directory, 'model.safetensors'), 5000)],
    ['no weights', (directory) => rmSync(join(directory, 'model.safetensors'))],
    [
      'weights that are none',
      (directory) => writeFileSync(join(directory, 'model.safetensors'), 'x'.repeat(100)),
    ],
    [
      'a broken configuration',
      (directory) => writeFileSync(join(directory, 'config.json'), '{"architectures"'),
    ],
    [
      'another architecture',
      (directory) => changeConfig(directory, { architectures: ['MambaForCausalLM'], model_type: 'mamba' }),
    ],
    [
      'another version of the language',
      (directory) => changeConfig(directory, { foretrace: { language_version: 1 } }),
    ],
    ['sizes that do not fit the weights', (directory) => changeConfig(directory, { hidden_size: 128 })],
    ['a wild size', (directory) => changeConfig(directory, { num_hidden_layers: -1 })],
  ])('a model with %s', async (_name, spoil) => {
    const directory = join(folder, 'model');
    cpSync(tinyModel, directory, { recursive: true });
    spoil(directory);
    const run = await command('info', '--model', directory, '--json');
    rmSync(directory, { recursive: true });
    expect(run.code).toBe(1);
    expect(JSON.parse(run.err)).toMatchObject({
      error: {
        code: expect.stringMatching(/^(invalid_model|model_not_found)$/),
        expected: expect.any(String),
      },
    });
  });

  it('are one JSON object with --json', async () => {
    const run = await command('info', '--model', '/nowhere', '--json');
    expect(run.code).toBe(1);
    expect(JSON.parse(run.err)).toMatchObject({ error: { code: 'model_not_found' } });
  });

  it.each([
    ['FORETRACE_PYTHON', '/nowhere/python', ['trace', program, '--call', call], 'missing_tool'],
    ['FORETRACE_PYTHON', '/bin/false', ['trace', program, '--call', call], 'missing_tool'],
    ['FORETRACE_ADDON', '/nowhere/foretrace.node', ['info', ...engine], 'unreadable_file'],
    ['FORETRACE_ADDON', program, ['info', ...engine], 'unreadable_file'],
  ])('name the variable that is wrong: %s=%s', async (variable, value, args, code) => {
    const run = await outcome(startWith({ [variable]: value }, ...args));
    expect([run.code, run.out]).toEqual([1, '']);
    expect(run.err).toContain(`foretrace: ${code}: what ${variable} names`);
    expect(run.err).toContain(value);
    expect(run.err).not.toContain('    at ');
  });

  it('an output that takes nothing is told in one line', async () => {
    const full = openSync('/dev/full', 'w');
    const child = spawn(process.execPath, [`${root}bin/foretrace.js`, 'info', ...engine], {
      stdio: ['ignore', full, 'pipe'],
    });
    closeSync(full);
    const { code, err } = await outcome(child, null);
    expect(code).toBe(1);
    expect(err).toMatch(/^foretrace: .*standard output cannot be written: .*ENOSPC.*\n$/);
  });

  it('help and version end with 0', async () => {
    for (const args of [['--help'], ['--version'], ['debug', '--help'], ['eval', 'steps', '--help']]) {
      const run = await command(...args);
      expect([run.code, run.err]).toEqual([0, '']);
    }
  });
});

it('info names model, device, instruction set, pool and versions', async () => {
  const run = await command('info', ...engine, '--json');
  expect(run.code).toBe(0);
  expect(JSON.parse(run.out)).toMatchObject({
    foretrace: expect.any(String),
    node: process.versions.node,
    engine: {
      architecture: 'LlamaForCausalLM',
      device: 'cpu',
      threads: 1,
      pages: 1024,
      dtype: 'bf16',
      modelDigest: expect.any(String),
    },
    pool: { totalPages: 1024, freePages: 1024 },
    memory: {
      weight_files: expect.any(Number),
      packed_weights: expect.any(Number),
      kv_pool: expect.any(Number),
    },
  });
});

it('trace prints the real run', async () => {
  const run = await command('trace', program, '--call', call, '--json');
  expect(run.code).toBe(0);
  const events = jsonLines(run);
  expect(events[0]).toEqual({ event: 'call', line: 1, depth: 1, locals: { numbers: '[1, 2]' } });
  expect(events.at(-1)).toMatchObject({ event: 'return', line: 5, value: '3' });
});

describe('errors of a real run', () => {
  it.each<[string, string[], object]>([
    ['a call that is none', ['--call', 'total('], { code: 'invalid_entry', line: 1, actual: 'total(' }],
    ['a call that looks like an option', ['--call', '-x'], { code: 'invalid_entry', actual: '-x' }],
    ['a call that raises', ['--call', 'absent()'], { code: 'entry_failed', expected: 'no exception' }],
    ['a limit', ['--call', call, '--max-events', '2'], { code: 'event_limit' }],
  ])('%s', async (_name, args, error) => {
    const run = await command('trace', program, ...args, '--json');
    expect(run.code).toBe(1);
    const found = (JSON.parse(run.err) as { error: object }).error;
    expect(found).toMatchObject({ ...error, message: expect.any(String) });
    expect(Object.values(found)).not.toContain(null);
    const shown = await command('trace', program, ...args);
    expect(shown.err).toMatch(/^foretrace: [a-z_]+: .*\n( {2}(expected|actual): .*\n)+$/);
  });

  it.each(['--timeout', '--max-events'])('%s that the tracer does not take', async (option) => {
    const run = await command('trace', program, '--call', call, option, '9007199254740991');
    expect([run.code, run.out]).toEqual([2, '']);
    expect(run.err).toContain('expected a whole number from 1 to 999999999');
  });
});

it('eval steps measures three small cases', async () => {
  const at = (event: string, line: number, locals: Record<string, string>, value?: string) => ({
    event,
    line,
    locals,
    ...(value ? { value } : {}),
  });
  const cases = [
    {
      id: 'a',
      source,
      call: 'total([1])',
      actions: [{ action: 'step_into' }, { action: 'breakpoint', lines: [4] }, { action: 'continue' }],
      states: [
        at('call', 1, { numbers: '[1]' }),
        at('line', 2, { numbers: '[1]' }),
        at('line', 4, { numbers: '[1]', found: '0', number: '1' }),
        at('return', 5, { numbers: '[1]', found: '1', number: '1' }, '1'),
      ],
    },
    {
      id: 'b',
      source,
      call: 'total([])',
      actions: [{ action: 'inv_step_into' }],
      states: [at('line', 2, { numbers: '[]' }), at('call', 1, { numbers: '[]' })],
    },
    {
      id: 'c',
      source,
      call: 'total([])',
      actions: [{ action: 'step_into' }],
      states: [at('line', 2, {}), at('line', 3, {})],
    },
  ];
  const data = join(folder, 'cases.jsonl');
  writeFileSync(data, `${cases.map((item) => JSON.stringify(item)).join('\n')}\n`);
  const run = await command('eval', 'steps', '--data', data, ...engine, '--json');
  expect([run.code, run.err]).toEqual([0, '']);
  const report = JSON.parse(run.out);
  expect(report).toMatchObject({ n: 4, left_out: 1, cases: 2, programs: 1, horizon: expect.any(Array) });
  expect(Object.keys(report.actions)).toEqual(['step_into', 'breakpoint', 'continue', 'inv_step_into']);
  for (const summary of Object.values(report.actions)) {
    expect(summary).toMatchObject({
      n: 1,
      exact: expect.any(Number),
      event: expect.any(Number),
      line: expect.any(Number),
      locals: expect.any(Number),
    });
  }
  // The rule knows the next line and that nothing changes.
  expect(report.baseline.actions).toMatchObject({
    step_into: { exact: 1 },
    inv_step_into: { exact: 1 },
    continue: { exact: 0, line: 1 },
  });
  writeFileSync(data, '{"id": 1}\n');
  const broken = await command('eval', 'steps', '--data', data, ...engine);
  expect(broken.code).toBe(1);
  expect(broken.err).toContain('line 1 has no source');
});

describe('serve', () => {
  const serve = () => start('serve', ...engine, '--port', '0', '--json');

  it('says its address, answers, and drains on SIGTERM', async () => {
    const child = serve();
    const address = (JSON.parse(await firstLine(child)) as { address: string }).address;
    const ended = outcome(child);
    const client = await ForetraceClient.connect(`${address.replace('http', 'ws')}/v1/socket`);
    const { session } = await client.open({ source, call });
    const asked = Array.from({ length: 8 }, (_, index) =>
      client.act({
        session,
        from: 1,
        action: { kind: actionNumbers.step_into + (index % 3), lines: [] },
        fresh: true,
      }),
    );
    await client.describe(session);
    child.kill('SIGTERM');
    const answers = await Promise.all(asked);
    expect(answers.map(({ parent }) => parent)).toEqual(Array(8).fill(1));
    const { code, err } = await ended;
    expect([code, err]).toEqual([0, '']);
    await expect(client.describe(session)).rejects.toMatchObject({ code: 'disconnected' });
  });

  it('ends on SIGINT too, also during a request', async () => {
    const child = serve();
    const address = (JSON.parse(await firstLine(child)) as { address: string }).address;
    const ended = outcome(child);
    const client = await ForetraceClient.connect(`${address.replace('http', 'ws')}/v1/socket`);
    const { session } = await client.open({ source, call });
    const asked = client.act({ session, action: { kind: actionNumbers.step_over, lines: [] } });
    await client.describe(session);
    child.kill('SIGINT');
    expect((await asked).number).toBe(2);
    expect((await ended).code).toBe(0);
  });

  it('says in words where it listens, and that a port is taken', async () => {
    const child = start('serve', ...engine, '--port', '0');
    const line = await firstLine(child);
    const port = /^foretrace listens on http:\/\/127\.0\.0\.1:(\d+) \(/.exec(line)?.[1];
    if (port === undefined) throw new Error(line);
    const ended = outcome(child);
    const second = await command('serve', ...engine, '--port', port);
    expect(second.code).toBe(1);
    expect(second.err).toContain('unusable_address');
    const viaService = await command(
      'debug',
      program,
      '--call',
      call,
      '--connect',
      `ws://127.0.0.1:${port}/v1/socket`,
      '--script',
      's; fork; s',
      '--json',
    );
    expect(jsonLines(viaService)).toHaveLength(3);
    const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    expect(metrics).toMatch(/^foretrace_sessions 0$/m);
    child.kill('SIGTERM');
    expect((await ended).code).toBe(0);
  });
});
