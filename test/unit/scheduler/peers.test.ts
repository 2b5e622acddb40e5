/**
 * Two clients that ask one question after the other. Where they ask about as much, neither is cut for the other; where one asks more, it is cut after all. Many
 * clients take turns.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { percentilesOf } from '../../../src/bench/agents/statistics.js';
import { type Costs, TimedClients } from '../../support/timed-clients.js';

/** What a client asks again and again, in tokens, with pauses in milliseconds. */
interface Habit {
  readonly question: number;
  readonly answer: number;
  readonly think: number;
}

const questions = 120;
/** Answers in which the scheduler gets to know the clients. */
const warmUp = 20;

/** Median milliseconds that one client waits, alone or beside another one. */
async function median(costs: Costs, watched: Habit, other?: Habit): Promise<number> {
  const world = new TimedClients(costs, 1);
  const asks = async (
    client: string,
    { question, answer, think }: Habit,
    goesOn: (done: number) => boolean,
  ) => {
    const latencies: number[] = [];
    while (goesOn(latencies.length)) {
      latencies.push(await world.askAfter(think, { client, program: 0, question, answer }));
    }
    return latencies.slice(warmUp);
  };
  const others =
    other === undefined ? [] : [async () => void (await asks('other', other, () => !world.isOver))];
  const latencies = await world.run(() => asks('watched', watched, (done) => done < questions), others);
  return percentilesOf(latencies).p50;
}

const costs = fc.record({
  time: fc.constantFrom({ fixed: 1, row: 0.05 }, { fixed: 1, row: 0.1 }, { fixed: 0.5, row: 0.1 }),
  rows: fc.constantFrom(64, 128),
});

describe('two clients that ask one question after the other', () => {
  it('wait little longer than alone where both ask the same', { timeout: 120_000 }, async () => {
    const habits = fc.record({
      question: fc.integer({ min: 8, max: 40 }),
      answer: fc.integer({ min: 6, max: 24 }),
      think: fc.integer({ min: 1, max: 5 }),
    });
    await fc.assert(
      fc.asyncProperty(costs, habits, async (cost, habit) => {
        expect(await median(cost, habit, habit)).toBeLessThan(1.6 * (await median(cost, habit)));
      }),
      {
        numRuns: 10,
        examples: [
          [
            { time: { fixed: 1, row: 0.05 }, rows: 64 },
            { question: 11, answer: 6, think: 2 },
          ],
        ],
      },
    );
  });

  it('wait not much longer where the other one sends more, in questions that are soon answered', async () => {
    const small = { question: 10, answer: 16, think: 5 };
    const large = { question: 200, answer: 1, think: 0 };
    const cost = { time: { fixed: 1, row: 0.1 }, rows: 256 };
    const alone = await median(cost, small);
    expect(await median(cost, small, large)).toBeLessThan(1.7 * alone);
    expect(await median({ ...cost, options: { slowdown: 1000 } }, small, large)).toBeGreaterThan(3 * alone);
  });
});

describe('many clients that ask at the same time', () => {
  it('have their answers one after the other, not all when the last one has its own', async () => {
    const world = new TimedClients({ time: { fixed: 0.5, row: 0.05 }, rows: 64 }, 1);
    const clients = 24;
    const ask = (index: number): Promise<number> =>
      world.askAfter(0, { client: `client ${index}`, program: index, question: 40, answer: 1 });
    const waited = await world.run(
      () => Promise.all(Array.from({ length: clients }, (_, index) => ask(index))),
      [],
    );
    const mean = waited.reduce((sum, millis) => sum + millis, 0) / clients;
    expect(mean).toBeLessThan(0.7 * Math.max(...waited));
  });
});
