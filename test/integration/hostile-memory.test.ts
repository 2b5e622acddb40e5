/** Clients that make the service keep what they send or do not take: it is bounded for all of them together, and a client that behaves is served. */
import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import type { ForetraceClient } from '../../src/client/client.js';
import type { ServiceLimits } from '../../src/server/limits.js';
import { encodeClientMessage } from '../../src/wire/codec.js';
import { RawClient } from '../support/raw-client.js';
import { call, ServiceWorld, source, until } from '../support/service-world.js';

let world: ServiceWorld;
let calm: ForetraceClient;
async function begin(limits: Partial<ServiceLimits>): Promise<void> {
  world = await ServiceWorld.start({ limits });
  calm = await world.connect();
}
afterEach(async () => {
  await world.assertNothingLeaked();
  await world.stop();
});

const greeted = (): Promise<RawClient> => RawClient.greeted(world.socketUrl);
const long = (length: number): string => 'x'.repeat(length);

describe('memory', () => {
  it("of answers kept for retries counts as the session's, and is bounded", async () => {
    await begin({ maxBytesPerSession: 1_000_000 });
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
    await begin({ slowReaderBytes: 50_000, maxWaitingBytes: 6_000_000, closeMillis: 60_000 });
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
    await begin({ unfinishedBytes: 50_000, maxUnfinishedBytes: 2_000_000 });
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
    await begin({ unfinishedBytes: 50_000, maxUnfinishedBytes: 2_000_000 });
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
