/**
 * Clients that open sessions and go, in the middle of what they asked: when the sessions have expired the process holds what it held before, and a client
 * that stays gets the answers it got before. `FORETRACE_ABANDONED=10000 npx vitest run test/integration/abandoned.test.ts` does it with so many sessions.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ForetraceClient } from '../../src/client/client.js';
import { actionKinds, takesLines } from '../../src/debugger/action.js';
import { actionNumbers, type WireAnswer } from '../../src/wire/messages.js';
import { tinyModel } from '../support/command.js';
import { Served } from '../support/served.js';
import { call, source } from '../support/service-world.js';

const count = Number(process.env.FORETRACE_ABANDONED ?? 600);
/** Sessions of one client that goes. */
const perClient = 50;
/** Characters of the value that each session has of its own. */
const valueLength = 20_000;
const idleSeconds = Math.max(5, Math.ceil(count / 100));

let served: Served;
let calm: ForetraceClient;
beforeAll(async () => {
  served = await Served.start('--model', tinyModel, '--threads', '1', '--session-idle', String(idleSeconds));
  calm = await ForetraceClient.connect(served.socketUrl);
});
afterAll(async () => {
  calm.terminate();
  expect(await served.kill('SIGTERM')).toBe(0);
});

const action = (kind: (typeof actionKinds)[number]) => ({ kind: actionNumbers[kind], lines: [] });
const bits = ({ state, probability }: WireAnswer) => ({ state, probability });

async function calmTurns(): Promise<object[]> {
  const { session } = await calm.open({ source, call });
  const answers = [];
  for (const kind of actionKinds.filter((one) => !takesLines(one) && !one.startsWith('inv_')))
    answers.push(bits(await calm.act({ session, from: 1, action: action(kind), fresh: true })));
  await calm.closeSession(session);
  return answers;
}

/** Sessions with a state of their own each, and a question that nobody waits for. */
async function abandon(first: number, sessions: number): Promise<void> {
  const client = await ForetraceClient.connect(served.socketUrl);
  const one = async (index: number): Promise<void> => {
    const { session } = await client.open({ source, call: `total([${index % 8}])` });
    const value = `'${String(index).repeat(valueLength).slice(0, valueLength)}'`;
    await client.edit({ session, from: 1, locals: { numbers: value } });
    const question = { session, from: 1, action: action('continue'), fresh: true };
    if (index % 10 === 0) client.act(question).catch(() => undefined);
  };
  await Promise.all(Array.from({ length: sessions }, (_, index) => one(first + index)));
  client.terminate();
}

async function abandonAll(sessions: number): Promise<void> {
  for (let first = 0; first < sessions; first += perClient)
    await abandon(first, Math.min(perClient, sessions - first));
}

async function untilExpired(): Promise<void> {
  while ((await served.figure('sessions')) > 0 || (await served.figure('connections')) > 1)
    await new Promise((resolve) => setTimeout(resolve, 100));
}

const heldBy = async (): Promise<number> => {
  const { heapUsed, external } = await served.memory();
  return heapUsed + external;
};

describe(`${count} sessions opened and abandoned`, () => {
  it('leave nothing behind, and nobody else notices', async () => {
    const expected = await calmTurns();
    // Caches and compiled code come to their size.
    await abandonAll(200);
    await untilExpired();
    const before = await heldBy();
    let isOver = false;
    let turns = 0;
    const others = (async () => {
      while (!isOver) {
        expect(await calmTurns()).toEqual(expected);
        turns += 1;
      }
    })();
    await abandonAll(count);
    const open = await served.figure('sessions');
    const during = await heldBy();
    isOver = true;
    await others;
    // No session that is open holds a page of the engine: all of them can be evicted.
    expect(await served.figure('sessions')).toBeGreaterThan(0);
    expect(await served.figure('pool_used_pages')).toBe(0);
    await untilExpired();
    const after = await heldBy();
    const usage = await served.memory();
    const mebi = (bytes: number): string => (bytes / 2 ** 20).toFixed(1);
    console.log(
      `${count} sessions, ${open} of them open at the end of it: ${mebi(before)} MiB before, ${mebi(during)} with them, ` +
        `${mebi(after)} after they expired (resident ${mebi(usage.rss)}); ${turns} rounds of another client meanwhile`,
    );
    expect(turns).toBeGreaterThan(0);
    expect(open).toBeGreaterThan(0);
    const level = 4 * 2 ** 20 + (during - before) / 20;
    expect(during - before).toBeGreaterThan(open * valueLength);
    expect(after - before).toBeLessThan(level);
    expect(await served.figure('session_bytes')).toBe(0);
    expect(await served.figure('scheduler_running')).toBe(0);
    expect(await served.figure('pool_used_pages')).toBe(0);
    expect(await calmTurns()).toEqual(expected);
  });
});
