/** Raw token turns over real sockets: exactness against a plain generation, contexts, bounds, errors, and nothing left behind. */
import { afterEach, describe, expect, it } from 'vitest';
import { ForetraceClient } from '../../src/client/client.js';
import { loadEngine } from '../../src/native/engine.js';
import {
  greedyGeneration,
  openTiny,
  startGeneration,
  tinyOptions,
  wholeStep,
} from '../native/tiny-engine.js';
import { BrokenNetwork } from '../support/broken-network.js';
import {
  call,
  codeOf,
  Gate,
  ServiceWorld,
  source,
  until,
  type WorldOptions,
} from '../support/service-world.js';

let world: ServiceWorld;
let client: ForetraceClient;
const gate = new Gate();

afterEach(async () => {
  gate.open();
  await world.assertNothingLeaked();
  await world.stop();
  await world.engine.dispose();
});

async function start(options: WorldOptions = {}): Promise<void> {
  world = await ServiceWorld.start({ raw: true, ...options });
  client = await world.connect();
}

async function post(path: string, body: object): Promise<Record<string, unknown>> {
  const response = await fetch(`${world.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, ...((await response.json()) as object) };
}

const prompt = (length: number, salt = 0): number[] =>
  Array.from({ length }, (_, index) => (index * 31 + salt * 17 + 5) % 97);

/** What the engine alone generates after `tokens`. */
async function plainly(tokens: readonly number[], count: number): Promise<number[]> {
  const tiny = await openTiny({ modelDir: options.modelDir });
  const sequence = startGeneration(tiny, tokens, { ...greedyGeneration, maxNewTokens: count });
  tiny.engine.stepSync(wholeStep);
  const generated = [...tiny.engine.tokens(sequence)].slice(tokens.length);
  await tiny.engine.dispose();
  return generated;
}

const options = tinyOptions();

describe('a raw turn', () => {
  it('generates what the engine alone generates, alone and beside others, after a shared context or not', async () => {
    await start({ engine: await loadEngine(options) });
    const context = prompt(40);
    await client.rawOpen({ context: 'shared', tokens: context });
    const tails = Array.from({ length: 8 }, (_, index) => prompt(1 + index, index + 1));
    const answers = await Promise.all(
      tails.map((tokens) => client.rawTurn({ context: 'shared', tokens, generate: 12 })),
    );
    for (const [index, tail] of tails.entries()) {
      const alone = await plainly([...context, ...tail], 12);
      expect(alone).toHaveLength(12);
      expect(answers[index]?.tokens).toEqual(alone);
    }
    expect(new Set(answers.map(({ tokens }) => tokens.join())).size).toBeGreaterThan(1);
    // Again, with everything in the prefix cache: the whole context is reused.
    const again = await client.rawTurn({ context: 'shared', tokens: tails[0] ?? [], generate: 12 });
    expect(again.tokens).toEqual(answers[0]?.tokens);
    expect(again.counts.cached).toBeGreaterThanOrEqual(40);
  });

  it('streams its tokens in order', async () => {
    await start();
    await client.rawOpen({ context: 'a', tokens: prompt(20) });
    const seen: number[] = [];
    const answer = await client.rawTurn(
      { context: 'a', generate: 30 },
      { onTokens: (tokens) => void seen.push(...tokens) },
    );
    expect(answer.tokens).toHaveLength(30);
    expect(seen).toEqual(answer.tokens);
    expect(answer.length).toBe(20);
    expect(answer.counts).toMatchObject({ cached: 0, new: 50, forced: 0 });
  });

  it('that is kept makes the context longer, and another one goes on from there', async () => {
    await start();
    await client.rawOpen({ context: 'a', tokens: prompt(20) });
    const first = await client.rawTurn({ context: 'a', tokens: [1, 2], generate: 5, keep: true });
    expect(first.length).toBe(27);
    const second = await client.rawTurn({ context: 'a', tokens: [3], generate: 4 });
    expect(second.length).toBe(27);
    await client.rawOpen({ context: 'b', tokens: [...prompt(20), 1, 2, ...first.tokens, 3] });
    expect((await client.rawTurn({ context: 'b', generate: 4 })).tokens).toEqual(second.tokens);
    await client.rawOpen({ context: 'c', from: 'a', tokens: [3] });
    expect((await client.rawTurn({ context: 'c', generate: 4 })).tokens).toEqual(second.tokens);
  });

  it('is cancelled like any request, and then leaves its context as it was', async () => {
    await start({ fake: { pause: gate.pass } });
    await client.rawOpen({ context: 'a', tokens: prompt(20) });
    gate.close();
    const controller = new AbortController();
    const asked = codeOf(
      client.rawTurn({ context: 'a', generate: 50, keep: true }, { signal: controller.signal }),
    );
    await until(() => gate.held > 0);
    expect(await codeOf(client.rawTurn({ context: 'a', generate: 1, keep: true }))).toBe('busy');
    controller.abort();
    gate.open();
    expect(await asked).toBe('cancelled');
    expect((await client.rawTurn({ context: 'a', generate: 1, keep: true })).length).toBe(21);
  });

  it('is sent again after a lost connection, but not one that makes its context longer', async () => {
    await start();
    const network = await BrokenNetwork.start(Number(new URL(world.url).port));
    const reconnect = { firstMillis: 1, mostMillis: 8, attempts: 200 };
    const roaming = await ForetraceClient.connect(network.url, { reconnect });
    await roaming.rawOpen({ context: 'a', tokens: prompt(20) });
    const length = async (): Promise<number> => (await client.rawTurn({ context: 'a', generate: 1 })).length;
    const lost = async (asked: Promise<unknown>, after: number): Promise<string> => {
      const code = codeOf(asked);
      while ((await length()) !== after) await new Promise((resolve) => setTimeout(resolve, 1));
      network.cut();
      return code;
    };
    network.mute();
    expect(await lost(roaming.rawTurn({ context: 'a', generate: 8, keep: true }), 28)).toBe('disconnected');
    await roaming.rawTurn({ context: 'a', generate: 1 });
    network.mute();
    expect(await lost(roaming.rawOpen({ context: 'a', from: 'a', tokens: [1, 2] }), 30)).toBe('disconnected');
    network.mute();
    const repeated = roaming.rawTurn({ context: 'a', generate: 8 });
    await until(() => world.server.service.runningCalls === 0);
    network.cut();
    expect((await repeated).tokens).toHaveLength(8);
    expect(await length()).toBe(30);
    roaming.terminate();
    await network.close();
  });

  it('works over HTTP', async () => {
    await start();
    expect(await post('/v1/raw', { context: 'web', tokens: prompt(9) })).toEqual({
      status: 200,
      context: 'web',
      length: 9,
    });
    const turned = await post('/v1/raw/turn', { context: 'web', tokens: [4], generate: 3 });
    expect(turned).toMatchObject({ status: 200, context: 'web', length: 9 });
    const socketTurn = await client.rawTurn({ context: 'web', tokens: [4], generate: 3 });
    expect(turned.tokens).toEqual(socketTurn.tokens);
    expect(await post('/v1/raw/turn', { context: 'nobody', generate: 3 })).toMatchObject({
      status: 404,
      error: { code: 'unknown_session' },
    });
  });
});

describe('the raw door', () => {
  it('is shut unless the service was told to open it', async () => {
    await start({ raw: false });
    expect(await codeOf(client.rawOpen({ context: 'a', tokens: [1] }))).toBe('unknown_path');
    expect(await codeOf(client.rawTurn({ context: 'a', generate: 1 }))).toBe('unknown_path');
    expect(await post('/v1/raw', { context: 'a', tokens: [1] })).toMatchObject({
      status: 404,
      error: { code: 'unknown_path' },
    });
  });

  it('refuses what is out of bounds, and says why', async () => {
    await start({ limits: { maxRawGenerate: 32 } });
    const { vocabSize, maxContext } = world.engine.info;
    const open = (body: object): Promise<string> => codeOf(client.rawOpen(body));
    expect(await open({ context: '', tokens: [1] })).toBe('invalid_message');
    expect(await open({ context: 'x'.repeat(257), tokens: [1] })).toBe('invalid_message');
    expect(await open({ context: 'a', tokens: [vocabSize] })).toBe('invalid_message');
    expect(await open({ context: 'a', tokens: [] })).toBe('context_too_long');
    expect(await open({ context: 'a', tokens: prompt(maxContext + 1) })).toBe('context_too_long');
    expect(await open({ context: 'a', from: 'nobody', tokens: [1] })).toBe('unknown_session');
    await client.rawOpen({ context: 'a', tokens: prompt(maxContext - 8) });
    const turn = (body: object): Promise<string> => codeOf(client.rawTurn({ context: 'a', ...body }));
    expect(await turn({ generate: 0 })).toBe('invalid_message');
    expect(await turn({ generate: 33 })).toBe('invalid_message');
    expect(await turn({ generate: 9 })).toBe('context_too_long');
    expect(await turn({ generate: 4, tokens: [vocabSize] })).toBe('invalid_message');
    expect(await turn({ generate: 4, priority: 7 })).toBe('invalid_message');
    expect(await turn({ context: 'nobody', generate: 4 })).toBe('unknown_session');
    expect((await client.rawTurn({ context: 'a', generate: 8 })).tokens).toHaveLength(8);
  });

  it('forgets the contexts that were used least recently', async () => {
    await start({ limits: { maxRawTokens: 100 } });
    for (const context of ['a', 'b']) await client.rawOpen({ context, tokens: prompt(40) });
    await client.rawTurn({ context: 'a', generate: 1 });
    await client.rawOpen({ context: 'c', tokens: prompt(40) });
    expect(await codeOf(client.rawTurn({ context: 'b', generate: 1 }))).toBe('unknown_session');
    expect((await client.rawTurn({ context: 'a', generate: 1 })).tokens).toHaveLength(1);
  });

  it('shows one key nothing of another', async () => {
    world = await ServiceWorld.start({ raw: true, apiKeys: ['first', 'second'] });
    const first = await world.connect('first');
    const second = await world.connect('second');
    await first.rawOpen({ context: 'mine', tokens: prompt(10) });
    expect(await codeOf(second.rawTurn({ context: 'mine', generate: 1 }))).toBe('unknown_session');
    expect((await first.rawTurn({ context: 'mine', generate: 1 })).tokens).toHaveLength(1);
  });

  it('lets in a model of another vocabulary, whose sessions are refused', async () => {
    await start({ fake: { vocabSize: 97 } });
    expect(await codeOf(client.open({ source, call }))).toBe('invalid_model');
    await client.rawOpen({ context: 'a', tokens: prompt(10) });
    expect((await client.rawTurn({ context: 'a', generate: 2 })).tokens).toHaveLength(2);
  });
});
