/**
 * A client beside one that sends fifty times as much: its 95th percentile stays within twice what it is alone. In virtual time over a fake engine whose
 * passes cost what passes cost: a fixed part, worth at least four rows, and a part for every row.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { percentilesOf } from '../../../src/bench/agents/statistics.js';
import { type Costs, TimedClients } from '../../support/timed-clients.js';

interface Scene extends Costs {
  readonly seed: number;
  /** Tokens of a question behind its program, and of its answer. */
  readonly question: number;
  readonly answer: number;
  /** Milliseconds between an answer and the small client's next question. */
  readonly think: number;
}

const smallQuestions = 40;
const largeAgents = 50;

/** Milliseconds that the small client waits for each answer, and tokens computed for the large one. */
async function run(scene: Scene, isBeside: boolean): Promise<{ latencies: number[]; largeTokens: number }> {
  const world = new TimedClients(scene, scene.seed);
  const { think, question, answer } = scene;
  let largeTokens = 0;
  /** One of fifty that ask again as soon as they have an answer. */
  const large = async (): Promise<void> => {
    while (!world.isOver) {
      const program = 1 + world.random.below(3);
      const counts = await world.ask({ client: 'large', program, question, answer });
      largeTokens += counts.new;
    }
  };
  const small = async (): Promise<number[]> => {
    const latencies: number[] = [];
    await world.clock.sleep(20 * think);
    for (let index = 0; index < smallQuestions; index += 1) {
      latencies.push(await world.askAfter(think, { client: 'small', program: 0, question, answer }));
    }
    return latencies;
  };
  const latencies = await world.run(small, isBeside ? Array.from({ length: largeAgents }, () => large) : []);
  return { latencies, largeTokens };
}

async function compare(scene: Scene): Promise<{ alone: number; beside: number; largeTokens: number }> {
  const alone = percentilesOf((await run(scene, false)).latencies).p95;
  const { latencies, largeTokens } = await run(scene, true);
  return { alone, beside: percentilesOf(latencies).p95, largeTokens };
}

const scenes: fc.Arbitrary<Scene> = fc.record({
  seed: fc.nat(1_000_000),
  time: fc.constantFrom({ fixed: 1, row: 0.02 }, { fixed: 1, row: 0.1 }, { fixed: 0.5, row: 0.1 }),
  rows: fc.constantFrom(32, 64, 128),
  question: fc.integer({ min: 8, max: 40 }),
  answer: fc.integer({ min: 6, max: 24 }),
  think: fc.integer({ min: 1, max: 30 }),
});

describe('a client beside one that sends fifty times as much', () => {
  it('waits at most twice as long as alone, at the 95th percentile', { timeout: 300_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(scenes, async (scene) => {
        const { alone, beside, largeTokens } = await compare(scene);
        expect(largeTokens).toBeGreaterThan(0);
        expect(beside).toBeLessThanOrEqual(2 * alone);
      }),
      { numRuns: 5 },
    );
  });

  it('would wait longer if nobody bounded what one client may add to the passes of another', async () => {
    const scene = { seed: 3, time: { fixed: 1, row: 0.1 }, rows: 128, question: 20, answer: 8, think: 10 };
    const { alone, beside } = await compare({ ...scene, options: { slowdown: 1000 } });
    expect(beside).toBeGreaterThan(2 * alone);
  });
});
