import { describe, expect, it } from 'vitest';
import { ForetraceError } from '../../../src/errors.js';
import type { GenerationRequest } from '../../../src/scheduler/request.js';
import type { Queues } from '../../../src/scheduler/work.js';
import { codeOf, Gate, worldOf } from '../../support/scheduler-harness.js';
import { answerAlone, question, request, turn, Watch } from '../../support/scheduler-world.js';

const sampled = { temperature: 0.8, topP: 1, seed: 7 };

describe('the same question has the same answer', () => {
  const cases: [string, GenerationRequest][] = [
    ['greedy', question(0, 1, { key: 'k' })],
    ['sampled', question(1, 2, { key: 'k', sampling: sampled })],
    [
      'without grammar',
      (({ constraint: _, ...rest }) => rest)(question(2, 3, { key: 'k', maxNewTokens: 20 })),
    ],
    ['long', question(3, 4, { key: 'k', maxNewTokens: 60 })],
  ];

  it.each(
    cases,
  )('%s: alone, in a batch, in chunks, joined, from the store, after preemption', async (_name, asked) => {
    const expected = answerAlone(asked);
    const alone = worldOf();
    expect(await alone.scheduler.submit(asked)).toMatchObject(expected);
    const stored = await alone.scheduler.submit(asked);
    expect(stored).toMatchObject({ ...expected, origin: 'cache', counts: { new: 0 } });

    const batch = worldOf({}, { rows: 7, maxIterations: 3 });
    const others = Array.from({ length: 24 }, (_, index) =>
      batch.scheduler.submit(question(index % 5, 20 + index)),
    );
    const [first, joined] = await Promise.all([batch.scheduler.submit(asked), batch.scheduler.submit(asked)]);
    await Promise.all(others);
    expect(first).toMatchObject({ ...expected, origin: 'model' });
    expect(joined).toMatchObject({ ...expected, origin: 'model' });
    expect(joined.tokens).not.toBe(first.tokens);
    expect(batch.scheduler.stats().joined).toBe(1);

    let passes = 0;
    const starve = () => {
      passes += 1;
      return passes % 3 === 0 && tight.scheduler.stats().running > 1 ? ('outOfPages' as const) : undefined;
    };
    const tight = worldOf({ failures: { block: starve } }, { maxIterations: 1 });
    const watch = new Watch();
    const { constraint: _, ...free } = question(4, 9, { maxNewTokens: 90 });
    const rival = tight.scheduler.submit(free);
    const preempted = await tight.scheduler.submit({ ...asked, onTokens: watch.onTokens });
    await rival;
    expect(preempted).toMatchObject(expected);
    expect(watch.tokens).toEqual(Array.from(expected.tokens));
    expect(tight.scheduler.stats().preemptions).toBeGreaterThan(0);
  });
});

describe('equal questions in flight', () => {
  it('are computed once; each listener gets all tokens in order, also one that comes late', async () => {
    const gate = new Gate();
    let clock = 0;
    const now = () => {
      clock += 1;
      return clock;
    };
    const { engine, scheduler } = worldOf({ pause: gate.pause }, { maxIterations: 1, now });
    const asked = question(0, 1, { key: 'same', maxNewTokens: 40 });
    const early = new Watch();
    const late = new Watch();
    const first = scheduler.submit({ ...asked, onTokens: early.onTokens });
    await gate.once();
    await gate.once();
    await gate.once();
    expect(early.tokens.length).toBeGreaterThan(0);
    const joined = clock;
    const second = scheduler.submit({ ...asked, onTokens: late.onTokens });
    expect(late.tokens).toEqual(early.tokens);
    gate.open();
    const results = await Promise.all([first, second]);
    expect(early.tokens).toEqual(Array.from(results[0].tokens));
    expect(late.tokens).toEqual(early.tokens);
    expect(engine.promptTokensComputed).toBe(asked.prompt.length);
    // Nobody waited longer than since it asked.
    const [, { queueMillis, computeMillis }] = results;
    expect(queueMillis + computeMillis).toBeLessThanOrEqual(clock - joined);
  });

  it('are cancelled one by one; the computation ends when nobody listens', async () => {
    const gate = new Gate();
    const { engine, scheduler } = worldOf({ pause: gate.pause });
    const one = new AbortController();
    const two = new AbortController();
    const asked = question(0, 1, { key: 'same' });
    const first = codeOf(scheduler.submit({ ...asked, signal: one.signal }));
    const second = codeOf(scheduler.submit({ ...asked, signal: two.signal }));
    while (!gate.waiting) await turn();
    one.abort();
    expect(await first).toBe('cancelled');
    expect(scheduler.stats().running).toBe(1);
    two.abort();
    expect(await second).toBe('cancelled');
    expect(scheduler.stats().running).toBe(0);
    expect(engine.stats().openSequences).toBe(1);
    gate.open();
    await scheduler.drain();
    expect(engine.stats()).toMatchObject({ openSequences: 0, usedPages: 0 });
  });

  it('become interactive with their account when one of them is: rows are divided by accounts', async () => {
    const gate = new Gate();
    const accounts: string[][] = [];
    const onPlan = ({ running }: Queues): void => void accounts.push(running.map(({ account }) => account));
    const { scheduler } = worldOf({ pause: gate.pause }, { maxIterations: 1, onPlan });
    const asked = question(0, 1, { client: 'a', key: 'same', maxNewTokens: 40 });
    const first = scheduler.submit({ ...asked, priority: 'batch' });
    await gate.once();
    await gate.once();
    expect(accounts.at(-1)).toEqual(['batch:a']);
    const second = scheduler.submit({ ...asked, client: 'b', priority: 'interactive' });
    gate.open();
    await Promise.all([first, second]);
    expect(accounts.at(-1)).toEqual(['interactive:a']);
  });

  it('without a key are computed each', async () => {
    const { scheduler } = worldOf();
    await Promise.all([scheduler.submit(question(0, 1)), scheduler.submit(question(0, 1))]);
    expect(scheduler.stats()).toMatchObject({ joined: 0, endings: { model: 2, cache: 0 } });
  });

  it('a failed or cancelled computation is not stored', async () => {
    let fail = true;
    const { scheduler } = worldOf({ failures: { block: () => (fail ? 'failed' : undefined) } });
    const asked = question(0, 1, { key: 'k' });
    expect(await codeOf(scheduler.submit(asked))).toBe('internal');
    fail = false;
    expect((await scheduler.submit(asked)).origin).toBe('model');
  });
});

describe('a shared beginning', () => {
  it('is computed by one request while the others wait', async () => {
    const { engine, scheduler } = worldOf({}, { rows: 64 });
    const asked = Array.from({ length: 10 }, (_, index) => question(0, index + 1, {}, 40));
    const results = await Promise.all(asked.map((one) => scheduler.submit(one)));
    const own = (asked[0] as GenerationRequest).prompt.length - 40;
    expect(engine.promptTokensComputed).toBe(40 + 10 * own);
    expect(results.filter((result) => result.counts.cached === 40).length).toBe(9);
    expect(scheduler.stats().cachedShare).toBeCloseTo((9 * 40) / (10 * (40 + own)));
  });

  it('is taken over by the next one if the first is cancelled or fails', async () => {
    const gate = new Gate();
    const { scheduler } = worldOf({ pause: gate.pause }, { rows: 8 });
    const controller = new AbortController();
    const first = codeOf(scheduler.submit(question(0, 1, { signal: controller.signal }, 40)));
    const second = scheduler.submit(question(0, 2, {}, 40));
    await gate.once();
    controller.abort();
    gate.open();
    expect(await first).toBe('cancelled');
    expect((await second).tokens).toEqual(answerAlone(question(0, 2, {}, 40)).tokens);
  });
});

describe('pages', () => {
  it('an interactive request takes them from a batch one, which goes on later with the same answer', async () => {
    const gate = new Gate();
    const { scheduler } = worldOf({ pages: 12, pause: gate.pause }, { maxIterations: 1 });
    const { constraint: _, ...batch } = question(0, 1, { priority: 'batch', maxNewTokens: 24 });
    const watch = new Watch();
    const slow = scheduler.submit({ ...batch, onTokens: watch.onTokens });
    for (let pass = 0; pass < 4; pass += 1) await gate.once();
    expect(watch.tokens.length).toBeGreaterThan(0);
    const urgent = scheduler.submit(question(1, 2, { maxNewTokens: 16 }));
    gate.open();
    const answers = await Promise.all([slow, urgent]);
    expect(answers[0]).toMatchObject({ ...answerAlone(batch), preemptions: 1 });
    expect(answers[1]).toMatchObject({
      ...answerAlone(question(1, 2, { maxNewTokens: 16 })),
      preemptions: 0,
    });
    expect(watch.tokens).toEqual(Array.from(answers[0].tokens));
  });

  it('a request larger than the pool or the context is refused at once', async () => {
    const { scheduler } = worldOf({ pages: 4 });
    expect(await codeOf(scheduler.submit(request()))).toBe('out_of_pages');
    expect(await codeOf(scheduler.submit(request({ maxNewTokens: 600 })))).toBe('context_too_long');
  });

  it('a sequence that starves alone is answered with out_of_pages', async () => {
    const { engine, scheduler } = worldOf({ failures: { block: () => 'outOfPages' } });
    expect(await codeOf(scheduler.submit(request()))).toBe('out_of_pages');
    expect(engine.stats().openSequences).toBe(0);
  });

  it('requests that do not fit together run one after the other', async () => {
    const { scheduler } = worldOf({ pages: 8 });
    const asked = Array.from({ length: 6 }, (_, index) => question(index, index));
    const results = await Promise.all(asked.map((one) => scheduler.submit(one)));
    results.forEach((result, index) => {
      expect(result.tokens).toEqual(answerAlone(asked[index] as GenerationRequest).tokens);
    });
  });
});

describe('cancellation', () => {
  it('is immediate while queued and while running, and frees everything', async () => {
    const gate = new Gate();
    const { engine, scheduler } = worldOf({ pause: gate.pause }, { maxRunning: 1 });
    const controllers = [new AbortController(), new AbortController()];
    const codes = controllers.map(({ signal }, index) =>
      codeOf(scheduler.submit(question(index, 1, { signal }))),
    );
    while (!gate.waiting) await turn();
    expect(scheduler.stats()).toMatchObject({ running: 1, queued: 1 });
    for (const controller of controllers) controller.abort();
    expect(await Promise.all(codes)).toEqual(['cancelled', 'cancelled']);
    expect(scheduler.stats()).toMatchObject({ running: 0, queued: 0 });
    gate.open();
    await scheduler.drain();
    expect(engine.stats()).toMatchObject({ usedPages: 0, openSequences: 0 });
    expect(scheduler.stats().grammars.uses).toBe(0);
  });

  it('before submission answers without any work', async () => {
    const { scheduler } = worldOf();
    expect(await codeOf(scheduler.submit(request({ signal: AbortSignal.abort() })))).toBe('cancelled');
    expect(scheduler.stats()).toMatchObject({ queued: 0, steps: 0, endings: { cancelled: 1 } });
  });

  it('from inside onTokens works', async () => {
    const { engine, scheduler } = worldOf();
    const controller = new AbortController();
    const asked = question(0, 1, { signal: controller.signal, onTokens: () => controller.abort() });
    expect(await codeOf(scheduler.submit(asked))).toBe('cancelled');
    await scheduler.drain();
    expect(engine.stats().openSequences).toBe(0);
  });

  it('a callback that throws ends its own request only', async () => {
    const { scheduler } = worldOf();
    const asked = question(0, 1, { key: 'k' });
    const bad = scheduler.submit({
      ...asked,
      onTokens: () => {
        throw new Error('bad callback');
      },
    });
    const good = scheduler.submit(asked);
    expect(await codeOf(bad)).toBe('internal');
    expect((await good).tokens).toEqual(answerAlone(asked).tokens);
  });
});

describe('failures of the engine', () => {
  const boom = () => new ForetraceError('internal', 'injected');

  it('open and generate reject the one request and leave nothing open', async () => {
    for (const moment of ['open', 'generate', 'addGrammar'] as const) {
      let calls = 0;
      const failOnce = () => {
        calls += 1;
        return calls === 1 ? boom() : undefined;
      };
      const { engine, scheduler } = worldOf({ failures: { [moment]: failOnce } });
      const bad = codeOf(scheduler.submit(question(0, 1)));
      const good = codeOf(scheduler.submit(question(1, 2)));
      expect([await bad, await good]).toEqual(['internal', 'answered']);
      await scheduler.drain();
      expect(engine.stats()).toMatchObject({ usedPages: 0, openSequences: 0 });
      expect(scheduler.stats().grammars.uses).toBe(0);
    }
  });

  it('a failed step rejects the requests of that step; those that wait are answered', async () => {
    let calls = 0;
    const failFirst = () => {
      calls += 1;
      return calls === 1 ? boom() : undefined;
    };
    const { scheduler } = worldOf({ failures: { step: failFirst } }, { maxRunning: 2 });
    const codes = [0, 1, 2, 3].map((index) => codeOf(scheduler.submit(question(index, 1))));
    expect(await Promise.all(codes)).toEqual(['internal', 'internal', 'answered', 'answered']);
    expect(scheduler.stats().engineFailures).toBe(1);
  });

  it('a failed sequence rejects its request alone', async () => {
    let first = -1;
    const block = (sequence: number) => {
      if (first < 0) first = sequence;
      return sequence === first ? ('failed' as const) : undefined;
    };
    const { scheduler } = worldOf({ failures: { block } });
    const codes = [0, 1, 2].map((index) => codeOf(scheduler.submit(question(index, 1))));
    expect(await Promise.all(codes)).toEqual(['internal', 'answered', 'answered']);
  });

  it('a closed engine rejects everything, now and later', async () => {
    const closed = () => new ForetraceError('engine_closed', 'gone');
    const { scheduler } = worldOf({ failures: { step: closed } }, { maxRunning: 1 });
    const codes = [0, 1].map((index) => codeOf(scheduler.submit(question(index, 1))));
    expect(await Promise.all(codes)).toEqual(['engine_closed', 'engine_closed']);
    expect(await codeOf(scheduler.submit(question(2, 1)))).toBe('engine_closed');
  });
});
