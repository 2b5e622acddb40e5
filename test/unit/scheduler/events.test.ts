/**
 * Random sequences of events against the fake engine: arrivals, cancellations, disconnects, running out of pages, failures of the engine. After
 * every step the pool must balance; at the end every request is answered exactly once, and every answer is the one a fresh engine gives.
 */
import { describe, expect, it } from 'vitest';
import { ForetraceError } from '../../../src/errors.js';
import type { GenerationRequest, GenerationResult } from '../../../src/scheduler/request.js';
import { createScheduler, type Scheduler } from '../../../src/scheduler/scheduler.js';
import { FakeEngine } from '../../support/fake-engine.js';
import {
  answerAlone,
  constraint,
  programTokens,
  Random,
  turn,
  vocabSize,
  Watch,
} from '../../support/scheduler-world.js';

interface Asked {
  readonly request: GenerationRequest;
  readonly watch: Watch;
  readonly controller: AbortController;
  cancelled: boolean;
  settled: number;
  result?: GenerationResult;
  error?: ForetraceError;
}

const expectedAnswers = new Map<string, string>();

function expectedAnswer(request: GenerationRequest): string {
  const { prompt, constraint: rule, sampling, maxNewTokens } = request;
  const key = JSON.stringify([[...prompt], rule?.key, sampling, maxNewTokens]);
  let answer = expectedAnswers.get(key);
  if (answer === undefined) {
    answer = textOf(answerAlone(request));
    expectedAnswers.set(key, answer);
  }
  return answer;
}

const textOf = (run: { tokens: Int32Array; logProbabilities: Float32Array; forced: Uint8Array }): string =>
  `${run.tokens.join()}|${run.logProbabilities.join()}|${run.forced.join()}`;

class World {
  readonly asked: Asked[] = [];
  readonly engine: FakeEngine;
  readonly scheduler: Scheduler;
  events = 0;
  steps = 0;
  idles = 0;
  private failures = 0;

  constructor(
    private readonly random: Random,
    withFailures: boolean,
  ) {
    const fails = (probability: number) => withFailures && random.chance(probability);
    const boom = () => {
      this.failures += 1;
      return new ForetraceError('internal', 'injected');
    };
    this.engine = new FakeEngine({
      vocabSize,
      pages: 16 + random.below(24),
      pageTokens: 4,
      maxRows: 16,
      failures: {
        step: () => (fails(0.004) ? boom() : undefined),
        open: () => (fails(0.004) ? boom() : undefined),
        generate: () => (fails(0.004) ? boom() : undefined),
        addGrammar: () => (fails(0.05) ? boom() : undefined),
        block: () => (random.chance(0.01) ? 'outOfPages' : fails(0.002) ? this.failBlock() : undefined),
      },
    });
    this.scheduler = createScheduler(this.engine, {
      rows: 8 + random.below(9),
      maxRunning: 2 + random.below(6),
      maxQueued: 40,
      maxIterations: 1 + random.below(8),
      patience: 4 + random.below(60),
      storeBytes: random.chance(0.5) ? 8192 : 0,
      maxUnusedGrammars: random.below(3),
      shortExtend: 4 + random.below(12),
      quantum: 8 + random.below(100),
      afterStep: (engine) => {
        this.steps += 1;
        engine.checkInvariants();
        this.checkCounts();
      },
      onIdle: (engine) => {
        this.idles += 1;
        engine.checkInvariants();
        expect(engine.stats().usedPages).toBe(0);
        expect(engine.stats().openSequences).toBe(0);
        expect(this.scheduler.stats().grammars.uses).toBe(0);
      },
    });
  }

  get injected(): number {
    return this.failures;
  }

  async event(): Promise<void> {
    this.events += 1;
    const draw = this.random.next();
    if (draw < 0.3) this.submit();
    else if (draw < 0.38) this.cancelOne();
    else if (draw < 0.385) this.disconnect(`client${this.random.below(4)}`);
    else await turn();
  }

  checkSettled(): void {
    for (const one of this.asked) {
      expect(one.settled).toBe(1);
      if (one.result !== undefined) {
        expect(textOf(one.result)).toBe(expectedAnswer(one.request));
        expect(one.watch.tokens).toEqual(Array.from(one.result.tokens));
      } else {
        this.checkError(one);
      }
    }
  }

  private checkError(one: Asked): void {
    const { code } = one.error as ForetraceError;
    const allowed = ['overloaded', 'out_of_pages'];
    if (one.cancelled) allowed.push('cancelled');
    if (this.failures > 0) allowed.push('internal');
    expect(allowed).toContain(code);
    const expected = expectedAnswer(one.request).split('|')[0] as string;
    const received = one.watch.tokens.join();
    expect(`${expected},`.startsWith(received === '' ? '' : `${received},`)).toBe(true);
  }

  private failBlock(): 'failed' {
    this.failures += 1;
    return 'failed';
  }

  private checkCounts(): void {
    const { stats } = this.engine;
    const pool = stats.call(this.engine);
    if (pool.freePages + pool.cachedPages + pool.usedPages !== pool.totalPages)
      throw new Error('pages are lost');
    const state = this.scheduler.stats();
    if (pool.openSequences !== state.running) throw new Error('an open sequence without a request');
    const { model, cache, cancelled, rejected, failed } = state.endings;
    const open = state.submitted - model - cache - cancelled - rejected - failed;
    const listening = this.asked.filter((one) => one.settled === 0).length;
    if (open > listening) throw new Error(`${open} requests are open, ${listening} wait for an answer`);
  }

  private submit(): void {
    const { random } = this;
    const controller = new AbortController();
    const watch = new Watch();
    const recent = this.asked.slice(-6);
    const again = random.chance(0.25) ? recent[random.below(recent.length)]?.request : undefined;
    const request: GenerationRequest = {
      ...(again ?? this.freshQuestion()),
      client: `client${random.below(4)}`,
      priority: random.chance(0.5) ? 'interactive' : 'batch',
      signal: controller.signal,
      onTokens: watch.onTokens,
    };
    const one: Asked = { request, watch, controller, cancelled: false, settled: 0 };
    this.asked.push(one);
    this.scheduler.submit(request).then(
      (result) => {
        one.settled += 1;
        one.result = result;
      },
      (error: ForetraceError) => {
        one.settled += 1;
        one.error = error;
      },
    );
  }

  private freshQuestion(): Omit<GenerationRequest, 'client' | 'priority'> {
    const { random } = this;
    const shared = programTokens(random.below(4), 4 * random.below(6));
    const ask = random.below(12);
    const seed = random.below(3);
    const constrained = random.chance(0.7);
    const maxNewTokens = 4 + random.below(4) * 4;
    const prompt = Int32Array.from([...shared, ask, (ask * 5 + 1) % vocabSize, 2]);
    return {
      prompt,
      sharedTokens: shared.length,
      ...(constrained ? { constraint: constraint(`grammar${ask % 5}`) } : {}),
      sampling: { temperature: seed === 0 ? 0 : 1, topP: 1, seed },
      maxNewTokens,
      stopToken: -1,
      ...(random.chance(0.6) ? { key: `${prompt.join()}/${constrained}/${seed}/${maxNewTokens}` } : {}),
    };
  }

  private cancelOne(): void {
    const recent = this.asked.slice(-30);
    const one = recent[this.random.below(recent.length)];
    if (one !== undefined) this.cancel(one);
  }

  private disconnect(client: string): void {
    for (const one of this.asked.slice(-200)) if (one.request.client === client) this.cancel(one);
  }

  private cancel(one: Asked): void {
    if (one.settled > 0) return;
    one.cancelled = true;
    one.controller.abort();
  }
}

async function play(seed: number, events: number, withFailures: boolean): Promise<World> {
  const world = new World(new Random(seed), withFailures);
  while (world.events < events) await world.event();
  await world.scheduler.drain();
  await turn();
  world.checkSettled();
  const { endings, submitted } = world.scheduler.stats();
  expect(endings.model + endings.cache + endings.cancelled + endings.rejected + endings.failed).toBe(
    submitted,
  );
  expect(world.engine.stats().usedPages).toBe(0);
  expect(world.idles).toBeGreaterThan(0);
  await world.scheduler.close();
  expect(world.engine.grammars.size).toBe(0);
  return world;
}

describe('random event sequences', () => {
  const rounds = 60;
  const eventsPerRound = 1000;

  it('answer every request once and alike, whatever is cancelled or preempted', async () => {
    const totals = { preemptions: 0, cancelled: 0, joined: 0, cache: 0, model: 0 };
    for (let seed = 1; seed <= rounds; seed += 1) {
      const world = await play(seed, eventsPerRound, false);
      const stats = world.scheduler.stats();
      totals.preemptions += stats.preemptions;
      totals.cancelled += stats.endings.cancelled;
      totals.joined += stats.joined;
      totals.cache += stats.endings.cache;
      totals.model += stats.endings.model;
    }
    // The sequences are worth something only if they reach every branch.
    for (const [name, count] of Object.entries(totals)) expect(count, name).toBeGreaterThan(100);
  });

  it('survive failures of the engine', async () => {
    let injected = 0;
    let failed = 0;
    for (let seed = 1001; seed <= 1000 + rounds; seed += 1) {
      const world = await play(seed, eventsPerRound, true);
      injected += world.injected;
      failed += world.scheduler.stats().endings.failed;
    }
    expect(injected).toBeGreaterThan(100);
    expect(failed).toBeGreaterThan(100);
  });
});
