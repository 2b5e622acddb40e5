/** What is taken, what is refused and when: overload with a time to return, deadlines, and room by the longest answer a grammar allows. */
import { describe, expect, it } from 'vitest';
import type { ForetraceError } from '../../../src/errors.js';
import type { GrammarData } from '../../../src/native/addon-types.js';
import { DrainRate, ReturnTimes } from '../../../src/scheduler/drain-rate.js';
import { hopelessnessOf, overloadOf } from '../../../src/scheduler/gate.js';
import { longestAnswer } from '../../../src/scheduler/grammar-bound.js';
import { resolveOptions } from '../../../src/scheduler/options.js';
import type { GenerationResult } from '../../../src/scheduler/request.js';
import { codeOf, Gate, worldOf } from '../../support/scheduler-harness.js';
import {
  answerAlone,
  constraint,
  question,
  request,
  smallGrammar,
  turn,
} from '../../support/scheduler-world.js';
import { VirtualClock } from '../../support/virtual-clock.js';

const errorOf = async (promise: Promise<GenerationResult>): Promise<ForetraceError> => {
  try {
    await promise;
  } catch (error) {
    return error as ForetraceError;
  }
  throw new Error('the request was answered');
};

describe('overload', () => {
  it('is told at once, may be tried again, and says when', async () => {
    const gate = new Gate();
    const { scheduler } = worldOf({ pause: gate.pause }, { maxRunning: 1, maxQueued: 2 });
    const answers = [0, 1].map((index) =>
      codeOf(scheduler.submit(question(0, index, { client: `c${index}` }))),
    );
    while (!gate.waiting) await turn();
    const third = codeOf(scheduler.submit(question(0, 2, { client: 'c2' })));
    const error = await errorOf(scheduler.submit(question(0, 3, { client: 'c3' })));
    expect(error).toMatchObject({ code: 'overloaded', retryable: true });
    expect(error.details.retryAfterMillis).toBeGreaterThanOrEqual(1);
    // Nothing has gone on meanwhile: the refusal waited for nobody.
    expect(gate.waiting).toBe(true);
    gate.open();
    expect(await Promise.all([...answers, third])).toEqual(['answered', 'answered', 'answered']);
    expect(await codeOf(scheduler.submit(question(0, 3, { client: 'c3' })))).toBe('answered');
  });

  const options = resolveOptions({ maxQueued: 100, maxQueueMillis: 1000, maxRunning: 4 });
  const drain = new DrainRate();
  drain.observe(100, 1000);
  const figures = (queued: number, queuedOfClient: number, clients: number) => ({
    queued,
    queuedOfClient,
    clients,
  });
  const isRefused = (queued: number, own: number, clients: number, rate = drain): boolean =>
    overloadOf(figures(queued, own, clients), rate, options, () => 7) !== null;

  it('leaves places to those who come next, and refuses a wait that is too long once the rate is known', () => {
    expect([isRefused(49, 49, 1, new DrainRate()), isRefused(50, 50, 1, new DrainRate())]).toEqual([
      false,
      true,
    ]);
    expect([isRefused(50, 0, 2), isRefused(100, 0, 2)]).toEqual([false, true]);
    // 0.1 answers a millisecond: with 5 clients, 21 of one would take more than a second.
    expect([isRefused(30, 19, 5), isRefused(30, 20, 5)]).toEqual([false, true]);
    const error = overloadOf(figures(100, 0, 2), drain, options, () => 7);
    expect(error?.details.retryAfterMillis).toBe(7);
  });

  it('gives each refused request a place of its own', () => {
    const times = new ReturnTimes();
    expect([1, 2, 3].map(() => times.next('a', 0, 0.1))).toEqual([10, 20, 30]);
    expect(times.next('b', 0, 0.1)).toBe(10);
    expect(times.next('a', 100, 0.1)).toBe(10);
    expect(times.next('c', 0, 0)).toBe(1000);
  });
});

describe('a deadline', () => {
  const clocked = (maxRunning = 1) => {
    const clock = new VirtualClock();
    const gate = new Gate();
    const { now, setTimer } = clock;
    return {
      clock,
      gate,
      ...worldOf({ pause: gate.pause }, { maxRunning, now, setTimer, maxIterations: 1 }),
    };
  };

  it('ends a request that waits, runs or has joined, at once, and no other', async () => {
    const { clock, gate, engine, scheduler } = clocked();
    const running = codeOf(scheduler.submit(question(0, 0, { deadlineMillis: 50 })));
    while (!gate.waiting) await turn();
    const waiting = codeOf(scheduler.submit(question(0, 1, { deadlineMillis: 20 })));
    const patient = scheduler.submit(question(0, 2, { key: 'k' }));
    const joined = codeOf(scheduler.submit(question(0, 2, { key: 'k', deadlineMillis: 30 })));
    clock.advance(20);
    expect(await waiting).toBe('deadline_exceeded');
    expect(scheduler.stats()).toMatchObject({ running: 1, queued: 1 });
    clock.advance(10);
    expect(await joined).toBe('deadline_exceeded');
    expect(scheduler.stats()).toMatchObject({ running: 1, queued: 1 });
    clock.advance(20);
    expect(await running).toBe('deadline_exceeded');
    expect(scheduler.stats()).toMatchObject({ running: 0, queued: 1, endings: { expired: 3 } });
    gate.open();
    expect((await patient).tokens).toEqual(answerAlone(question(0, 2)).tokens);
    await scheduler.drain();
    expect(engine.stats()).toMatchObject({ usedPages: 0, openSequences: 0 });
    expect(clock.pending).toBe(0);
  });

  it('that is over, or cannot be kept, is refused at once; a stored answer is given whatever it is', async () => {
    const { gate, scheduler } = clocked();
    gate.open();
    await scheduler.submit(question(0, 0, { key: 'k' }));
    const late = { deadlineMillis: -1 };
    expect((await scheduler.submit(question(0, 0, { key: 'k', ...late }))).origin).toBe('cache');
    const error = await errorOf(scheduler.submit(question(0, 1, late)));
    expect(error).toMatchObject({ code: 'deadline_exceeded', retryable: true });
    expect(scheduler.stats().queued).toBe(0);

    const drain = new DrainRate();
    drain.observe(100, 1000);
    const hopeless = (deadlineMillis: number) =>
      hopelessnessOf(request({ deadlineMillis }), { queued: 50, queuedOfClient: 10, clients: 3 }, drain);
    expect(hopeless(101)).toBeNull();
    expect(hopeless(100)?.details.retryAfterMillis).toBe(100);
  });
});

/** Accepts one to three tokens: a choice, then perhaps a sub-automaton of at most two tokens and a frame to leave. */
function boundedGrammar(): GrammarData {
  return {
    ...smallGrammar(),
    edgeStart: Int32Array.from([0, 2, 2, 3]),
    edgeToken: Int32Array.from([5, 6, 7]),
    edgeMask: Int32Array.from([-1, -1, -1]),
    edgeNext: Int32Array.from([1, 2, 1]),
    edgeOperation: new Uint8Array(3),
    edgeReturn: new Int32Array(3).fill(-1),
    edgeLimit: new Int32Array(3),
    stateFlags: Uint8Array.from([0, 2, 0]),
    stateClose: Int32Array.from([5, -1, 7]),
    stateDistance: Int32Array.from([1, 0, 1]),
  };
}

describe('room for an answer', () => {
  const bounded = { key: 'bounded', data: boundedGrammar(), state: 0, frames: new Int32Array(0) };

  it('is that of the longest one its grammar allows', async () => {
    expect(longestAnswer(bounded)).toBe(2);
    expect(longestAnswer({ ...bounded, state: 2 })).toBe(1);
    // The small grammar goes in circles: only the request bounds it.
    expect(longestAnswer(constraint())).toBe(Number.POSITIVE_INFINITY);
    // 15 + 400 tokens would need 104 pages.
    const { engine, scheduler } = worldOf({ pages: 8 });
    const reserved: number[] = [];
    const open = engine.open.bind(engine);
    engine.open = (tokens, reserve) => {
      reserved.push(reserve);
      return open(tokens, reserve);
    };
    const asked = request({ constraint: bounded, maxNewTokens: 400 });
    const { tokens } = await scheduler.submit(asked);
    expect(tokens.length).toBeLessThanOrEqual(2);
    expect(reserved).toEqual([2]);
    expect(await codeOf(scheduler.submit(request({ maxNewTokens: 400 })))).toBe('out_of_pages');
  });
});

describe('a receipt', () => {
  it('counts what an earlier request has left in the cache', async () => {
    const { scheduler } = worldOf();
    await scheduler.submit(question(1, 2));
    const again = await scheduler.submit(question(1, 3));
    expect(again.counts).toMatchObject({ cached: 12, new: 3 + again.tokens.length, drafted: 0, accepted: 0 });
  });

  it('counts cached, new, forced, drafted and accepted tokens, times and preemptions', async () => {
    const clock = new VirtualClock();
    const gate = new Gate();
    const { scheduler } = worldOf(
      { pages: 14, pause: gate.pause, drafts: { most: 2, isRight: () => true } },
      { maxIterations: 1, rows: 64, now: clock.now, setTimer: clock.setTimer },
    );
    const { constraint: _, ...batch } = question(0, 1, { priority: 'batch', maxNewTokens: 30 });
    const slow = scheduler.submit(batch);
    await gate.once();
    clock.advance(10);
    await gate.once();
    const urgent = scheduler.submit(question(1, 2, { maxNewTokens: 16 }));
    await gate.once();
    clock.advance(5);
    gate.open();
    const [first, second] = await Promise.all([slow, urgent]);
    const forced = (result: GenerationResult): number => result.forced.reduce((sum, flag) => sum + flag, 0);
    expect(first).toMatchObject({ origin: 'model', preemptions: 1, tokens: answerAlone(batch).tokens });
    expect(second).toMatchObject({ origin: 'model', preemptions: 0 });
    for (const result of [first, second]) {
      expect(result.counts.forced).toBe(forced(result));
      expect(result.counts.accepted).toBeLessThanOrEqual(result.counts.drafted);
      expect(result.counts.accepted).toBeGreaterThan(0);
      expect(result.counts.cached + result.counts.new).toBeGreaterThanOrEqual(15 + result.tokens.length);
      expect(result.queueMillis + result.computeMillis).toBeLessThanOrEqual(15);
    }
    expect(first.queueMillis).toBe(5);
    expect(second.counts).toMatchObject({ cached: 0, new: 15 + second.tokens.length });
  });

  it('tells the engine what is expected, as long as nothing of it is there', async () => {
    const gate = new Gate();
    const { engine, scheduler } = worldOf({ pages: 14, pause: gate.pause }, { maxIterations: 1, rows: 64 });
    const told: unknown[] = [];
    const generate = engine.generate.bind(engine);
    engine.generate = (sequence, generation) => {
      told.push(generation.expected);
      generate(sequence, generation);
    };
    const expected = Int32Array.of(12, 30);
    const { constraint: _, ...batch } = question(0, 1, { priority: 'batch', maxNewTokens: 30, expected });
    const slow = scheduler.submit(batch);
    for (let pass = 0; pass < 2; pass += 1) await gate.once();
    const urgent = scheduler.submit(question(1, 2, { maxNewTokens: 16 }));
    gate.open();
    expect((await slow).preemptions).toBe(1);
    await urgent;
    expect(told).toEqual([expected, undefined, undefined]);
  });
});
