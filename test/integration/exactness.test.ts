/**
 * One question, one answer: stored, restored from a file, derived, forked, sent again after a lost connection, resumed after a preemption, drafted or
 * not, in a crowd or computed cold, it is the same state with the same probabilities, bit for bit. With the real engine, the untrained model of the
 * tests and the model that ships.
 */
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { ForetraceClient } from '../../src/client/client.js';
import { type ActionKind, actionKinds, takesLines } from '../../src/debugger/action.js';
import { type LoadEngineOptions, loadEngine } from '../../src/native/engine.js';
import { TrajectoryFile } from '../../src/persistence/trajectory-file.js';
import { StateStore } from '../../src/trajectory/index.js';
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

interface Setting extends WorldOptions {
  readonly native?: Partial<LoadEngineOptions>;
}

async function begin(model: string, { native, ...options }: Setting = {}): Promise<ForetraceClient> {
  const engine = await loadEngine({ modelDir: join(root, model), threads: 2, pages: 2048, ...native });
  world = await ServiceWorld.start({ engine, maxAnswerTokens: 96, ...options });
  isOpen = true;
  return world.connect();
}

async function end(): Promise<void> {
  if (!isOpen) return;
  isOpen = false;
  await world.assertNothingLeaked();
  await world.stop();
  await world.engine.dispose();
}
afterEach(end);

type Asked = Pick<ClientBodies['act'], 'session' | 'from'> & Partial<ClientBodies['act']>;

let drafted = 0;

/** The answers to all actions, one after another. */
async function askAll(client: ForetraceClient, asked: Asked, before = () => {}): Promise<object[]> {
  const answers = [];
  for (const kind of actionKinds) {
    before();
    const answer = await client.act({ mode: modeNumbers.jump, ...asked, action: wireAction(kind) });
    drafted += answer.tokens.drafted;
    answers.push(bits(answer));
  }
  return answers;
}

/** What everything else must equal: one thread, no drafts, one question at a time, nothing cached. */
const references = new Map<string, object[]>();
async function reference(model: string, index: number): Promise<object[]> {
  const name = `${model} ${index}`;
  const known = references.get(name);
  if (known !== undefined) return known;
  const client = await begin(model, { native: { threads: 1, drafts: 'off' } });
  const { session } = await client.open({ source, call, start: starts[index] ?? null });
  const cold = await askAll(client, { session, from: 1, fresh: true }, () => world.engine.clearCache());
  await end();
  references.set(name, cold);
  return cold;
}

const settings: readonly (readonly [string, Setting])[] = [
  ['without drafts', { native: { drafts: 'off' } }],
  ['always drafting', { native: { drafts: 'always' } }],
  ['prompts in small pieces, drafting where it pays', { scheduler: { rows: 24 } }],
];

describe.each(models)('with %s', (model) => {
  it.each(
    settings.flatMap(([name, setting]) => starts.map((_, index) => [name, index, setting] as const)),
  )('%s: an answer to start %i is the same wherever it comes from', async (name, index, setting) => {
    const cold = await reference(model, index);
    drafted = 0;
    const client = await begin(model, setting);
    const body = { source, call, start: starts[index] ?? null };
    const { session } = await client.open(body);
    const asked = { session, from: 1, mode: modeNumbers.jump };
    expect(await askAll(client, { ...asked, fresh: true }), 'computed').toEqual(cold);
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
    if (name === 'always drafting') expect(drafted).toBeGreaterThan(0);
    if (name === 'without drafts') expect(drafted).toBe(0);
  });

  it('candidates and samples are the same for the same seed, cold, cached, forked and in a crowd', async () => {
    const client = await begin(model);
    const sampling = { temperature: 0.8, topP: 0.9, seed: 11 };
    const { session } = await client.open({ source, call, start: starts[0] ?? null, sampling });
    const ask = async (at: string) => {
      const action = wireAction('inv_step_over');
      const { candidates } = await client.candidates({ session: at, from: 1, action, count: 3, fresh: true });
      const sampled = await client.act({ session: at, from: 1, mode: modeNumbers.jump, action, fresh: true });
      return [
        ...candidates.map(({ answer, probability }) => ({ ...bits(answer), probability })),
        bits(sampled),
      ];
    };
    const cold = await ask(session);
    expect(await ask(session), 'cached').toEqual(cold);
    const fork = (await client.fork({ session, at: 1 })).session;
    for (const answers of await Promise.all([ask(fork), ask(session), ask(fork)]))
      expect(answers, 'in a crowd').toEqual(cold);
    world.engine.clearCache();
    expect(await ask(fork), 'cold again').toEqual(cold);
  });

  it('an answer that a file has kept is the same after a restart', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'foretrace-exact-'));
    const path = join(folder, 'store.sqlite');
    const identity = { model, dialect: 'foretrace', language: 1, setting: '' };
    const file = TrajectoryFile.open(path, identity);
    const kept = new StateStore(1 << 24);
    file.follow(kept);
    const body = { source, call, start: starts[0] ?? null };
    const before = await begin(model, { trajectory: kept });
    const computed = await askAll(before, { session: (await before.open(body)).session, from: 1 });
    await end();
    await file.close();
    const restored = new StateStore(1 << 24);
    const again = TrajectoryFile.open(path, identity);
    again.restore(restored);
    await again.close();
    rmSync(folder, { recursive: true });
    const client = await begin(model, { trajectory: restored });
    const { session } = await client.open(body);
    expect(await askAll(client, { session, from: 1 })).toEqual(computed);
    expect(world.scheduler.stats().submitted).toBe(0);
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
      // Connected again: an answer may have come before its connection was cut.
      await client.describe(session);
      const before = world.scheduler.stats().submitted;
      if (index % 2 === 1) network.mute();
      const asked = client.act(
        { session, from: 1, mode: modeNumbers.jump, action: wireAction(kind), fresh: true },
        {
          onPart: () => {
            parts += 1;
            if (parts === 1) network.cut();
          },
        },
      );
      // Its parts are lost: cut when it is done, or on its way.
      if (index % 2 === 1) {
        await until(() => world.scheduler.stats().submitted > before);
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
    // Without drafts, and one pass a call, there are gaps in which something more urgent can come.
    const client = await begin(model, {
      scheduler: { maxRunning: 1, maxIterations: 1 },
      native: { drafts: 'off' },
    });
    const { session } = await client.open({ source, call, start: starts[0] ?? null });
    const asked = {
      session,
      from: 1,
      mode: modeNumbers.jump,
      action: wireAction('inv_continue'),
      fresh: true,
    };
    const alone = bits(await client.act(asked));
    let preemptions = 0;
    for (let tries = 0; tries < 100 && preemptions === 0; tries += 1) {
      let urgent: Promise<WireAnswer> | undefined;
      const onPart = (): void => {
        urgent ??= client.act({ ...asked, action: wireAction('step_over') });
      };
      const answer = await client.act({ ...asked, priority: priorityNumbers.batch }, { onPart });
      await urgent;
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

  it('the default mode answers the same questions in the same order alike, however they are computed', async () => {
    const answersWith = async (setting: Setting): Promise<object[]> => {
      const client = await begin(model, setting);
      const { session } = await client.open({ source, call, start: starts[0] ?? null });
      const answers = [];
      for (const kind of actionKinds) {
        const answer = await client.act({ session, from: 1, action: wireAction(kind) });
        const { origin, mode, horizon, steps } = answer;
        answers.push({ ...bits(answer), origin, mode, horizon, steps });
      }
      await end();
      return answers;
    };
    const one = await answersWith({ native: { threads: 1, drafts: 'off' } });
    for (const [name, setting] of settings) expect(await answersWith(setting), name).toEqual(one);
  });
});
