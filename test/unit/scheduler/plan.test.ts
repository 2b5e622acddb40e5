import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { resolveOptions } from '../../../src/scheduler/options.js';
import { plan } from '../../../src/scheduler/plan.js';
import { chooseVictim, expectedPages } from '../../../src/scheduler/policy.js';
import {
  type Budget,
  type Fairness,
  freshFairness,
  type PrefixState,
  type Queues,
  type StepPlan,
  type WaitingWork,
} from '../../../src/scheduler/work.js';
import { pageTokens, queuesOf, runningWork, waitingWork } from '../../support/works.js';

const budgetOf = (changes: Partial<Budget> = {}): Budget => ({
  ...resolveOptions({ rows: 16, maxRunning: 8 }),
  ...changes,
});

const memory = (availablePages: number) => ({ availablePages, totalPages: 1000, pageTokens });
const priorities = fc.constantFrom('interactive' as const, 'batch' as const);
const clients = fc.constantFrom('a', 'b', 'c');

const queues: fc.Arbitrary<Queues> = fc
  .record({
    waiting: fc.array(
      fc.record({
        client: clients,
        priority: priorities,
        knownTokens: fc.integer({ min: 1, max: 60 }),
        prefixKey: fc.integer({ min: 0, max: 4 }),
        waited: fc.integer({ min: 0, max: 300 }),
        share: fc.double({ min: 0, max: 1, noNaN: true }),
      }),
      { maxLength: 20 },
    ),
    running: fc.array(
      fc.record({
        client: clients,
        priority: priorities,
        pendingTokens: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 100 })),
        generatingRows: fc.integer({ min: 1, max: 30 }),
        lastStep: fc.integer({ min: 0, max: 300 }),
        preemptions: fc.integer({ min: 0, max: 5 }),
        pages: fc.integer({ min: 1, max: 10 }),
      }),
      { maxLength: 8 },
    ),
    prefixes: fc.array(
      fc.tuple(
        fc.integer({ min: 1, max: 4 }),
        fc.record({
          status: fc.constantFrom('computing' as const, 'computed' as const),
          holders: fc.integer({ min: 0, max: 2 }),
        }),
      ),
    ),
  })
  .map(({ waiting, running, prefixes }) => ({
    waiting: waiting.map((one, index) =>
      waitingWork(100 + index, {
        ...one,
        queuedAtStep: 300 - one.waited,
        sharedTokens: Math.floor(one.knownTokens * one.share),
      }),
    ),
    running: running.map((one, index) => runningWork(index + 1, one)),
    prefixes: new Map<number, PrefixState>(prefixes),
    fairness: freshFairness,
    recent: new Map(),
    step: 300,
    now: 0,
  }));

const rowsOf = (step: StepPlan): number => step.blocks.reduce((sum, block) => sum + block.rows, 0);

describe('plan', () => {
  it('is never over the rows, the slots or the pages, and names everybody at most once', () => {
    fc.assert(
      fc.property(queues, fc.integer({ min: 4, max: 80 }), fc.nat(60), (state, rows, available) => {
        const budget = budgetOf({ rows });
        const step = plan(state, budget, memory(available));
        expect(rowsOf(step)).toBeLessThanOrEqual(rows);
        const kept = state.running.length - step.preempt.length;
        if (step.admit.length > 0) expect(kept + step.admit.length).toBeLessThanOrEqual(budget.maxRunning);
        const victims = state.running.filter((work) => step.preempt.includes(work.id));
        const freed = victims.reduce((sum, work) => sum + work.pages, 0);
        const admitted = state.waiting.filter((work) => step.admit.includes(work.id));
        const needed = admitted.reduce((sum, work) => sum + expectedPages(work, state, pageTokens), 0);
        if (needed > 0) expect(needed).toBeLessThanOrEqual(available + freed);
        const ids = step.blocks.map((block) => block.id);
        expect(new Set(ids).size).toBe(ids.length);
        expect(new Set(step.admit).size).toBe(step.admit.length);
        for (const id of ids) expect(step.preempt).not.toContain(id);
        for (const id of step.admit) expect(ids).toContain(id);
        for (const work of state.running) {
          const block = step.blocks.find((one) => one.id === work.id);
          if (work.pendingTokens > 0 && block !== undefined)
            expect(block.rows).toBeLessThanOrEqual(work.pendingTokens);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('always gives work to somebody who runs, and never changes its input', () => {
    fc.assert(
      fc.property(queues, fc.integer({ min: 4, max: 20 }), fc.nat(60), (state, rows, available) => {
        const before = JSON.stringify([state.waiting, state.running, [...state.prefixes]]);
        const step = plan(state, budgetOf({ rows }), memory(available));
        if (state.running.length > step.preempt.length) expect(step.blocks.length).toBeGreaterThan(0);
        expect(JSON.stringify([state.waiting, state.running, [...state.prefixes]])).toBe(before);
        expect(state.fairness.deficits.size).toBe(0);
      }),
      { numRuns: 1000 },
    );
  });

  it('keeps a share of the rows for prompts although enough sequences generate', () => {
    const running = Array.from({ length: 7 }, (_, index) => runningWork(index + 1));
    const long = runningWork(8, { pendingTokens: 100 });
    const step = plan(queuesOf({ running: [...running, long] }), budgetOf({ rows: 8 }), memory(0));
    expect(step.blocks.find((block) => block.id === 8)?.rows).toBe(2);
    expect(rowsOf(step)).toBe(8);
  });

  it('gives all rows to generating sequences when no prompt waits, and lets the engine make several passes', () => {
    const running = Array.from({ length: 8 }, (_, index) => runningWork(index + 1));
    const step = plan(queuesOf({ running }), budgetOf({ rows: 8, maxIterations: 16 }), memory(0));
    expect(step.blocks.length).toBe(8);
    expect(step.maxIterations).toBe(16);
  });

  it('lets the engine go on behind what is opened: how much of it is cached shows then', () => {
    const step = plan(
      queuesOf({ waiting: [waitingWork(1)] }),
      budgetOf({ rows: 64, maxIterations: 16 }),
      memory(100),
    );
    expect([step.admit, step.maxIterations]).toEqual([[1], 16]);
  });

  it('makes one pass when a prompt is left over, a prefix is computed, or a sequence was passed over', () => {
    const budget = budgetOf({ rows: 4 });
    const long = plan(queuesOf({ running: [runningWork(1, { pendingTokens: 100 })] }), budget, memory(0));
    const crowd = Array.from({ length: 5 }, (_, index) => runningWork(index + 1));
    const passedOver = plan(queuesOf({ running: crowd }), budget, memory(0));
    const prefixes = new Map<number, PrefixState>([[7, { status: 'computing', holders: 1 }]]);
    const followers = [waitingWork(9, { prefixKey: 7, sharedTokens: 8 })];
    const follows = plan(
      queuesOf({ running: [runningWork(1)], waiting: followers, prefixes }),
      budget,
      memory(50),
    );
    expect([long, passedOver, follows].map((step) => step.maxIterations)).toEqual([1, 1, 1]);
    expect(follows.admit).toEqual([]);
  });

  it('lets short prompts pass long ones, and the oldest long one still moves', () => {
    const running = [runningWork(1, { pendingTokens: 200 }), runningWork(2, { pendingTokens: 5 })];
    const step = plan(queuesOf({ running }), budgetOf({ rows: 16, shortExtend: 8 }), memory(0));
    const rows = new Map(step.blocks.map((block) => [block.id, block.rows]));
    expect(rows.get(2)).toBe(5);
    expect(rows.get(1)).toBe(11);
  });

  it('opens one of several requests with the same unknown prefix', () => {
    const waiting = [1, 2, 3].map((id) => waitingWork(id, { prefixKey: 9, sharedTokens: 8 }));
    const step = plan(queuesOf({ waiting }), budgetOf({ rows: 64 }), memory(100));
    expect(step.admit).toEqual([1]);
    const prefixes = new Map<number, PrefixState>([[9, { status: 'computed', holders: 1 }]]);
    const later = plan(queuesOf({ waiting, prefixes }), budgetOf({ rows: 64 }), memory(100));
    expect(later.admit).toEqual([1, 2, 3]);
  });

  it('prefers the longest cached prefix until age outweighs it', () => {
    const prefixes = new Map<number, PrefixState>([[9, { status: 'computed', holders: 0 }]]);
    const plain = waitingWork(1, { knownTokens: 40 });
    const cached = waitingWork(2, { knownTokens: 40, sharedTokens: 36, prefixKey: 9 });
    const budget = budgetOf({ maxRunning: 1, ageTokens: 8 });
    const fresh = plan(queuesOf({ waiting: [plain, cached], prefixes }), budget, memory(100));
    expect(fresh.admit).toEqual([2]);
    const aged = [plain, { ...cached, queuedAtStep: 10 }];
    expect(plan(queuesOf({ waiting: aged, prefixes, step: 10 }), budget, memory(100)).admit).toEqual([1]);
  });

  it('takes pages from the youngest batch request for an interactive one, and only if that suffices', () => {
    const running = [1, 2, 3].map((id) =>
      runningWork(id, { priority: id === 3 ? 'interactive' : 'batch', pages: 5 }),
    );
    const waiting = [waitingWork(10, { pages: 5 })];
    expect(plan(queuesOf({ running, waiting }), budgetOf(), memory(1)).preempt).toEqual([2]);
    const large = [waitingWork(10, { pages: 30 })];
    expect(plan(queuesOf({ running, waiting: large }), budgetOf(), memory(1)).preempt).toEqual([]);
    const batch = [waitingWork(10, { pages: 5, priority: 'batch' })];
    expect(plan(queuesOf({ running, waiting: batch }), budgetOf(), memory(1)).preempt).toEqual([]);
  });

  it('lets small requests pass one that lacks pages until that one is aged', () => {
    const running = [runningWork(1)];
    const waiting = [waitingWork(10, { pages: 50 }), waitingWork(11, { pages: 2 })];
    const budget = budgetOf({ patience: 20 });
    expect(plan(queuesOf({ running, waiting }), budget, memory(4)).admit).toEqual([11]);
    expect(plan(queuesOf({ running, waiting, step: 20 }), budget, memory(4)).admit).toEqual([]);
  });

  it('chooses as victim a batch request before an interactive one, then the youngest', () => {
    const running = [
      runningWork(1, { priority: 'batch' }),
      runningWork(2, { priority: 'batch' }),
      runningWork(3),
    ];
    expect(chooseVictim(running)?.id).toBe(2);
    expect(chooseVictim(running.slice(2))?.id).toBe(3);
    expect(chooseVictim([])).toBeUndefined();
  });
});

/** Runs plans alone: everything admitted is answered in the next step. */
class Simulation {
  fairness: Fairness = freshFairness;
  step = 0;
  nextId = 1;
  waiting: WaitingWork[] = [];

  constructor(private readonly budget: Budget) {}

  add(changes: Partial<WaitingWork>): WaitingWork {
    const work = waitingWork(this.nextId, { ...changes, queuedAtStep: this.step });
    this.nextId += 1;
    this.waiting.push(work);
    return work;
  }

  advance(available = 1000): WaitingWork[] {
    const state = queuesOf({ waiting: this.waiting, fairness: this.fairness, step: this.step });
    const step = plan(state, this.budget, memory(available));
    this.fairness = step.fairness;
    this.step += 1;
    const admitted = this.waiting.filter((work) => step.admit.includes(work.id));
    this.waiting = this.waiting.filter((work) => !step.admit.includes(work.id));
    return admitted;
  }
}

describe('fairness', () => {
  it('serves a client with one request although another floods the queue', () => {
    const world = new Simulation(budgetOf({ maxRunning: 1, quantum: 32 }));
    for (let index = 0; index < 200; index += 1) world.add({ client: 'flood' });
    const small = world.add({ client: 'small' });
    const served: string[] = [];
    while (world.waiting.includes(small)) served.push(...world.advance().map((work) => work.client));
    expect(served.length).toBeLessThan(6);
  });

  it('divides tokens, not requests, between clients that always wait', () => {
    const world = new Simulation(budgetOf({ maxRunning: 1, quantum: 64 }));
    const tokens = new Map([
      ['long', 0],
      ['short', 0],
    ]);
    for (let step = 0; step < 2000; step += 1) {
      while (world.waiting.filter((work) => work.client === 'long').length < 3)
        world.add({ client: 'long', knownTokens: 184 });
      while (world.waiting.filter((work) => work.client === 'short').length < 3)
        world.add({ client: 'short', knownTokens: 4 });
      for (const work of world.advance()) {
        tokens.set(work.client, (tokens.get(work.client) as number) + work.knownTokens + 16);
      }
    }
    const ratio = (tokens.get('long') as number) / (tokens.get('short') as number);
    expect(ratio).toBeGreaterThan(0.8);
    expect(ratio).toBeLessThan(1.25);
  });

  it('starves nobody: every request is planned within a bound, whatever arrives', () => {
    const arrival = fc.record({
      client: clients,
      priority: priorities,
      knownTokens: fc.integer({ min: 1, max: 60 }),
      count: fc.integer({ min: 0, max: 3 }),
    });
    fc.assert(
      fc.property(fc.array(arrival, { minLength: 20, maxLength: 60 }), (arrivals) => {
        const world = new Simulation(budgetOf({ maxRunning: 2, patience: 10, quantum: 32, rows: 8 }));
        const victim = world.add({ client: 'z', priority: 'batch', knownTokens: 60 });
        let steps = 0;
        while (world.waiting.includes(victim)) {
          const next = arrivals[steps % arrivals.length] as (typeof arrivals)[number];
          for (let index = 0; index < next.count; index += 1) {
            world.add({ client: next.client, priority: next.priority, knownTokens: next.knownTokens });
          }
          world.advance();
          steps += 1;
          if (steps > 60) throw new Error('starved');
        }
      }),
      { numRuns: 100 },
    );
  });

  it('does not let interactive requests starve batch ones of the same client', () => {
    const world = new Simulation(budgetOf({ maxRunning: 1, patience: 10 }));
    const batch = world.add({ priority: 'batch' });
    let steps = 0;
    while (world.waiting.includes(batch) && steps < 200) {
      world.add({});
      world.add({});
      world.advance();
      steps += 1;
    }
    expect(steps).toBeGreaterThanOrEqual(10);
    expect(steps).toBeLessThan(15);
  });
});
