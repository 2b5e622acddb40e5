/**
 * A client beside one that sends fifty times as much: its 95th percentile stays within twice what it is alone. In virtual time over a fake engine whose
 * passes cost what passes cost: a fixed part, worth at least four rows, and a part for every row.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ForetraceError } from '../../../src/errors.js';
import type { SchedulerOptions } from '../../../src/scheduler/options.js';
import type { GenerationRequest } from '../../../src/scheduler/request.js';
import { createScheduler, type Scheduler } from '../../../src/scheduler/scheduler.js';
import { Random, turn, vocabSize } from '../../support/scheduler-world.js';
import { type PassTime, timedEngine } from '../../support/timed-engine.js';
import { VirtualClock } from '../../support/virtual-clock.js';

interface Scene {
  readonly seed: number;
  /** Milliseconds of a pass. */
  readonly time: PassTime;
  readonly rows: number;
  /** Tokens of a question behind its program, and of its answer. */
  readonly question: number;
  readonly answer: number;
  /** Milliseconds between an answer and the small client's next question. */
  readonly think: number;
  readonly options?: SchedulerOptions;
}

const smallQuestions = 40;
const largeAgents = 50;

class Clients {
  readonly clock = new VirtualClock();
  readonly scheduler: Scheduler;
  private readonly random: Random;
  private isOver = false;
  /** Tokens computed for the large client. */
  largeTokens = 0;

  constructor(private readonly scene: Scene) {
    this.random = new Random(scene.seed);
    const { fixed, row } = scene.time;
    const engine = timedEngine(this.clock, scene.time, {
      vocabSize,
      pages: 4096,
      pageTokens: 8,
      maxRows: 512,
      maxContext: 512,
    });
    this.scheduler = createScheduler(engine, {
      rows: scene.rows,
      fixedRows: fixed / row,
      now: this.clock.now,
      setTimer: this.clock.setTimer,
      storeBytes: 0,
      ...scene.options,
    });
  }

  /** Milliseconds that the small client waits for each answer. */
  async run(isBeside: boolean): Promise<number[]> {
    const small = this.small();
    if (isBeside) for (let agent = 0; agent < largeAgents; agent += 1) void this.large();
    while (!this.isOver) {
      await turn();
      this.clock.fireNext();
    }
    const latencies = await small;
    const drained = this.scheduler.drain();
    let isDrained = false;
    void drained.then(() => {
      isDrained = true;
    });
    while (!isDrained) {
      await turn();
      this.clock.fireNext();
    }
    return latencies;
  }

  private async small(): Promise<number[]> {
    const { think } = this.scene;
    const latencies: number[] = [];
    await this.clock.sleep(20 * think);
    for (let index = 0; index < smallQuestions; index += 1) {
      await this.clock.sleep(think * (0.5 + this.random.next()));
      const asked = this.clock.now();
      await this.scheduler.submit(this.ask('small', 0));
      latencies.push(this.clock.now() - asked);
    }
    this.isOver = true;
    return latencies;
  }

  /** One of fifty that ask again as soon as they have an answer. */
  private async large(): Promise<void> {
    while (!this.isOver) {
      try {
        const { counts } = await this.scheduler.submit(this.ask('large', 1 + this.random.below(3)));
        this.largeTokens += counts.new;
      } catch (error) {
        if (!(error instanceof ForetraceError) || !error.retryable) throw error;
        await this.clock.sleep(error.details.retryAfterMillis ?? 1000);
      }
    }
  }

  private ask(client: string, program: number): GenerationRequest {
    const { question, answer } = this.scene;
    const shared = Array.from({ length: 48 }, (_, index) => (program * 11 + index * 3) % vocabSize);
    const own = Array.from({ length: question }, () => this.random.below(vocabSize));
    return {
      client,
      priority: 'interactive',
      prompt: Int32Array.from([...shared, ...own]),
      sharedTokens: shared.length,
      sampling: { temperature: 0, topP: 1, seed: 0 },
      maxNewTokens: answer,
      stopToken: -1,
    };
  }
}

const percentile = (values: readonly number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.ceil(share * values.length) - 1] as number;

async function compare(scene: Scene): Promise<{ alone: number; beside: number; largeTokens: number }> {
  const alone = percentile(await new Clients(scene).run(false), 0.95);
  const both = new Clients(scene);
  const beside = percentile(await both.run(true), 0.95);
  return { alone, beside, largeTokens: both.largeTokens };
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
