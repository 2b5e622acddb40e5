/** Connections that are lost, and sessions that go on: every request is done once, and nothing that was done is lost. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { ForetraceClient } from '../../src/client/client.js';
import { backoffMillis } from '../../src/client/reconnect.js';
import type { ServiceLimits } from '../../src/server/limits.js';
import { encodeServerMessage } from '../../src/wire/codec.js';
import { actionNumbers, protocolVersion, type WireAnswer } from '../../src/wire/messages.js';
import { BrokenNetwork } from '../support/broken-network.js';
import { RawClient } from '../support/raw-client.js';
import { call, codeOf, Gate, ServiceWorld, source, until } from '../support/service-world.js';

let world: ServiceWorld;
let network: BrokenNetwork;
const gate = new Gate();
const clients: ForetraceClient[] = [];
const quick = { firstMillis: 1, mostMillis: 8, attempts: 200 };

async function begin(limits: Partial<ServiceLimits> = {}): Promise<void> {
  world = await ServiceWorld.start({ fake: { pause: gate.pass }, limits });
  network = await BrokenNetwork.start(Number(new URL(world.url).port));
}
beforeEach(async () => {
  gate.open();
  await begin();
});
afterEach(async () => {
  gate.open();
  for (const client of clients.splice(0)) client.terminate();
  await network.close();
  await world.assertNothingLeaked();
  await world.stop();
});

async function through(reconnect: boolean | object = quick): Promise<ForetraceClient> {
  const client = await ForetraceClient.connect(network.url, { reconnect });
  clients.push(client);
  return client;
}

const stepInto = { kind: actionNumbers.step_into, lines: [] };
const bits = ({ number, parent, state, probability }: WireAnswer) => ({ number, parent, state, probability });
const running = (): number => world.server.service.runningCalls;

describe('a request whose connection is lost', () => {
  it('and that was done is found again: one state, one answer', async () => {
    const client = await through();
    const { session } = await client.open({ source, call });
    network.mute();
    const asked = client.act({ session, action: stepInto });
    const direct = await world.connect();
    await until(() => world.server.service.answers.model === 1);
    network.cut();
    const answer = await asked;
    const { states, current } = await direct.describe(session);
    expect([answer.number, current, states.length]).toEqual([2, 2, 2]);
    expect(bits(answer)).toEqual(bits(states[1] as WireAnswer));
    expect(network.count).toBe(2);
  });

  it('and that was not done is begun anew', async () => {
    const client = await through();
    const { session } = await client.open({ source, call });
    gate.close();
    const asked = client.act({ session, action: stepInto });
    await until(() => gate.held > 0);
    network.cut();
    await until(() => network.count === 2);
    gate.open();
    expect((await asked).number).toBe(2);
    expect((await client.describe(session)).states).toHaveLength(2);
  });

  it('and that still runs is joined: the server has not noticed yet', async () => {
    const client = await through();
    const { session } = await client.open({ source, call });
    gate.close();
    const raw = await RawClient.connect(world.socketUrl);
    raw.send(1, 'hello', { protocol: 1, apiKey: '', client: 'test' });
    const key = 'one-request-that-is-sent-twice';
    raw.send(2, 'act', { session, action: stepInto }, key);
    await until(() => gate.held > 0);
    const other = await RawClient.connect(world.socketUrl);
    other.send(1, 'hello', { protocol: 1, apiKey: '', client: 'test' });
    other.send(2, 'act', { session, action: stepInto }, key);
    await other.message(1);
    // The first connection is lost only now: what it asked ends, and the second asks for itself.
    raw.socket.terminate();
    await until(() => world.scheduler.stats().endings.cancelled === 1);
    gate.open();
    await until(() => other.messages.some(({ body }) => body === 'answer'));
    expect(other.messages.at(-1)).toMatchObject({ request: 2, answer: { number: 2 } });
    expect((await client.describe(session)).states).toHaveLength(2);
    other.socket.terminate();
  });

  it.each([
    'open',
    'fork',
    'edit',
    'goto',
    'candidates',
    'query',
    'closeSession',
  ] as const)('%s', async (kind) => {
    const client = await through();
    const { session } = await client.open({ source, call });
    await client.act({ session, action: stepInto });
    const direct = await world.connect();
    const before = await direct.describe(session);
    const sessions = world.server.service.sessions.size;
    network.mute();
    const asked = {
      open: () => client.open({ source, call }),
      fork: () => client.fork({ session, at: 1 }),
      edit: () => client.edit({ session, from: 1, locals: { numbers: '[]' } }),
      goto: () => client.goto({ session, state: 1 }),
      candidates: () => client.candidates({ session, from: 1, action: stepInto, count: 2 }),
      query: () => client.query({ session, from: 1, frameTable: { names: [] }, maxRows: 2, maxSteps: 2 }),
      closeSession: () => client.closeSession(session),
    }[kind]();
    const isDone = async (): Promise<boolean> => {
      const now = world.server.service.sessions.size;
      if (kind === 'open' || kind === 'fork' || kind === 'closeSession') return now !== sessions;
      const { states, current } = await direct.describe(session);
      return kind === 'goto' ? current === 1 : states.length > before.states.length && running() === 0;
    };
    while (!(await isDone())) await new Promise((resolve) => setTimeout(resolve, 1));
    const once = kind === 'closeSession' ? null : await direct.describe(session);
    const opened = world.server.service.sessions.size;
    network.cut();
    await asked;
    expect(world.server.service.sessions.size).toBe(opened);
    expect(opened - sessions).toBe({ open: 1, fork: 1, closeSession: -1 }[kind as string] ?? 0);
    if (once === null) return;
    const after = await direct.describe(session);
    expect(after.states.map(bits)).toEqual(once.states.map(bits));
    const added = after.states.length - before.states.length;
    if (kind === 'edit') expect(added).toBe(1);
    if (kind === 'goto') expect(after.current).toBe(1);
  });

  it('and that was aborted stays so: the cancel was lost with the connection', async () => {
    const client = await through();
    const { session } = await client.open({ source, call });
    const controller = new AbortController();
    gate.close();
    const asked = codeOf(client.act({ session, action: stepInto }, { signal: controller.signal }));
    await until(() => gate.held > 0);
    network.deafen();
    controller.abort();
    network.cut();
    await until(() => network.count === 2);
    gate.open();
    expect(await asked).toBe('cancelled');
    expect((await client.describe(session)).states).toHaveLength(1);
  });

  it('fails with `disconnected` where the client does not reconnect', async () => {
    const client = await through(false);
    const { session } = await client.open({ source, call });
    gate.close();
    const asked = client.act({ session, action: stepInto });
    const failed = codeOf(asked);
    await until(() => gate.held > 0);
    network.cut();
    expect(await failed).toBe('disconnected');
    expect(await codeOf(client.describe(session))).toBe('disconnected');
  });
});

describe('a client that reconnects', () => {
  it('loses and repeats nothing however often it is cut off', async () => {
    const client = await through();
    const { session } = await client.open({ source, call });
    const calm = await world.connect();
    const { session: other } = await calm.open({ source, call });
    let isDone = false;
    const stormy = network;
    const storm = (async () => {
      for (let round = 0; !isDone; round += 1) {
        await new Promise((resolve) => setTimeout(resolve, 3 + ((round * 7) % 11)));
        if (round % 3 === 0) stormy.mute();
        await new Promise((resolve) => setTimeout(resolve, round % 5));
        stormy.cut();
      }
    })();
    const turn = async (who: ForetraceClient, id: string, index: number): Promise<WireAnswer> =>
      index % 4 === 3
        ? who.edit({ session: id, from: 1, locals: { numbers: `[${index}]` } })
        : who.act({ session: id, action: stepInto, from: index % 4 === 0 ? 1 : 0 });
    for (let index = 0; index < 40; index += 1) {
      const answer = await turn(client, session, index);
      const expected = await turn(calm, other, index);
      expect(bits(answer)).toEqual(bits(expected));
      if (answer.atEnd)
        await Promise.all([client.goto({ session, state: 1 }), calm.goto({ session: other, state: 1 })]);
    }
    isDone = true;
    await storm;
    expect(stormy.count).toBeGreaterThan(3);
    const [mine, theirs] = await Promise.all([client.describe(session), calm.describe(other)]);
    expect(mine.states.map(bits)).toEqual(theirs.states.map(bits));
  });

  it('finds a connection dead that nobody closed, and so does the server', async () => {
    await network.close();
    await world.stop();
    await begin({ pingMillis: 1000 });
    const client = await through();
    const { session } = await client.open({ source, call });
    network.breakAll();
    const answer = await client.act({ session, action: stepInto });
    expect(answer.number).toBe(2);
    expect(network.count).toBe(2);
    const connections = async (): Promise<string | undefined> =>
      /^foretrace_connections (\d+)$/m.exec(await (await fetch(`${world.url}/metrics`)).text())?.[1];
    while ((await connections()) !== '1') await new Promise((resolve) => setTimeout(resolve, 5));
  });

  it('gives up after its attempts, and at once where another attempt would end the same way', async () => {
    const client = await through({ attempts: 3, firstMillis: 1, mostMillis: 2 });
    const { session } = await client.open({ source, call });
    gate.close();
    const failed = codeOf(client.act({ session, action: stepInto }));
    await until(() => gate.held > 0);
    await network.close();
    expect(await failed).toBe('disconnected');
    gate.open();
    network = await BrokenNetwork.start(Number(new URL(world.url).port));
    // As a service of another version may: it takes smaller messages than it has said.
    const sizes = { maxSourceBytes: 0, maxContextTokens: 0, maxMessageBytes: 0 };
    const welcome = { protocol: protocolVersion, server: '', model: '', pingMillis: 0, ...sizes };
    const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
    server.on('connection', (socket) =>
      socket.once('message', () => {
        socket.send(encodeServerMessage(1, 'welcome', welcome));
        socket.once('message', () => socket.close(1009));
      }),
    );
    await once(server, 'listening');
    const events: string[] = [];
    const onConnection = (event: string) => events.push(event);
    const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const refused = await ForetraceClient.connect(url, { reconnect: quick, onConnection });
    clients.push(refused);
    expect(await codeOf(refused.open({ source, call }))).toBe('disconnected');
    server.close();
    expect(events).toEqual([]);
  });

  it('waits longer each time, never twice the same', () => {
    const options = { attempts: 10, firstMillis: 100, mostMillis: 1000 };
    expect([0, 1, 2, 3, 4, 9].map((attempt) => backoffMillis(attempt, options, () => 0))).toEqual([
      50, 100, 200, 400, 500, 500,
    ]);
    expect(backoffMillis(1, options, () => 0.5)).toBe(150);
  });

  it('resumes a session of which it knows the number alone', async () => {
    const first = await through();
    const { session } = await first.open({ source, call });
    for (let step = 0; step < 3; step += 1) await first.act({ session, from: 1, action: stepInto });
    first.terminate();
    const second = await through();
    const found = await second.describe(session, { maxStates: 2 });
    expect(found).toMatchObject({
      source,
      call,
      current: 4,
      truncated: true,
      executableLines: [2, 3, 7, 8, 9, 10],
    });
    expect(found.states.map(({ number }) => number)).toEqual([1, 2]);
    const rest = await second.describe(session, { after: 2 });
    expect([rest.truncated, rest.states.map(({ number }) => number)]).toEqual([false, [3, 4]]);
    const response = await fetch(`${world.url}/v1/sessions/${session}?after=3&maxStates=1`);
    expect(((await response.json()) as { states: unknown[] }).states).toHaveLength(1);
    expect((await fetch(`${world.url}/v1/sessions/${session}?after=x`)).status).toBe(400);
  });
});

describe('a client', () => {
  it.each([
    true,
    false,
  ])('closes also when nobody hears it, and what it asked ends (reconnect: %s)', async (reconnect) => {
    const client = await through(reconnect);
    const { session } = await client.open({ source, call });
    gate.close();
    const asked = codeOf(client.act({ session, action: stepInto }));
    await until(() => gate.held > 0);
    network.deafen();
    network.mute();
    const closed = client.close();
    expect(await asked).toBe('disconnected');
    await closed;
    // The socket alone waits half a minute for the answer to its goodbye.
  }, 20_000);

  it('lets a request fail with what its listener throws, and goes on', async () => {
    const client = await through(false);
    const { session } = await client.open({ source, call });
    const mine = new Error('mine');
    const throwing = (): never => {
      throw mine;
    };
    const action = { kind: actionNumbers.continue, lines: [] };
    await expect(client.act({ session, action }, { onPart: throwing })).rejects.toBe(mine);
    await until(() => running() === 0);
    await expect(
      client.act({ session, action, from: 1, mode: 1, fresh: true }, { onStep: throwing }),
    ).rejects.toBe(mine);
    await until(() => running() === 0);
    expect((await client.act({ session, from: 1, action: stepInto })).parent).toBe(1);
  });
});

describe('an idempotency key', () => {
  it('names one request, and is long enough not to be guessed', async () => {
    const client = await world.connect();
    const { session } = await client.open({ source, call });
    const post = (key: string, state: number): Promise<Response> =>
      fetch(`${world.url}/v1/sessions/${session}/edit`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': key },
        body: JSON.stringify({ from: 1, locals: { numbers: `[${state}]` } }),
      });
    const key = 'abcdefghijklmnop';
    const first = (await (await post(key, 1)).json()) as { number: number };
    const again = (await (await post(key, 1)).json()) as { number: number };
    expect([first.number, again.number]).toEqual([2, 2]);
    expect(again).toEqual(first);
    const other = await post(key, 2);
    expect([other.status, ((await other.json()) as { error: { code: string } }).error.code]).toEqual([
      400,
      'invalid_message',
    ]);
    expect((await post('short', 3)).status).toBe(400);
    expect((await client.describe(session)).states).toHaveLength(2);
  });
});
