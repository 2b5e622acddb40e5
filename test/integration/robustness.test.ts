/** Clients that crash, hang, talk nonsense or do not listen: each is got rid of, and a client that behaves notices nothing. */
import { spawn } from 'node:child_process';
import { connect, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ForetraceClient } from '../../src/client/client.js';
import type { ServiceLimits } from '../../src/server/limits.js';
import { actionNumbers, eventNumbers, type WireAnswer } from '../../src/wire/messages.js';
import { BrokenNetwork } from '../support/broken-network.js';
import { firstLine } from '../support/command.js';
import { RawClient } from '../support/raw-client.js';
import { call, ServiceWorld, source, until } from '../support/service-world.js';

let world: ServiceWorld;
let calm: ForetraceClient;
let expected: unknown[];

const limits = { pingMillis: 1_000, headersMillis: 300, requestMillis: 400, closeMillis: 5_000 };

async function begin(more: Partial<ServiceLimits> = {}): Promise<void> {
  world = await ServiceWorld.start({ limits: { ...limits, ...more } });
  calm = await world.connect();
  expected = await turns();
}
beforeEach(() => begin());
afterEach(async () => {
  await world.assertNothingLeaked();
  await world.stop();
});

const action = (kind: number) => ({ kind, lines: [] });
const bits = ({ state, probability }: WireAnswer) => ({ state, probability });

/** What a client that behaves sees: a session, some questions computed anew, their answers. */
async function turns(): Promise<unknown[]> {
  const { session } = await calm.open({ source, call });
  const answers = [];
  for (const kind of [actionNumbers.step_into, actionNumbers.step_over, actionNumbers.continue]) {
    answers.push(bits(await calm.act({ session, from: 1, action: action(kind), fresh: true })));
  }
  await calm.closeSession(session);
  return answers;
}

/** The calm client asks on until `isOver`; every answer is what it was before anything happened. */
async function undisturbed(isOver: () => boolean | Promise<boolean>): Promise<void> {
  do expect(await turns()).toEqual(expected);
  while (!(await isOver()));
}

async function figure(name: string): Promise<number> {
  const text = await (await fetch(`${world.url}/metrics`)).text();
  return Number(new RegExp(`^foretrace_${name} (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
}
const connections = (): Promise<number> => figure('connections');
/** Connections that were given up. */
const givenUp = (): Promise<number> => figure('errors_total\\{code="disconnected"\\}');
const isAlone = async (): Promise<boolean> => (await connections()) === 1;

/** A session whose description is large: hundreds of states with long values. */
async function largeSession(): Promise<string> {
  const { session } = await calm.open({ source, call });
  const value = `'${'x'.repeat(40_000)}'`;
  for (let index = 0; index < 20; index += 1)
    await calm.edit({ session, from: 0, locals: { numbers: value } });
  return session;
}

const greeted = (): Promise<RawClient> => RawClient.greeted(world.socketUrl);

describe('a client process that is killed', () => {
  it('in the middle of a stream frees what it had', async () => {
    const { session } = await calm.open({ source, call });
    const script = fileURLToPath(new URL('../support/crashing-client.mjs', import.meta.url));
    const child = spawn(process.execPath, [script, world.socketUrl, session], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    expect(await firstLine(child)).toBe('part');
    child.kill('SIGKILL');
    await undisturbed(isAlone);
    await world.assertNothingLeaked();
    expect(world.server.service.runningCalls).toBe(0);
  });
});

describe('a half-open socket', () => {
  it('is found by its silence and ended, with what it asked', async () => {
    const network = await BrokenNetwork.start(Number(new URL(world.url).port));
    const raw = await RawClient.connect(network.url);
    raw.send(1, 'hello', { protocol: 1, apiKey: '', client: 'test' });
    await raw.message(1);
    expect(await connections()).toBe(2);
    network.breakAll();
    await undisturbed(isAlone);
    await network.close();
  });

  it('is not what a quiet client has: it answers pings', async () => {
    const raw = await greeted();
    await new Promise((resolve) => setTimeout(resolve, 4 * limits.pingMillis));
    expect(raw.closed).toBeNull();
    expect(await connections()).toBe(2);
    raw.socket.terminate();
    await until(() => raw.closed !== null);
  });
});

describe('a client that never reads', () => {
  it('is not read either, and closed with a code; the server holds a bounded part of its answers', async () => {
    await world.stop();
    await begin({ closeMillis: 60_000 });
    const session = await largeSession();
    const raw = await greeted();
    raw.socket.pause();
    for (let request = 2; request < 200; request += 1) raw.send(request, 'describeSession', { session });
    await undisturbed(async () => (await givenUp()) === 1);
    // Read what had been sent: the reason is the last of it.
    raw.socket.resume();
    expect(await raw.close()).toEqual({ code: 1008, reason: 'slow_reader' });
    // Each description has more than half a megabyte: 198 of them would be more than 100.
    expect(raw.messages.length).toBeLessThan(60);
    await undisturbed(isAlone);
  });

  it('of pings either', async () => {
    const raw = await greeted();
    raw.socket.pause();
    const flood = (): void => {
      while (raw.socket.readyState === raw.socket.OPEN && raw.socket.bufferedAmount < 1 << 16)
        raw.socket.ping(Buffer.alloc(125));
    };
    const timer = setInterval(flood, 1);
    await undisturbed(async () => (await connections()) === 1 || raw.socket.readyState !== raw.socket.OPEN);
    clearInterval(timer);
    raw.socket.terminate();
    await undisturbed(isAlone);
  });
});

describe('a client that talks nonsense', () => {
  it('is closed after a row of frames that are no messages', async () => {
    const raw = await greeted();
    const noise = Uint8Array.from({ length: 64 }, (_, index) => (index * 151 + 7) & 255);
    for (let frame = 0; frame < 200; frame += 1) raw.socket.send(frame % 2 === 0 ? noise : new Uint8Array(0));
    expect(await raw.close()).toEqual({ code: 1008, reason: 'invalid_message' });
    expect(raw.messages.filter(({ body }) => body === 'error').length).toBe(64);
    await undisturbed(isAlone);
  });

  it('pays for it like for requests, and may go on after it', async () => {
    await world.stop();
    await begin({ requestsPerMinute: 6 });
    const raw = await greeted();
    for (let frame = 0; frame < 5; frame += 1) raw.socket.send(Uint8Array.of(0xff));
    raw.send(90, 'describeSession', { session: 'none' });
    raw.send(91, 'describeSession', { session: 'none' });
    const [codes, requests] = [[await raw.error(7), await raw.error(8)], raw.messages.slice(6)];
    const byRequest = new Map(requests.map(({ request }, index) => [request, codes[index]]));
    expect([byRequest.get(90), byRequest.get(91)]).toEqual(['unknown_session', 'rate_limited']);
    raw.socket.terminate();
  });

  it.each<[string, (socket: Socket) => void]>([
    ['bytes that are no HTTP', (socket) => socket.write(Buffer.alloc(4096, 0xa5))],
    [
      'an upgrade and then no frames of it',
      (socket) => {
        const key = Buffer.alloc(16, 1).toString('base64');
        socket.write(
          `GET /v1/socket HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: ${key}\r\nSec-WebSocket-Version: 13\r\n\r\n`,
        );
        socket.write(Buffer.alloc(4096, 0xff));
      },
    ],
    [
      'a header a byte at a time',
      (socket) => {
        socket.write('GET /health HTTP/1.1\r\nX: ');
        const timer = setInterval(() => socket.write('x'), 20);
        socket.once('close', () => clearInterval(timer));
      },
    ],
    [
      'a body a byte at a time',
      (socket) => {
        socket.write(
          'POST /v1/sessions HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{',
        );
        const timer = setInterval(() => socket.write(' '), 20);
        socket.once('close', () => clearInterval(timer));
      },
    ],
    [
      'endless headers',
      (socket) => {
        socket.write('GET /health HTTP/1.1\r\n');
        const timer = setInterval(() => socket.write(`X-${'y'.repeat(1000)}: z\r\n`), 1);
        socket.once('close', () => clearInterval(timer));
      },
    ],
  ])('over TCP: %s', async (_name, talk) => {
    const socket = connect(Number(new URL(world.url).port), '127.0.0.1');
    let isClosed = false;
    socket.on('error', () => undefined);
    socket.on('close', () => {
      isClosed = true;
    });
    socket.on('data', () => undefined);
    await new Promise<void>((resolve) => socket.once('connect', resolve));
    talk(socket);
    await undisturbed(() => isClosed);
  });
});

describe('sessions', () => {
  it('that are abandoned expire, and their numbers are of no use to anybody then', async () => {
    await world.stop();
    await begin({ sessionIdleMillis: 3_000 });
    const lost = await world.connect();
    const ids: string[] = [];
    // No more at once than one connection may have running.
    for (let round = 0; round < 4; round += 1) {
      const opened = Array.from({ length: 50 }, (_, index) =>
        lost.open({ source, call: `total([${round}, ${index}])` }),
      );
      for (const { session } of await Promise.all(opened)) ids.push(session);
    }
    expect(new Set(ids).size).toBe(200);
    lost.terminate();
    await undisturbed(() => world.server.service.sessions.size <= 1);
    expect(world.server.service.sessions.bytes).toBe(0);
  });

  it('are bounded by bytes: the oldest states of one, the sessions unused longest of all', async () => {
    await world.stop();
    await begin({ maxBytesPerSession: 400_000, maxSessionBytes: 1_500_000, sessionGraceMillis: 0 });
    const session = await largeSession();
    const { states, current } = await calm.describe(session);
    expect(states.length).toBeLessThan(6);
    expect(states.at(-1)?.number).toBe(21);
    expect(current).toBe(21);
    const sessions = [session];
    for (let index = 0; index < 8; index += 1) sessions.push(await largeSession());
    expect(world.server.service.sessions.bytes).toBeLessThanOrEqual(1_500_000);
    const held = await Promise.all(
      sessions.map((one) =>
        calm.describe(one).then(
          () => true,
          () => false,
        ),
      ),
    );
    expect(held[0]).toBe(false);
    expect(held.at(-1)).toBe(true);
    expect(held.lastIndexOf(false)).toBeLessThan(held.indexOf(true));
  });

  it('that were used a moment ago are not dropped: a new one is refused instead', async () => {
    await world.stop();
    await begin({ maxSessionBytes: 300_000, sessionGraceMillis: 60_000 });
    const session = await largeSession();
    const refused = await calm.open({ source, call }).catch((error) => error);
    expect(refused).toMatchObject({ code: 'too_many_sessions' });
    expect(refused.details.retryAfterMillis).toBeGreaterThan(0);
    await calm.closeSession(session);
    expected = await turns();
  });
});

describe('what a request costs', () => {
  it('are the predictions that it asked of the model', async () => {
    await world.stop();
    const millisPerToken = 10_000;
    await begin({ requestsPerMinute: 60_000 / millisPerToken });
    const client = await world.connect();
    const { session } = await client.open({ source, call, start: middle });
    const before = world.scheduler.stats().submitted;
    await client.candidates({ session, action: action(actionNumbers.step_into), count: 8 });
    const asked = world.scheduler.stats().submitted - before;
    expect(asked).toBeGreaterThanOrEqual(8);
    const refused = await client.describe(session).catch((error) => error);
    expect(refused).toMatchObject({ code: 'rate_limited' });
    // Five of six tokens were left; how long it takes until there is one tells how many were spent, less those that came back meanwhile.
    const spent = 4 + refused.details.retryAfterMillis / millisPerToken;
    expect(spent).toBeLessThanOrEqual(asked);
    expect(spent).toBeGreaterThan(asked - 5);
  });
});

/** A state in the middle of things. */
const middle = {
  event: eventNumbers.line,
  frames: [{ line: 7, locals: [{ name: 'numbers', value: '[1, 2]' }], its: [], gots: [] }],
  hiddenFrames: 0,
};
