/** Weights that speak Code World Model's format, served: a directory as Hugging Face writes it, with random weights and a small vocabulary. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ModelShape } from '../../src/bench/model-shape.js';
import { writeRandomModel } from '../../src/bench/random-model.js';
import { ForetraceClient } from '../../src/client/client.js';
import { actionNumbers, type WireAnswer } from '../../src/wire/messages.js';
import { command, firstLine, jsonLines, start } from '../support/command.js';
import { cwmTokenizer, cwmTokens } from '../support/cwm-tokenizer.js';
import { call, programFolder, source } from '../support/debugged-program.js';

const { program } = programFolder();
const model = mkdtempSync(join(tmpdir(), 'foretrace-cwm-'));
const engine = ['--model', model, '--threads', '1', '--pages', '1024'];
const executable = new Set([2, 3, 4, 5]);

const size = { vocabSize: cwmTokens, hiddenSize: 32, layers: 4, heads: 4, kvHeads: 2, ffnSize: 64 };
const shape: ModelShape = {
  ...size,
  name: 'cwm',
  kind: 'llama',
  headSize: 8,
  maxContext: 4096,
  ropeTheta: 1e6,
  normEps: 1e-5,
  tied: false,
};

beforeAll(() => {
  writeRandomModel(shape, model);
  const path = join(model, 'config.json');
  const scaling = {
    factor: 16,
    low_freq_factor: 1,
    high_freq_factor: 4,
    original_max_position_embeddings: 64,
  };
  const change = {
    architectures: ['CwmForCausalLM'],
    model_type: 'cwm',
    rope_scaling: { rope_type: 'llama3', ...scaling },
    sliding_window: 64,
    layer_types: ['full_attention', ...new Array<string>(3).fill('sliding_attention')],
  };
  writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), ...change }));
  writeFileSync(join(model, 'tokenizer.json'), JSON.stringify(cwmTokenizer));
});
afterAll(() => rmSync(model, { recursive: true, force: true }));

/** All that the same question must always have the same. */
const bits = ({ state, probability, horizon }: WireAnswer) => ({ state, probability, horizon });

async function served<Result>(
  args: readonly string[],
  use: (client: ForetraceClient) => Promise<Result>,
): Promise<Result> {
  const service = start('serve', '--port', '0', '--json', ...engine, ...args);
  try {
    const { address } = JSON.parse(await firstLine(service)) as { address: string };
    const client = await ForetraceClient.connect(address);
    const result = await use(client);
    await client.close();
    return result;
  } finally {
    service.kill('SIGKILL');
  }
}

/** The first steps of a run, one question each. */
async function steps(client: ForetraceClient) {
  const { session } = await client.open({ source, call });
  const found: WireAnswer[] = [];
  const action = { kind: actionNumbers.step_into, lines: [] };
  for (let step = 0; step < 4 && found.at(-1)?.atEnd !== true; step += 1)
    found.push(await client.act({ session, action }));
  return found.map(bits);
}

describe('a model of the dialect cwm', () => {
  it('answers with states of the program, whatever its weights', async () => {
    const run = await command('debug', program, '--call', call, '--json', '--script', 's; s; s', ...engine);
    expect(run.err).toBe('');
    const states = jsonLines(run) as { event: string; line: number; origin: string; locals: object }[];
    expect(states.length).toBeGreaterThan(1);
    for (const { event, line, locals } of states.slice(1)) {
      expect(['line', 'return', 'exception']).toContain(event);
      expect(executable.has(line)).toBe(true);
      for (const name of Object.keys(locals)) expect(['numbers', 'found', 'number']).toContain(name);
    }
    expect(states[1]).toMatchObject({ origin: 'model' });
  });

  it('may be a Qwen2 with a vocabulary of its own, whose texts have no beginning, when it is said to speak it', async () => {
    const tuned = join(model, 'tuned');
    writeRandomModel({ ...shape, kind: 'qwen2' }, tuned);
    const added = cwmTokenizer.added_tokens.filter(({ content }) => content !== '<|begin_of_text|>');
    writeFileSync(join(tuned, 'tokenizer.json'), JSON.stringify({ ...cwmTokenizer, added_tokens: added }));
    const script = [
      'debug',
      program,
      '--call',
      call,
      '--json',
      '--script',
      's; s',
      '--model',
      tuned,
      '--pages',
      '1024',
    ];
    expect(await command(...script)).toMatchObject({
      code: 1,
      err: expect.stringContaining('invalid_model'),
    });
    const run = await command(...script, '--dialect', 'cwm');
    const states = jsonLines(run) as { line: number }[];
    expect(states.length).toBeGreaterThan(1);
    for (const { line } of states.slice(1)) expect(executable.has(line)).toBe(true);
  });

  it('has the same answers alone and in a crowd, cold and cached, drafted or not', async () => {
    const alone = await served(['--no-drafts'], steps);
    const crowd = await served([], async (client) => [
      ...(await Promise.all([steps(client), steps(client), steps(client)])),
      await steps(client),
    ]);
    for (const one of crowd) expect(one).toEqual(alone);
  });

  it('says what it is not asked', async () => {
    const backward = await command(
      'debug',
      program,
      '--call',
      call,
      '--script',
      's; p numbers + [1]',
      ...engine,
    );
    expect(backward).toMatchObject({ code: 1, out: expect.stringContaining('invalid_expression') });
    const stored = await command('serve', '--port', '0', '--store', join(model, 'store.db'), ...engine);
    expect(stored).toMatchObject({ code: 1, err: expect.stringContaining('--store') });
    const other = await command(
      'debug',
      program,
      '--call',
      call,
      '--script',
      's',
      '--dialect',
      'foretrace',
      ...engine,
    );
    expect(other).toMatchObject({ code: 1, err: expect.stringContaining('invalid_model') });
    const plain = await command('info', '--dialect', 'cwm');
    expect(plain).toMatchObject({ code: 1, err: expect.stringContaining('invalid_model') });
  });
});
