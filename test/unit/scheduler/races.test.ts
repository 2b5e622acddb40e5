/** What can meet: an end with another end, a failure with a cancellation, a preemption with a disconnect, a drain with overload. */
import { describe, expect, it } from 'vitest';
import { ForetraceError } from '../../../src/errors.js';
import type { GenerationRequest } from '../../../src/scheduler/request.js';
import { codeOf, Gate, worldOf } from '../../support/scheduler-harness.js';
import { answerAlone, question, turn } from '../../support/scheduler-world.js';
import { VirtualClock } from '../../support/virtual-clock.js';

const boom = () => new ForetraceError('internal', 'injected');
const free = (asked: GenerationRequest): GenerationRequest => (({ constraint: _, ...rest }) => rest)(asked);
const clean = { usedPages: 0, openSequences: 0 };

/** Counts how often a promise's owner is told, whatever it is told. */
const countEndings = (promise: Promise<unknown>) => {
  const ends = { count: 0 };
  const end = () => {
    ends.count += 1;
  };
  promise.then(end, end);
  return ends;
};

describe('a cancellation', () => {
  it('in the turn in which the last pass ends is a cancellation or an answer, never both, never none', async () => {
    for (let passes = 1; passes < 12; passes += 1) {
      const gate = new Gate();
      const { engine, scheduler } = worldOf({ pause: gate.pause }, { maxIterations: 1 });
      const controller = new AbortController();
      const asked = scheduler.submit(question(0, 1, { signal: controller.signal }));
      const ends = countEndings(asked);
      const code = codeOf(asked);
      for (let pass = 0; pass < passes && ends.count === 0; pass += 1) {
        while (!gate.waiting && ends.count === 0) await turn();
        if (pass === passes - 1) queueMicrotask(() => controller.abort());
        if (ends.count === 0) await gate.once();
      }
      controller.abort();
      gate.open();
      expect(['answered', 'cancelled']).toContain(await code);
      await scheduler.drain();
      expect(ends.count).toBe(1);
      expect(engine.stats()).toMatchObject(clean);
      const { model, cancelled } = scheduler.stats().endings;
      expect(model + cancelled).toBe(1);
    }
  });

  it('while its step fails in the engine is told as a cancellation; the others of the step get the failure', async () => {
    const gate = new Gate();
    let fails = true;
    const { engine, scheduler } = worldOf({
      pause: gate.pause,
      failures: { step: () => (fails ? boom() : undefined) },
    });
    const controller = new AbortController();
    const gone = codeOf(scheduler.submit(question(0, 1, { signal: controller.signal })));
    const there = codeOf(scheduler.submit(question(1, 1)));
    while (!gate.waiting) await turn();
    controller.abort();
    const later = scheduler.submit(question(2, 1));
    gate.open();
    expect([await gone, await there]).toEqual(['cancelled', 'internal']);
    fails = false;
    expect(['answered', 'internal']).toContain(await codeOf(later));
    await scheduler.drain();
    expect(engine.stats()).toMatchObject(clean);
    expect(scheduler.stats().grammars.uses).toBe(0);
  });

  it('of everything at once, in the middle of a pass, leaves an engine that works', async () => {
    const gate = new Gate();
    const { engine, scheduler } = worldOf({ pause: gate.pause }, { maxRunning: 4, rows: 16 });
    const controllers = Array.from({ length: 20 }, () => new AbortController());
    const codes = controllers.map(({ signal }, index) =>
      codeOf(scheduler.submit(question(index % 3, index, { signal, client: `c${index % 4}` }))),
    );
    await gate.once();
    await gate.once();
    for (const controller of controllers) controller.abort();
    expect(new Set(await Promise.all(codes))).toEqual(new Set(['cancelled']));
    expect(scheduler.stats()).toMatchObject({ queued: 0, running: 0 });
    const next = scheduler.submit(question(0, 50));
    gate.open();
    expect((await next).tokens).toEqual(answerAlone(question(0, 50)).tokens);
    await scheduler.drain();
    expect(engine.stats()).toMatchObject(clean);
  });
});

describe('a preempted request', () => {
  /** A `batch` request that has begun to answer and has given way to an `interactive` one. */
  async function preempted(failures = {}) {
    const gate = new Gate();
    const clock = new VirtualClock();
    const { now, setTimer } = clock;
    const world = worldOf({ pages: 12, pause: gate.pause, failures }, { maxIterations: 1, now, setTimer });
    const controller = new AbortController();
    const batch = free(question(0, 1, { priority: 'batch', maxNewTokens: 24, signal: controller.signal }));
    const slow = world.scheduler.submit({ ...batch, deadlineMillis: 100 });
    const ends = countEndings(slow);
    const code = codeOf(slow);
    for (let pass = 0; pass < 4; pass += 1) await gate.once();
    const urgent = codeOf(world.scheduler.submit(question(1, 2, { maxNewTokens: 16 })));
    while (world.scheduler.stats().preemptions === 0) await gate.once();
    return { ...world, gate, clock, controller, code, ends, urgent };
  }

  it('whose client disconnects ends while it waits, and disturbs nobody', async () => {
    const { scheduler, engine, gate, controller, code, ends, urgent } = await preempted();
    expect(scheduler.stats().queued).toBe(1);
    controller.abort();
    expect(await code).toBe('cancelled');
    expect(scheduler.stats().queued).toBe(0);
    gate.open();
    expect(await urgent).toBe('answered');
    await scheduler.drain();
    expect(ends.count).toBe(1);
    expect(engine.stats()).toMatchObject(clean);
  });

  it('whose deadline passes while it waits is told at once', async () => {
    const { scheduler, engine, gate, clock, code, urgent } = await preempted();
    clock.advance(100);
    expect(await code).toBe('deadline_exceeded');
    gate.open();
    expect(await urgent).toBe('answered');
    await scheduler.drain();
    expect(engine.stats()).toMatchObject(clean);
    expect(clock.pending).toBe(0);
  });

  it('that cannot be opened again gets the error, and its pages and grammar are free', async () => {
    let breaks = false;
    const world = await preempted({ generate: () => (breaks ? boom() : undefined) });
    expect(await Promise.race([world.code, turn().then(() => 'waits')])).toBe('waits');
    breaks = true;
    world.gate.open();
    expect(await world.code).toBe('internal');
    await world.scheduler.drain();
    expect(world.ends.count).toBe(1);
    expect(world.engine.stats()).toMatchObject(clean);
    expect(world.scheduler.stats().grammars.uses).toBe(0);
  });
});

describe('a deadline', () => {
  it('in the pass that brings the answer is either kept or not, and its timer is gone', async () => {
    for (const millis of [1, 2, 3, 4, 5, 6, 7, 8]) {
      const gate = new Gate();
      const clock = new VirtualClock();
      const { now, setTimer } = clock;
      const { engine, scheduler } = worldOf({ pause: gate.pause }, { maxIterations: 1, now, setTimer });
      const asked = scheduler.submit(question(0, 1, { deadlineMillis: millis }));
      const ends = countEndings(asked);
      const code = codeOf(asked);
      while (ends.count === 0) {
        await turn();
        clock.advance(1);
        if (gate.waiting) await gate.once();
      }
      expect(['answered', 'deadline_exceeded']).toContain(await code);
      gate.open();
      await scheduler.drain();
      expect(ends.count).toBe(1);
      expect(clock.pending).toBe(0);
      expect(engine.stats()).toMatchObject(clean);
    }
  });
});

describe('a drain', () => {
  it('while overloaded answers all that were taken, refuses the rest as draining, and ends', async () => {
    const gate = new Gate();
    const { engine, scheduler } = worldOf({ pause: gate.pause }, { maxRunning: 2, maxQueued: 4 });
    const codes = Array.from({ length: 10 }, (_, index) =>
      codeOf(scheduler.submit(question(index % 3, index, { client: `c${index}` }))),
    );
    while (!gate.waiting) await turn();
    const drained = scheduler.drain();
    const late = codeOf(scheduler.submit(question(0, 1, { client: 'late' })));
    gate.open();
    await drained;
    const ends = await Promise.all(codes);
    expect(await late).toBe('draining');
    expect(ends.filter((code) => code === 'answered')).toHaveLength(4);
    expect(ends.filter((code) => code === 'overloaded')).toHaveLength(6);
    expect(engine.stats()).toMatchObject(clean);
  });

  it('that meets a failing engine ends all the same', async () => {
    let calls = 0;
    const everySecond = () => {
      calls += 1;
      return calls % 2 === 0 ? boom() : undefined;
    };
    const { engine, scheduler } = worldOf(
      { failures: { step: everySecond } },
      { maxRunning: 2, maxIterations: 1 },
    );
    const codes = Array.from({ length: 8 }, (_, index) =>
      codeOf(scheduler.submit(question(index % 3, index))),
    );
    await scheduler.drain();
    for (const code of await Promise.all(codes)) expect(['answered', 'internal']).toContain(code);
    expect(engine.stats()).toMatchObject(clean);
  });

  it('and a close at once reject what is left, once', async () => {
    const gate = new Gate();
    const { engine, scheduler } = worldOf({ pause: gate.pause }, { maxRunning: 1 });
    const codes = [0, 1, 2].map((index) => codeOf(scheduler.submit(question(index, 1))));
    while (!gate.waiting) await turn();
    const both = Promise.all([scheduler.drain(), scheduler.close()]);
    gate.open();
    await both;
    expect(await Promise.all(codes)).toEqual(['engine_closed', 'engine_closed', 'engine_closed']);
    expect(engine.stats()).toMatchObject(clean);
    expect(engine.grammars.size).toBe(0);
  });
});

describe('idleness', () => {
  it('is told once after work, also when all of it was cancelled before a step', async () => {
    const { scheduler } = worldOf();
    let told = 0;
    const stop = scheduler.onIdle(() => {
      told += 1;
      expect(scheduler.isIdle).toBe(true);
    });
    await scheduler.submit(question(0, 1));
    await scheduler.drain();
    expect(told).toBe(1);
    stop();
    const again = worldOf().scheduler;
    again.onIdle(() => {
      told += 1;
    });
    const controller = new AbortController();
    const asked = codeOf(again.submit(question(0, 1, { signal: controller.signal })));
    controller.abort();
    expect(await asked).toBe('cancelled');
    await again.drain();
    expect(told).toBe(2);
  });
});

describe('a callback', () => {
  it('that asks again, cancels another or closes the scheduler is taken at its word', async () => {
    const { engine, scheduler } = worldOf({}, { maxIterations: 1 });
    const other = new AbortController();
    const cancelled = codeOf(
      scheduler.submit(free(question(2, 1, { signal: other.signal, maxNewTokens: 40 }))),
    );
    let nested: Promise<string> | undefined;
    const first = scheduler.submit(
      question(0, 1, {
        onTokens: () => {
          nested ??= codeOf(scheduler.submit(question(1, 1)));
          other.abort();
        },
      }),
    );
    expect((await first).tokens).toEqual(answerAlone(question(0, 1)).tokens);
    expect(await cancelled).toBe('cancelled');
    expect(await nested).toBe('answered');
    const closing = codeOf(scheduler.submit(question(0, 2, { onTokens: () => void scheduler.close() })));
    expect(await closing).toBe('engine_closed');
    await scheduler.close();
    expect(engine.stats()).toMatchObject(clean);
  });
});
