/**
 * 32 clients on 4 shared programs over real sockets, some of which vanish in the middle of a stream: the others get all their states,
 * the same question has the same answer for everybody, and no page is lost. With the fake engine and with the real one.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ForetraceClient } from '../../src/client/client.js';
import { ForetraceError } from '../../src/errors.js';
import { loadEngine } from '../../src/native/engine.js';
import { actionNumbers, modeNumbers, originNumbers, type WireAnswer } from '../../src/wire/messages.js';
import { root } from '../support/command.js';
import { codeOf, ServiceWorld, source, type WorldOptions } from '../support/service-world.js';

const programs = [
  { source, call: 'total([1, 2])' },
  { source, call: "total([3, 'x'])" },
  { source: 'def fact(n):\n    if n < 2:\n        return 1\n    return n * fact(n - 1)\n', call: 'fact(4)' },
  {
    source:
      'def first(text):\n    for c in text:\n        if c.isdigit():\n            return c\n    raise ValueError(text)\n',
    call: "first('ab1')",
  },
];
/** The untrained model of the tests and the models that ship. */
const shipped = existsSync(join(root, 'models'))
  ? readdirSync(join(root, 'models')).map((name) => `models/${name}`)
  : [];
const models = [
  'test/golden/model-tiny',
  ...shipped.filter((path) => existsSync(join(root, path, 'config.json'))),
];
const clients = 32;
const steps = 4;
const forward = [actionNumbers.step_into, actionNumbers.step_over, actionNumbers.step_return];

/** Every client's choices follow from its number alone. */
const choice = (client: number, step: number): number =>
  forward[(client * 7 + step * 3) % forward.length] as number;
const vanishes = (client: number): boolean => client % 4 === 3;

/** One prediction a step, so that what others have asked has no say in it. */
const mode = modeNumbers.jump;

/** Walks `steps` states; at an end it goes on from the start. Returns the answers. */
async function walk(client: ForetraceClient, index: number): Promise<WireAnswer[]> {
  const { session } = await client.open(programs[index % programs.length] as (typeof programs)[0]);
  const answers: WireAnswer[] = [];
  let from = 1;
  for (let step = 0; step < steps; step += 1) {
    let parts = 0;
    const action = { kind: choice(index, step), lines: [] };
    const answer = await client.act(
      { session, from, action, mode },
      {
        onPart: () => {
          parts += 1;
        },
      },
    );
    // A stored answer comes whole.
    if (answer.origin === originNumbers.model) expect(parts).toBeGreaterThanOrEqual(2);
    answers.push(answer);
    from = answer.atEnd ? 1 : answer.number;
  }
  expect((await client.describe(session)).states).toHaveLength(steps + 1);
  return answers;
}

/** Drops the connection as soon as the first part of the second step arrives. */
async function walkAndVanish(client: ForetraceClient, index: number): Promise<void> {
  const { session } = await client.open(programs[index % programs.length] as (typeof programs)[0]);
  await client.act({ session, from: 1, action: { kind: choice(index, 0), lines: [] } });
  const action = { kind: actionNumbers.continue, lines: [] };
  const code = await codeOf(
    client.act({ session, from: 1, action, mode, fresh: true }, { onPart: () => client.terminate() }),
  );
  expect(code).toBe('disconnected');
}

async function manyClients(options: WorldOptions): Promise<void> {
  const world = await ServiceWorld.start({ limits: { maxSessions: 64 }, ...options });
  const connected = await Promise.all(Array.from({ length: clients }, () => world.connect()));
  const outcomes = await Promise.allSettled(
    connected.map((client, index) =>
      vanishes(index) ? walkAndVanish(client, index).then(() => []) : walk(client, index),
    ),
  );
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  const answers = outcomes.map((outcome) => (outcome as PromiseFulfilledResult<WireAnswer[]>).value);
  expect(answers.flat()).toHaveLength(steps * (clients - clients / 4));
  await world.assertNothingLeaked();

  // Alone, with everything cold: the same states and probabilities.
  world.engine.clearCache();
  const alone = await world.connect();
  for (const index of [0, 1, 2, 4, 5, 6]) {
    const again = await walkFresh(alone, index);
    expect(again.map(({ state, probability }) => ({ state, probability }))).toEqual(
      answers[index]?.map(({ state, probability }) => ({ state, probability })),
    );
  }
  await world.assertNothingLeaked();
  expect(world.scheduler.stats().endings.failed).toBe(0);
  await world.stop();
}

async function walkFresh(client: ForetraceClient, index: number): Promise<WireAnswer[]> {
  const { session } = await client.open(programs[index % programs.length] as (typeof programs)[0]);
  const answers: WireAnswer[] = [];
  let from = 1;
  for (let step = 0; step < steps; step += 1) {
    const answer = await client.act({
      session,
      from,
      action: { kind: choice(index, step), lines: [] },
      mode,
      fresh: true,
    });
    answers.push(answer);
    from = answer.atEnd ? 1 : answer.number;
  }
  return answers;
}

describe('32 clients on 4 programs, 8 of which vanish', () => {
  it('with the fake engine', () => manyClients({}));

  it('with the fake engine and hardly any memory', () =>
    manyClients({ fake: { pages: 160, pageTokens: 16, maxContext: 2048 } }));

  it.each(
    models.flatMap(
      (model) =>
        [
          [model, 'much', 4096],
          [model, 'hardly any', 160],
        ] as const,
    ),
  )('with the real engine, the model %s and %s memory', async (model, _name, pages) => {
    const engine = await loadEngine({ modelDir: join(root, model), threads: 2, pages });
    await manyClients({ engine, maxAnswerTokens: 160 });
    await engine.dispose();
    expect(await codeOf(Promise.resolve().then(() => engine.checkInvariants()))).toBe('engine_closed');
  });

  it('a pool too small for one question is an error, not a hang', async () => {
    const world = await ServiceWorld.start({ fake: { pages: 8, pageTokens: 16, maxContext: 2048 } });
    const client = await world.connect();
    const { session } = await client.open(programs[0] as (typeof programs)[0]);
    const asked = client.act({ session, action: { kind: actionNumbers.step_into, lines: [] } });
    await expect(asked).rejects.toThrow(ForetraceError);
    expect(await codeOf(asked)).toBe('out_of_pages');
    expect((await client.edit({ session, locals: { numbers: '[]' } })).number).toBe(2);
    await world.assertNothingLeaked();
    await world.stop();
  });
});
