/** What a connection does with frames that are wrong, too many, too large or too late, and when it ends. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { actionNumbers } from '../../src/wire/messages.js';
import { firstLine } from '../support/command.js';
import { RawClient } from '../support/raw-client.js';
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
const gate = new Gate();

async function begin(options: WorldOptions = {}): Promise<RawClient> {
  gate.open();
  world = await ServiceWorld.start({ ...options, fake: { pause: gate.pass, ...options.fake } });
  return RawClient.connect(world.socketUrl);
}
afterEach(async () => {
  gate.open();
  await world.assertNothingLeaked();
  await world.stop();
});

const hello = { protocol: 1, apiKey: '', client: 'test' };
const stepInto = { kind: actionNumbers.step_into, lines: [] };

/** Says hello (request 1) and opens a session (request 2); its id. */
async function openSession(raw: RawClient): Promise<string> {
  raw.send(1, 'hello', hello);
  raw.send(2, 'openSession', { source, call });
  const opened = await raw.message(2);
  return opened.body === 'sessionOpened' ? opened.sessionOpened.session : '';
}

describe('frames', () => {
  it.each<[string, (raw: RawClient) => void, string]>([
    ['a text frame', (raw) => raw.socket.send('{"hello": {}}'), 'invalid_message'],
    ['an empty frame', (raw) => raw.socket.send(new Uint8Array(0)), 'invalid_message'],
    [
      'a truncated message',
      (raw) => raw.socket.send(Uint8Array.of(0x08, 0x05, 0x12, 0x7f, 0x08)),
      'invalid_message',
    ],
    [
      'noise',
      (raw) => raw.socket.send(Uint8Array.from({ length: 300 }, (_, index) => (index * 197) & 255)),
      'invalid_message',
    ],
    ['a large frame', (raw) => raw.socket.send(new Uint8Array(2 * 1024 * 1024)), 'message_too_large'],
    ['request 0', (raw) => raw.send(0, 'hello', hello), 'invalid_message'],
    ['another version', (raw) => raw.send(1, 'hello', { ...hello, protocol: 2 }), 'unsupported_version'],
    ['a call before hello', (raw) => raw.send(1, 'openSession', { source, call }), 'invalid_message'],
  ])('%s: an error, and the connection goes on', async (_name, send, code) => {
    const raw = await begin();
    send(raw);
    expect(await raw.error(1)).toBe(code);
    raw.send(7, 'hello', hello);
    expect(await raw.message(2)).toMatchObject({ request: 7, body: 'welcome', welcome: { protocol: 1 } });
    raw.send(8, 'openSession', { source, call });
    expect((await raw.message(3)).body).toBe('sessionOpened');
    raw.send(9, 'hello', hello);
    expect(await raw.error(4)).toBe('invalid_message');
  });

  it('says what was expected and what came', async () => {
    const raw = await begin();
    raw.send(3, 'hello', { ...hello, protocol: 9 });
    expect(await raw.message(1)).toMatchObject({
      request: 3,
      error: { code: 'unsupported_version', expected: '1', actual: '9', retryable: false },
    });
  });

  it('that are too large or broken are answered with their number, where it can be read', async () => {
    const raw = await begin({ limits: { maxMessageBytes: 1000 } });
    raw.send(5, 'openSession', { source: '#'.repeat(2000), call });
    expect(await raw.message(1)).toMatchObject({ request: 5, error: { code: 'message_too_large' } });
    raw.socket.send(Uint8Array.of(0x08, 0x96, 0x01, 0x12, 0x7f, 0x08));
    expect(await raw.message(2)).toMatchObject({ request: 150, error: { code: 'invalid_message' } });
    raw.socket.send(Uint8Array.of(0x08, 0xff));
    expect(await raw.message(3)).toMatchObject({ request: 0, error: { code: 'invalid_message' } });
  });

  it('that are too large end the request of the client that sent them', async () => {
    await begin({ limits: { maxMessageBytes: 1000 } });
    const client = await world.connect();
    for (const size of [2000, 50_000])
      expect(await codeOf(client.open({ source: '#'.repeat(size), call }))).toBe('message_too_large');
    // Nothing went out that would have ended the connection.
    expect((await client.open({ source: 'def f(): pass', call: 'f()' })).start.number).toBe(1);
  });

  it('of more than four times the limit close the connection', async () => {
    const raw = await begin({ limits: { maxMessageBytes: 1000 } });
    raw.socket.send(new Uint8Array(4001));
    expect((await raw.close()).code).toBe(1009);
  });

  it.each([
    4, 20,
  ])('of more than %d MiB close it with a code that arrives while they are sent', async (size) => {
    await begin({ limits: { closeMillis: 5_000, unfinishedBytes: 1_000, maxUnfinishedBytes: 1_000_000 } });
    const script = fileURLToPath(new URL('../support/large-frame-client.mjs', import.meta.url));
    const args = [script, world.socketUrl, String(size * 1024 * 1024 + 1), '10'];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    expect(JSON.parse(await firstLine(child))).toEqual(Array(10).fill(1009));
  });

  it('that are too large cut a client that sends on and on', async () => {
    const raw = await begin({ limits: { maxMessageBytes: 1000, closeMillis: 100 } });
    // A client that does not hear the goodbye.
    raw.socket.pause();
    raw.socket.send(new Uint8Array(4001));
    await until(() => world.server.app.websocketServer.clients.size === 0);
    raw.socket.terminate();
  });
});

describe('requests', () => {
  it('with the number of a running one are refused', async () => {
    const raw = await begin();
    const session = await openSession(raw);
    gate.close();
    raw.send(3, 'act', { session, action: stepInto });
    await until(() => gate.held > 0);
    raw.send(3, 'describeSession', { session });
    expect(await raw.error(3)).toBe('invalid_message');
    raw.send(4, 'cancel', { target: 99 });
    expect(await raw.error(4)).toBe('unknown_request');
    raw.send(5, 'cancel', { target: 3 });
    expect(await raw.message(5)).toMatchObject({ request: 5, body: 'cancelled', cancelled: { target: 3 } });
    expect(await raw.message(6)).toMatchObject({ request: 3, error: { code: 'cancelled' } });
    raw.send(6, 'cancel', { target: 3 });
    expect(await raw.error(7)).toBe('unknown_request');
  });

  it('beyond the running limit are refused, and later ones are not', async () => {
    const raw = await begin({ limits: { maxRunningPerConnection: 2 } });
    const session = await openSession(raw);
    gate.close();
    for (const request of [3, 4, 5]) raw.send(request, 'act', { session, from: 1, action: stepInto });
    expect(await raw.message(3)).toMatchObject({
      request: 5,
      error: { code: 'rate_limited', retryable: true },
    });
    const refused = raw.messages[2];
    expect(refused?.body === 'error' && refused.error.retryAfterMillis).toBeGreaterThan(0);
    gate.open();
    await until(() => raw.messages.filter(({ body }) => body === 'answer').length === 2);
    const before = raw.messages.length;
    raw.send(6, 'describeSession', { session });
    expect((await raw.message(before + 1)).body).toBe('sessionDescription');
  });

  it('beyond the rate are refused with the time to wait', async () => {
    const raw = await begin({ limits: { requestsPerMinute: 3 } });
    raw.send(1, 'hello', hello);
    for (const request of [2, 3, 4, 5]) raw.send(request, 'describeSession', { session: 'none' });
    await raw.message(5);
    const codes = new Map(
      raw.messages.map((message) => [message.request, message.body === 'error' ? message.error : null]),
    );
    expect([2, 3, 4, 5].map((request) => codes.get(request)?.code)).toEqual([
      'unknown_session',
      'unknown_session',
      'unknown_session',
      'rate_limited',
    ]);
    expect(codes.get(5)?.retryable).toBe(true);
    expect(codes.get(5)?.retryAfterMillis).toBeGreaterThan(0);
    const other = await world.connect();
    expect(await codeOf(other.describe('none'))).toBe('unknown_session');
  });

  it('are overloaded when the queue is full, and the session is as it was', async () => {
    await begin({ scheduler: { maxRunning: 1, maxQueued: 1 } });
    const client = await world.connect();
    const { session } = await client.open({ source, call });
    gate.close();
    const running = client.act({ session, from: 1, action: stepInto });
    await until(() => gate.held > 0);
    const queued = client.act({ session, from: 1, action: { kind: actionNumbers.continue, lines: [] } });
    await until(() => world.scheduler.stats().queued === 1);
    const refused = client.act({ session, from: 1, action: { kind: actionNumbers.step_over, lines: [] } });
    expect(await codeOf(refused)).toBe('overloaded');
    gate.open();
    await Promise.all([running, queued]);
    expect((await client.describe(session)).states).toHaveLength(3);
  });
});

describe('keys', () => {
  const options = { apiKeys: ['alpha', 'beta'] };

  it('are required, and a wrong one ends the connection', async () => {
    const raw = await begin(options);
    raw.send(1, 'hello', { ...hello, apiKey: 'gamma' });
    expect(await raw.error(1)).toBe('unauthorized');
    expect((await raw.close()).code).toBe(1008);
    expect(await codeOf(world.connect())).toBe('unauthorized');
  });

  it('keep sessions of others invisible', async () => {
    await begin(options);
    const alpha = await world.connect('alpha');
    const beta = await world.connect('beta');
    const { session } = await alpha.open({ source, call });
    for (const attempt of [
      beta.act({ session, action: stepInto }),
      beta.edit({ session, locals: {} }),
      beta.fork({ session }),
      beta.goto({ session, state: 1 }),
      beta.describe(session),
      beta.closeSession(session),
    ]) {
      expect(await codeOf(attempt)).toBe('unknown_session');
    }
    const again = await world.connect('alpha');
    expect((await again.describe(session)).states).toHaveLength(1);
  });
});

describe('the end of a connection', () => {
  it('comes when nobody says hello', async () => {
    const raw = await begin({ limits: { helloMillis: 20 } });
    raw.socket.send('not a hello');
    expect(await raw.close()).toEqual({ code: 1000, reason: 'idle' });
  });

  it('comes after idle time, but not while a request runs', async () => {
    const raw = await begin({ limits: { connectionIdleMillis: 1_500 } });
    const session = await openSession(raw);
    gate.close();
    raw.send(3, 'act', { session, action: stepInto });
    await until(() => gate.held > 0);
    await new Promise((resolve) => setTimeout(resolve, 3_500));
    expect(raw.closed).toBeNull();
    gate.open();
    expect(await raw.close()).toEqual({ code: 1000, reason: 'idle' });
    expect(raw.messages.some(({ body }) => body === 'answer')).toBe(true);
  });

  it('comes at once for one too many', async () => {
    const raw = await begin({ limits: { maxConnections: 1 } });
    const second = await RawClient.connect(world.socketUrl);
    expect(await second.close()).toEqual({ code: 1013, reason: 'overloaded' });
    raw.send(1, 'hello', hello);
    expect((await raw.message(1)).body).toBe('welcome');
  });
});

describe('a slow reader', () => {
  /** A session whose description is large, so that a few requests fill the buffers of a reader that stands still. */
  async function largeSession(raw: RawClient): Promise<string> {
    const session = await openSession(raw);
    for (let request = 3; request < 43; request += 1) {
      raw.send(request, 'edit', { session, locals: { numbers: `'${'x'.repeat(50_000)}'` } });
    }
    await raw.message(42);
    return session;
  }

  it('that never reads is cut off and its requests are cancelled', async () => {
    const raw = await begin({ limits: { deadReaderBytes: 4 * 1024 * 1024, requestsPerMinute: 1e6 } });
    const session = await largeSession(raw);
    raw.socket.pause();
    for (let request = 100; request < 140; request += 1) raw.send(request, 'describeSession', { session });
    await until(() => metric('foretrace_connections') === 0);
    raw.socket.resume();
    // The farewell stands behind all that was not read: it arrives only where the system's buffers had room for everything.
    expect([
      { code: 1006, reason: '' },
      { code: 1008, reason: 'slow_reader' },
    ]).toContainEqual(await raw.close());
    expect((await (await world.connect()).describe(session)).states).toHaveLength(41);
  });

  it('gets fewer parts and the whole answer', async () => {
    const raw = await begin({ limits: { slowReaderBytes: 64 * 1024, deadReaderBytes: 1e9 } });
    const session = await largeSession(raw);
    const count = raw.messages.length;
    gate.close();
    raw.send(50, 'act', { session, from: 1, action: stepInto });
    await until(() => gate.held > 0);
    raw.socket.pause();
    for (let request = 51; request < 60; request += 1) raw.send(request, 'describeSession', { session });
    raw.send(60, 'goto', { session, state: 1 });
    await until(() => world.server.service.sessions.get(session).current.number === 1);
    gate.open();
    await until(() => world.scheduler.stats().endings.model === 1);
    raw.socket.resume();
    await raw.message(count + 11);
    const ofAct = raw.messages.filter(({ request }) => request === 50).map(({ body }) => body);
    expect(ofAct).toEqual(['answer']);
  });

  let figures = '';
  const metric = (name: string): number => {
    void world.server.app.inject('/metrics').then(({ body }) => {
      figures = body;
    });
    const found = new RegExp(`^${name} (\\d+)`, 'm').exec(figures)?.[1];
    return found === undefined ? Number.NaN : Number(found);
  };
});

describe('draining', () => {
  it('lets a running request finish, refuses new ones and closes all', async () => {
    const raw = await begin();
    const session = await openSession(raw);
    gate.close();
    raw.send(3, 'act', { session, action: stepInto });
    await until(() => gate.held > 0);
    const drained = world.server.drain(60_000);
    raw.send(4, 'openSession', { source, call });
    expect(await raw.message(3)).toMatchObject({ request: 4, error: { code: 'draining' } });
    expect((await world.server.app.inject('/ready')).statusCode).toBe(503);
    expect((await world.server.app.inject('/health')).statusCode).toBe(200);
    gate.open();
    expect(await raw.close()).toEqual({ code: 1001, reason: 'draining' });
    expect(raw.messages.at(-1)).toMatchObject({ request: 3, body: 'answer' });
    await drained;
  });

  it('cancels what does not finish in time', async () => {
    const raw = await begin();
    const session = await openSession(raw);
    gate.close();
    raw.send(3, 'act', { session, action: stepInto });
    await until(() => gate.held > 0);
    const drained = world.server.drain(0);
    expect((await raw.close()).code).toBe(1001);
    expect(raw.messages.at(-1)).toMatchObject({ request: 3, error: { code: 'cancelled' } });
    gate.open();
    await drained;
  });
});
