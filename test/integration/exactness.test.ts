/**
 * One question, one answer: stored, derived, forked, sent again after a lost connection, resumed after a preemption, in a crowd or computed cold, it is
 * the same state with the same probabilities, bit for bit. With the real engine, the untrained model of the tests and the model that ships.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { ForetraceClient } from '../../src/client/client.js';
import { type ActionKind, actionKinds, takesLines } from '../../src/debugger/action.js';
import { loadEngine } from '../../src/native/engine.js';
import {
  actionNumbers,
  type ClientBodies,
  eventNumbers,
  modeNumbers,
  originNumbers,
  priorityNumbers,
  type WireAnswer,
} from '../../src/wire/messages.js';
import { BrokenNetwork } from '../support/broken-network.js';
import { root } from '../support/command.js';
import { call, ServiceWorld, source, until, type WorldOptions } from '../support/service-world.js';

const shipped = readdirSync(join(root, 'models')).map((name) => `models/${name}`);
const models = ['test/golden/model-tiny', ...shipped].filter((path) =>
  existsSync(join(root, path, 'config.json')),
);

const local = (name: string, value: string) => ({ name, value });
/** In the second call of `double`, in the middle of the loop: all actions are possible, on the line and behind it. */
const starts = [
  {
    event: eventNumbers.line,
    frames: [
      {
        line: 9,
        locals: [local('numbers', '[1, 2]'), local('found', '2'), local('number', '2')],
        its: [1],
        gots: [],
      },
      { line: 3, locals: [local('n', '2'), local('result', '4')], its: [], gots: [] },
    ],
    hiddenFrames: 0,
  },
  {
    event: eventNumbers.line,
    frames: [
      {
        line: 9,
        locals: [local('numbers', '[1, 2]'), local('found', '0'), local('number', '1')],
        its: [0],
        gots: [],
      },
    ],
    hiddenFrames: 0,
  },
];
const wireAction = (kind: ActionKind) => ({
  kind: actionNumbers[kind],
  lines: takesLines(kind) ? [3, 8] : [],
});

/** All that an answer says, but for where it came from, what it cost and what number it has. */
const bits = ({ state, probability, atStart, atEnd }: WireAnswer) => ({ state, probability, atStart, atEnd });

let world: ServiceWorld;
let isOpen = false;
async function begin(model: string, options: WorldOptions = {}): Promise<ForetraceClient> {
  const engine = await loadEngine({ modelDir: join(root, model), threads: 2, pages: 2048 });
  world = await ServiceWorld.start({ engine, maxAnswerTokens: 128, ...options });
  isOpen = true;
  return world.connect();
}
afterEach(async () => {
  if (!isOpen) return;
  isOpen = false;
  await world.assertNothingLeaked();
  await world.stop();
  await world.engine.dispose();
});

type Asked = Pick<ClientBodies['act'], 'session' | 'from'> & Partial<ClientBodies['act']>;

/** The answers to all actions, one after another. */
async function askAll(client: ForetraceClient, asked: Asked): Promise<object[]> {
  const answers = [];
  for (const kind of actionKinds)
    answers.push(bits(await client.act({ ...asked, action: wireAction(kind) })));
  return answers;
}

describe.each(models)('with %s', (model) => {
  it.each([0, 1])('an answer to start %i is the same wherever it comes from', async (index) => {
    const client = await begin(model);
    const body = { source, call, start: starts[index] ?? null };
    const { session } = await client.open(body);
    const cold: object[] = [];
    for (const kind of actionKinds) {
      world.engine.clearCache();
      const answer = await client.act({ session, from: 1, action: wireAction(kind), fresh: true });
      expect(answer.origin).toBe(originNumbers.model);
      cold.push(bits(answer));
    }
    const asked = { session, from: 1 };
    expect(await askAll(client, { ...asked, fresh: true }), 'pages of the prefix cached').toEqual(cold);
    const stored = await client.act({ ...asked, action: wireAction('step_into') });
    expect(stored.origin).toBe(originNumbers.cache);
    expect(await askAll(client, asked), 'stored').toEqual(cold);
    const fork = (await client.fork({ session, at: 1 })).session;
    expect(await askAll(client, { session: fork, from: 1, fresh: true }), 'forked').toEqual(cold);
    const other = (await (await world.connect()).open(body)).session;
    expect(await askAll(client, { session: other, from: 1, fresh: true }), 'another session').toEqual(cold);
    const crowd = await Promise.all(
      Array.from({ length: 3 }, () =>
        Promise.all(
          actionKinds.map((kind) => client.act({ ...asked, action: wireAction(kind), fresh: true })),
        ),
      ),
    );
    for (const answers of crowd) expect(answers.map(bits), 'in a crowd').toEqual(cold);
    world.engine.clearCache();
    expect(await askAll(client, { ...asked, fresh: true }), 'computed cold again').toEqual(cold);
  });

  it('an answer is the same after a lost connection, done or not', async () => {
    const calm = await begin(model);
    const { session } = await calm.open({ source, call, start: starts[0] ?? null });
    const alone = await askAll(calm, { session, from: 1, fresh: true });
    const network = await BrokenNetwork.start(Number(new URL(world.url).port));
    const client = await ForetraceClient.connect(network.url, {
      reconnect: { firstMillis: 1, mostMillis: 4, attempts: 100 },
    });
    const answers = [];
    for (const [index, kind] of actionKinds.entries()) {
      let parts = 0;
      if (index % 2 === 1) network.mute();
      const asked = client.act(
        { session, from: 1, action: wireAction(kind), fresh: true },
        {
          onPart: () => {
            parts += 1;
            if (parts === 1) network.cut();
          },
        },
      );
      // Its parts are lost: cut when it is done, or on its way.
      if (index % 2 === 1) {
        await until(() => world.server.service.runningCalls > 0);
        if (index % 4 === 1) await until(() => world.server.service.runningCalls === 0);
        network.cut();
      }
      answers.push(bits(await asked));
    }
    expect(answers).toEqual(alone);
    expect(network.count).toBeGreaterThan(actionKinds.length / 2);
    client.terminate();
    await network.close();
  });

  it('an answer is the same after it made way for others', async () => {
    const client = await begin(model, { scheduler: { maxRunning: 1 } });
    const { session } = await client.open({ source, call, start: starts[0] ?? null });
    const alone = bits(
      await client.act({ session, from: 1, action: wireAction('inv_continue'), fresh: true }),
    );
    let preemptions = 0;
    for (let tries = 0; tries < 40 && preemptions === 0; tries += 1) {
      let isBegun = false;
      const patient = client.act(
        {
          session,
          from: 1,
          action: wireAction('inv_continue'),
          fresh: true,
          priority: priorityNumbers.batch,
        },
        {
          onPart: () => {
            isBegun = true;
          },
        },
      );
      await until(() => isBegun);
      const urgent = client.act({ session, from: 1, action: wireAction('step_over'), fresh: true });
      const [answer] = await Promise.all([patient, urgent]);
      preemptions = answer.preemptions;
      expect(bits(answer)).toEqual(alone);
    }
    expect(preemptions).toBeGreaterThan(0);
  });

  it('a walk is the same computed, stored and derived', async () => {
    const client = await begin(model);
    const { session } = await client.open({ source, call, start: starts[0] ?? null });
    const walk = {
      session,
      from: 1,
      action: wireAction('step_return'),
      mode: modeNumbers.walk,
      maxSteps: 64,
    };
    // An untrained model may walk in circles: then every way must say so.
    const outcome = async (asked: Partial<ClientBodies['act']>): Promise<object> =>
      client.act({ ...walk, ...asked }).then(
        (answer) => ({ ...bits(answer), horizon: answer.horizon, mode: answer.mode }),
        (error: { code: string }) => ({ code: error.code }),
      );
    const computed = await outcome({ fresh: true });
    expect(await outcome({}), 'stored').toEqual(computed);
    const fork = (await client.fork({ session, at: 1 })).session;
    expect(await outcome({ session: fork }), 'forked').toEqual(computed);
    world.engine.clearCache();
    expect(await outcome({ fresh: true }), 'cold').toEqual(computed);
    if ('code' in computed) return;
    const derived = await client.act({ ...walk, mode: modeNumbers.auto });
    expect(derived.origin).toBe(originNumbers.derived);
    expect({ ...bits(derived), horizon: derived.horizon, mode: derived.mode }).toEqual(computed);
  });
});
