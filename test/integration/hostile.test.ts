/** Clients that mean harm: each message is answered with a code, none is a defect of the service, and a client that behaves gets the answers it got before. */
import { connect } from 'node:net';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import type { ForetraceClient } from '../../src/client/client.js';
import { encodeClientMessage } from '../../src/wire/codec.js';
import { actionNumbers, type ClientBodyName } from '../../src/wire/messages.js';
import { BrokenNetwork } from '../support/broken-network.js';
import { hostileMessages } from '../support/hostile-messages.js';
import { RawClient } from '../support/raw-client.js';
import { call, codeOf, ServiceWorld, source, until, type WorldOptions } from '../support/service-world.js';

let world: ServiceWorld;
let calm: ForetraceClient;
async function begin(options: WorldOptions = {}): Promise<void> {
  world = await ServiceWorld.start(options);
  calm = await world.connect(options.apiKeys?.[0]);
}
afterEach(async () => {
  await world.assertNothingLeaked();
  await world.stop();
});

const stepInto = { kind: actionNumbers.step_into, lines: [] };

const greeted = (apiKey = ''): Promise<RawClient> => RawClient.greeted(world.socketUrl, apiKey);

function varint(value: number): Buffer {
  const bytes = [];
  let rest = value;
  for (; rest > 127; rest >>>= 7) bytes.push((rest & 127) | 128);
  return Buffer.from([...bytes, rest]);
}

describe('messages of the right shape', () => {
  it('with any content are answered, never with a defect, and change nothing for others', async () => {
    await begin({ maxAnswerTokens: 40, limits: { maxBytesPerSession: 2_000_000 } });
    const { session: mine } = await calm.open({ source, call });
    const ask = () => calm.act({ session: mine, from: 1, action: stepInto, fresh: true });
    const { state: expected } = await ask();
    const victim = (await calm.open({ source, call })).session;
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(fc.array(hostileMessages(victim), { minLength: 1, maxLength: 8 }), async (batch) => {
        const raw = await greeted();
        for (const [index, [name, body]] of batch.entries())
          raw.socket.send(encodeClientMessage(index + 2, name, body as never));
        const ends = (): Map<number, string> =>
          new Map(
            raw.messages
              .filter(({ body }) => body !== 'part' && body !== 'step')
              .map((message) => [
                message.request,
                message.body === 'error' ? message.error.code : message.body,
              ]),
          );
        await until(() => ends().size > batch.length || raw.closed !== null);
        expect(raw.closed).toBeNull();
        for (const code of ends().values()) {
          seen.add(code);
          expect(code).not.toBe('internal');
        }
        raw.socket.terminate();
      }),
      { numRuns: 120, endOnFailure: true },
    );
    expect((await ask()).state).toEqual(expected);
    // The property reached into the service, not only to its door.
    for (const code of ['answer', 'sessionOpened', 'invalid_state', 'invalid_message', 'unknown_state'])
      expect(seen).toContain(code);
  });

  it('with more elements than a message may hold are refused before they are built', async () => {
    await begin();
    const raw = await greeted();
    const frames = Buffer.alloc(2 * 300_000);
    for (let at = 0; at < frames.length; at += 2) frames[at] = (2 << 3) | 2;
    const start = Buffer.concat([Buffer.from([(3 << 3) | 2]), varint(frames.length), frames]);
    raw.socket.send(Buffer.concat([Buffer.from([8, 9, (3 << 3) | 2]), varint(start.length), start]));
    expect(await raw.error(2)).toBe('message_too_large');
    const response = await fetch(`${world.url}/v1/sessions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: `{"source": "", "start": {"frames": [${Array(200_000).fill('{}').join()}]}}`,
    });
    expect(response.status).toBe(413);
    raw.socket.terminate();
  });

  it('are quoted in errors only in part', async () => {
    await begin();
    const error = await calm.describe('x'.repeat(900_000)).catch((thrown) => thrown);
    expect(error.code).toBe('unknown_session');
    expect(error.message.length + error.details.actual.length).toBeLessThan(3_000);
    const { session } = await calm.open({ source, call });
    const lines = Array.from({ length: 150_000 }, (_, index) => index);
    for (const kind of [actionNumbers.breakpoint, actionNumbers.continue])
      expect(await codeOf(calm.act({ session, action: { kind, lines } }))).toBe('invalid_action');
  });
});

describe("somebody else's session", () => {
  it('can not be reached with another key by any call, over socket or HTTP', async () => {
    await begin({ apiKeys: ['alpha', 'beta'], raw: true });
    const { session } = await calm.open({ source, call });
    const key = 'a-key-that-was-overheard';
    const mine = await greeted('alpha');
    mine.send(2, 'openSession', { source, call }, key);
    const opened = await mine.message(2);
    const raw = await greeted('beta');
    const bodies: [ClientBodyName, object][] = [
      ['act', { session, action: stepInto }],
      ['edit', { session, locals: {} }],
      ['fork', { session }],
      ['goto', { session, state: 1 }],
      ['describeSession', { session }],
      ['evaluate', { session, expression: 'numbers' }],
      ['candidates', { session, action: stepInto, count: 1 }],
      ['query', { session, frameTable: { names: [] } }],
      ['closeSession', { session }],
    ];
    for (const [index, [name, body]] of bodies.entries()) {
      raw.send(index + 2, name, body as never);
      expect(await raw.error(index + 2), name).toBe('unknown_session');
    }
    // The same key of a request by another account is another request.
    raw.send(90, 'openSession', { source, call }, key);
    const theirs = await raw.message(bodies.length + 2);
    if (opened.body !== 'sessionOpened' || theirs.body !== 'sessionOpened') throw new Error('not opened');
    expect(theirs.sessionOpened.session).not.toBe(opened.sessionOpened.session);
    for (const method of ['GET', 'DELETE']) {
      const headers = { authorization: 'Bearer beta' };
      expect((await fetch(`${world.url}/v1/sessions/${session}`, { method, headers })).status).toBe(404);
    }
    expect((await calm.describe(session)).states).toHaveLength(1);
    for (const one of [mine, raw]) one.socket.terminate();
  });

  it('does not go to a page of another site, unless it has a key', async () => {
    await begin();
    const { session } = await calm.open({ source, call });
    const status = async (origin: string, headers = {}): Promise<number> =>
      (await fetch(`${world.url}/v1/sessions/${session}`, { headers: { origin, ...headers } })).status;
    expect(await status('http://evil.example')).toBe(401);
    expect(await status('null')).toBe(401);
    expect(await status('http://localhost.evil.example:7331')).toBe(401);
    expect(await status('http://localhost:3000')).toBe(200);
    expect(await status('http://[::1]')).toBe(200);
    const refused = await new Promise<number | undefined>((resolve) => {
      const socket = new WebSocket(world.socketUrl, { origin: 'https://evil.example' });
      socket.on('unexpected-response', (_request, { statusCode }) => resolve(statusCode));
      socket.on('open', () => resolve(101));
      socket.on('error', () => undefined);
    });
    expect(refused).toBe(401);
    await world.stop();
    await begin({ apiKeys: ['alpha'] });
    const withKey = { authorization: 'Bearer alpha' };
    expect(await status('http://evil.example', withKey)).toBe(404);
    expect(await status('http://evil.example')).toBe(401);
  });
});

describe('the end of the service', () => {
  it('waits for none of those who hang on to it', async () => {
    await begin({ limits: { closeMillis: 200 } });
    const port = Number(new URL(world.url).port);
    const network = await BrokenNetwork.start(port);
    const silent = await RawClient.connect(network.url);
    network.breakAll();
    const deaf = await greeted();
    deaf.socket.pause();
    const idle = connect(port, '127.0.0.1');
    const slow = connect(port, '127.0.0.1');
    slow.write(
      'POST /v1/sessions HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{',
    );
    const upgraded = connect(port, '127.0.0.1');
    upgraded.write('GET /v1/socket HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n');
    // Node.js does not count connections that asked for another protocol.
    const other = connect(port, '127.0.0.1');
    other.write('GET /health HTTP/1.1\r\nHost: x\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n');
    const bodiless = connect(port, '127.0.0.1');
    bodiless.write(
      'POST /v1/sessions HTTP/1.1\r\nHost: x\r\nUpgrade: h2c\r\nConnection: Upgrade\r\nContent-Length: 9\r\n\r\n',
    );
    const sockets = [idle, slow, upgraded, other, bodiless];
    for (const socket of sockets) socket.on('error', () => undefined).on('data', () => undefined);
    await Promise.all(sockets.map((socket) => until(() => socket.readyState !== 'opening')));
    await until(() => other.destroyed && bodiless.destroyed);
    const { session } = await calm.open({ source, call });
    const walking = codeOf(
      calm.act({ session, action: { kind: actionNumbers.continue, lines: [] }, mode: 1 }),
    );
    await until(() => world.server.service.runningCalls > 0);
    await world.server.drain(0);
    expect(await walking).toMatch(/cancelled|disconnected|draining|walk_too_long/);
    expect(world.server.app.server.listening).toBe(false);
    await until(() => sockets.every(({ destroyed, readyState }) => destroyed || readyState === 'closed'));
    silent.socket.terminate();
    deaf.socket.terminate();
    await network.close();
  });
});
