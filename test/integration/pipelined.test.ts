/** Many HTTP requests on one connection, sent without waiting for answers: as many run as one connection may have, and none longer than it lives. */
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { defaultLimits } from '../../src/server/limits.js';
import { call, Gate, ServiceWorld, source, until, type WorldOptions } from '../support/service-world.js';

let world: ServiceWorld;
const gate = new Gate();

async function begin(options: WorldOptions = {}): Promise<string> {
  gate.open();
  world = await ServiceWorld.start({ ...options, fake: { pause: gate.pass } });
  const { session } = await (await world.connect()).open({ source, call });
  return session;
}
afterEach(async () => {
  gate.open();
  await world.assertNothingLeaked();
  await world.stop();
});

/** So many questions, each computed anew: none waits for the answer to another. */
function questions(session: string, count: number): string {
  const body = JSON.stringify({ from: 1, action: { kind: 'CONTINUE' }, fresh: true });
  const head = `POST /v1/sessions/${session}/act HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n`;
  return `${head}Content-Length: ${body.length}\r\n\r\n${body}`.repeat(count);
}

async function dial(): Promise<Socket & { text: string }> {
  const socket = connect(Number(new URL(world.url).port), '127.0.0.1');
  const heard = Object.assign(socket, { text: '' });
  socket.setEncoding('utf8');
  socket
    .on('error', () => undefined)
    .on('data', (text) => {
      heard.text += text;
    });
  await until(() => socket.readyState === 'open');
  return heard;
}

const statuses = ({ text }: { text: string }): string[] =>
  [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status as string);
const running = (): number => world.server.service.runningCalls;

describe('pipelined requests', () => {
  it('end with their connection', async () => {
    const session = await begin();
    gate.close();
    const socket = await dial();
    socket.write(questions(session, 20));
    await until(() => running() === 20);
    socket.destroy();
    await until(() => running() === 0);
    gate.open();
  });

  it('are no more at once than one connection may have, and the others are told when to come back', async () => {
    const session = await begin({ limits: { maxRunningPerConnection: 3 } });
    gate.close();
    const [socket, other] = [await dial(), await dial()];
    socket.write(questions(session, 5));
    other.write(questions(session, 1));
    await until(() => running() === 4);
    gate.open();
    await until(() => statuses(socket).length === 5);
    expect(statuses(socket)).toEqual(['200', '200', '200', '429', '429']);
    expect(socket.text).toContain('"code":"rate_limited"');
    expect(socket.text).toMatch(/"retryAfterMillis":[1-9]/);
    expect(socket.text.match(/^retry-after: [1-9]/gm)).toHaveLength(2);
    socket.write(questions(session, 1));
    await until(() => statuses(socket)[5] === '200');
    for (const one of [socket, other]) one.destroy();
  });

  it('in hundreds end the connection, of which nothing more may be read', async () => {
    const session = await begin();
    gate.close();
    const socket = await dial();
    socket.write(questions(session, 600));
    await until(() => socket.destroyed);
    await until(() => running() === 0);
    gate.open();
    expect(world.scheduler.stats().submitted).toBeLessThanOrEqual(defaultLimits.maxRunningPerConnection + 1);
  });
});
