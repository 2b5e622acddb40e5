/** Clients that mean harm: each message is answered with a code, none is a defect of the service, and a client that behaves gets the answers it got before. */
import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import type { ForetraceClient } from '../../src/client/client.js';
import { encodeClientMessage } from '../../src/wire/codec.js';
import { actionNumbers, type ClientBodies, type ClientBodyName } from '../../src/wire/messages.js';
import { BrokenNetwork } from '../support/broken-network.js';
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
const long = (length: number): string => 'x'.repeat(length);

async function greeted(apiKey = ''): Promise<RawClient> {
  const raw = await RawClient.connect(world.socketUrl);
  raw.send(1, 'hello', { protocol: 1, apiKey, client: 'test' });
  await raw.message(1);
  return raw;
}

/** Numbers at the edges of what a field can hold, and texts that are none. */
const edge = fc.constantFrom(0, 1, 2, 3, 7, 8, 64, 255, 256, 1025, 65_535, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1);
const odd = fc.constantFrom(
  ...[
    '',
    ' ',
    '\0',
    '__proto__',
    'constructor',
    'n',
    'numbers',
    'found',
    '1',
    "'a'",
    '\u{1F600}',
    '\u202E',
    '\uFFFD',
  ],
  ...['f'.repeat(5000), '((((', '[[1, 2', '<|call|>', '\n\n', 'é'.repeat(300), '1e999', '-', '0x'],
);
const wireAction = fc.record({
  kind: fc.oneof(fc.nat(11), fc.constantFrom(12, 2 ** 31 - 1)),
  lines: fc.array(edge, { maxLength: 4 }),
});
const frame = fc.record({
  line: fc.oneof(fc.nat(11), edge),
  locals: fc.array(fc.record({ name: odd, value: odd }), { maxLength: 3 }),
  its: fc.array(edge, { maxLength: 2 }),
  gots: fc.array(odd, { maxLength: 2 }),
});
const state = fc.record({
  event: fc.nat(5),
  frames: fc.array(frame, { maxLength: 3 }),
  hiddenFrames: edge,
  value: odd,
});
const float = fc.constantFrom(0, 0.5, 1, 10, 11, -1, Number.NaN, Number.POSITIVE_INFINITY, 1e-40, 3e38);
const asked = { from: edge, priority: fc.nat(3), fresh: fc.boolean(), deadlineMillis: edge };

/** Messages of the right shape with the wrong content. */
function messages(session: string): fc.Arbitrary<readonly [ClientBodyName, object]> {
  const at = fc.oneof({ arbitrary: fc.constant(session), weight: 8 }, { arbitrary: odd, weight: 1 });
  const named = <Name extends ClientBodyName>(
    name: Name,
    fields: { [Key in keyof ClientBodies[Name]]?: fc.Arbitrary<unknown> },
  ) => fc.record(fields as Record<string, fc.Arbitrary<unknown>>).map((body) => [name, body] as const);
  return fc.oneof(
    named('openSession', {
      source: fc.oneof(fc.constant(source), odd),
      call: fc.oneof(fc.constantFrom(call, 'total(...)', 'total(x)', 'double(10 ** 99)'), odd),
      start: fc.option(state),
      sampling: fc.record({ temperature: float, topP: float, seed: edge }),
      deadlineMillis: edge,
    }),
    named('openSession', {
      source: fc.constant(source),
      call: fc.constant(call),
      start: fc.option(state),
      deadlineMillis: fc.constant(0),
    }),
    named('act', {
      session: at,
      ...asked,
      action: wireAction,
      mode: fc.nat(3),
      maxSteps: fc.constantFrom(1, 3, 2000),
    }),
    named('act', {
      session: fc.constant(session),
      from: fc.constant(1),
      action: fc.constant(stepInto),
      maxSteps: fc.constant(1),
      deadlineMillis: fc.constant(0),
    }),
    named('edit', {
      session: at,
      from: edge,
      locals: fc.dictionary(odd, odd, { maxKeys: 3 }),
      deleted: fc.array(odd, { maxLength: 2 }),
    }),
    named('fork', { session: at, at: edge }),
    named('goto', { session: at, state: edge }),
    named('cancel', { target: edge }),
    named('closeSession', { session: odd }),
    named('describeSession', { session: at, after: edge, maxStates: edge }),
    named('evaluate', { session: at, ...asked, expression: odd }),
    named('candidates', {
      session: at,
      ...asked,
      action: wireAction,
      count: fc.constantFrom(0, 1, 2, 17, 2 ** 32 - 1),
      check: fc.boolean(),
      choose: fc.boolean(),
    }),
    named('query', {
      session: at,
      ...asked,
      firstChange: fc.record({ name: odd }),
      maxRows: edge,
      maxSteps: fc.constantFrom(1, 3, 2000),
      page: odd,
    }),
    named('query', {
      session: at,
      ...asked,
      frameTable: fc.record({ names: fc.array(odd, { maxLength: 3 }) }),
      maxRows: edge,
      maxSteps: fc.constantFrom(1, 3),
      page: fc.constant(''),
    }),
    named('rawOpen', { context: odd, from: odd, tokens: fc.array(edge) }),
    named('rawTurn', {
      context: odd,
      tokens: fc.array(edge),
      generate: edge,
      keep: fc.boolean(),
      priority: fc.nat(3),
    }),
    named('hello', { protocol: edge, apiKey: odd, client: odd }),
  );
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
      fc.asyncProperty(fc.array(messages(victim), { minLength: 1, maxLength: 8 }), async (batch) => {
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
    const error = await calm.describe(long(900_000)).catch((thrown) => thrown);
    expect(error.code).toBe('unknown_session');
    expect(error.message.length + error.details.actual.length).toBeLessThan(3_000);
    const { session } = await calm.open({ source, call });
    const lines = Array.from({ length: 150_000 }, (_, index) => index);
    for (const kind of [actionNumbers.breakpoint, actionNumbers.continue])
      expect(await codeOf(calm.act({ session, action: { kind, lines } }))).toBe('invalid_action');
  });
});

function varint(value: number): Buffer {
  const bytes = [];
  let rest = value;
  for (; rest > 127; rest >>>= 7) bytes.push((rest & 127) | 128);
  return Buffer.from([...bytes, rest]);
}

describe('memory', () => {
  it("of answers kept for retries counts as the session's, and is bounded", async () => {
    await begin({ limits: { maxBytesPerSession: 1_000_000 } });
    const { session } = await calm.open({ source, call });
    const raw = await greeted();
    for (let index = 0; index < 60; index += 1) {
      const locals = { numbers: `'${String(index % 10).repeat(60_000)}'` };
      raw.send(index + 2, 'edit', { session, from: 0, locals }, `a-key-of-its-own-${index}`);
      await raw.message(index + 2);
    }
    // Sixty values of 120 kB each were sent, each with a key under which it may be asked for again.
    expect(world.server.service.sessions.bytes).toBeGreaterThan(2_000_000);
    expect(world.server.service.sessions.bytes).toBeLessThan(4_000_000);
    raw.socket.terminate();
  });

  it('of what waits for slow readers is bounded for all of them together', async () => {
    const limits = { slowReaderBytes: 50_000, maxWaitingBytes: 6_000_000, closeMillis: 60_000 };
    await begin({ limits });
    const { session } = await calm.open({ source, call });
    for (let index = 0; index < 30; index += 1)
      await calm.edit({ session, from: 0, locals: { numbers: `'${long(60_000)}'` } });
    const readers = await Promise.all(Array.from({ length: 16 }, () => greeted()));
    for (const reader of readers) reader.socket.pause();
    // Each would have eight megabytes of its own, of which the kernel takes a part.
    for (let request = 2; request < 10; request += 1)
      for (const reader of readers) reader.send(request, 'describeSession', { session });
    const waiting = (): Promise<string> => fetch(`${world.url}/metrics`).then((response) => response.text());
    while (!/errors_total\{code="disconnected"\} [1-9]/.test(await waiting())) await calm.describe(session);
    expect((await calm.describe(session)).states).toHaveLength(31);
    for (const reader of readers) reader.socket.terminate();
  });

  it('of messages that do not end is bounded for all connections together', async () => {
    await begin({ limits: { unfinishedBytes: 50_000, maxUnfinishedBytes: 2_000_000 } });
    const { session } = await calm.open({ source, call });
    const chatty = await greeted();
    const hoarders = await Promise.all(Array.from({ length: 16 }, () => greeted()));
    // Not much, and control frames in between: what others hoard is not this client's fault.
    chatty.socket.send(encodeClientMessage(2, 'openSession', { source, call }).subarray(0, 20), {
      fin: false,
    });
    for (const { socket } of hoarders) socket.send(Buffer.alloc(300_000), { fin: false, binary: true });
    await until(() => hoarders.filter(({ closed }) => closed !== null).length >= 9);
    for (let index = 0; index < 8; index += 1) chatty.socket.ping(long(100));
    chatty.socket.send(encodeClientMessage(2, 'openSession', { source, call }).subarray(20), { fin: true });
    expect((await chatty.message(2)).body).toBe('sessionOpened');
    expect((await calm.describe(session)).states).toHaveLength(1);
    // Those that were within the bound may finish what they say.
    const left = hoarders.filter(({ closed }) => closed === null);
    expect(left.length).toBeGreaterThan(0);
    for (const { socket } of left) socket.send(Buffer.alloc(1), { fin: true, binary: true });
    for (const raw of left) expect(await raw.error(2)).toBe('invalid_message');
    for (const { socket } of [chatty, ...left]) socket.terminate();
  });

  it('of HTTP bodies that do not end is bounded with it', async () => {
    await begin({ limits: { unfinishedBytes: 50_000, maxUnfinishedBytes: 2_000_000 } });
    const { session } = await calm.open({ source, call });
    const url = new URL(world.url);
    const head = (length: string): string =>
      `POST /v1/sessions HTTP/1.1\r\nHost: ${url.host}\r\nContent-Type: application/json\r\n${length}\r\n\r\n`;
    const hoarders = await Promise.all(
      Array.from({ length: 16 }, async (_, index) => {
        const socket = connect(Number(url.port), url.hostname);
        await once(socket, 'connect');
        const isChunked = index % 2 === 0;
        socket.write(head(isChunked ? 'Transfer-Encoding: chunked' : 'Content-Length: 400000'));
        socket.write(isChunked ? `${(300_000).toString(16)}\r\n${' '.repeat(300_000)}` : ' '.repeat(300_000));
        const said = { socket, text: '' };
        socket.on('data', (data) => {
          said.text += data.toString();
        });
        socket.on('error', () => {});
        return said;
      }),
    );
    await until(() => hoarders.filter(({ text }) => text.includes('"overloaded"')).length >= 9);
    expect(hoarders.filter(({ text }) => text === '').length).toBeGreaterThan(0);
    // What was within the bound may go on, small bodies come through, and what was given up is forgotten.
    const again = await fetch(`${world.url}/v1/sessions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ source, call }),
    });
    expect(again.status).toBe(200);
    expect((await calm.describe(session)).states).toHaveLength(1);
    // Bodies that are too long besides (the connection may be cut while they are still sent), that nobody reads, and that nobody waits for: each is answered, and none stays counted.
    const refused = async (method: string, path: string, type: string, size: number): Promise<number> => {
      const headers = { 'content-type': type };
      const body = Readable.from(Array.from({ length: size / 1000 }, () => ' '.repeat(1000)));
      return new Promise((resolve, reject) => {
        const sent = request(`${world.url}${path}`, { method, headers }, (response) => {
          response.resume();
          resolve(response.statusCode ?? 0);
        });
        sent.on('error', (error: NodeJS.ErrnoException) =>
          error.code === 'EPIPE' || error.code === 'ECONNRESET' ? resolve(413) : reject(error),
        );
        body.pipe(sent);
      });
    };
    for (let time = 0; time < 3; time += 1) {
      expect([413, 503]).toContain(await refused('POST', '/v1/sessions', 'application/json', 1_500_000));
      expect([415, 400, 503]).toContain(await refused('POST', '/v1/sessions', 'text/xml', 300_000));
      expect([400, 404]).toContain(await refused('GET', '/v1/sessions/x', 'application/json', 300_000));
    }
    for (const { socket } of hoarders) socket.destroy();
    const ask = async (): Promise<number> => {
      const body = JSON.stringify({ source: `${source}#${' '.repeat(60_000)}`, call });
      const headers = { 'content-type': 'application/json' };
      return (await fetch(`${world.url}/v1/sessions`, { method: 'POST', headers, body })).status;
    };
    let status = await ask();
    for (let attempt = 0; status !== 200 && attempt < 50; attempt += 1) status = await ask();
    expect(status).toBe(200);
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
