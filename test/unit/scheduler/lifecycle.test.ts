import { describe, expect, it } from 'vitest';
import { codeOf, Gate, worldOf } from '../../support/scheduler-harness.js';
import { answerAlone, question, request, turn } from '../../support/scheduler-world.js';

describe('bounds and the end', () => {
  it('a full queue is overloaded, for one client and for all; equal questions still join', async () => {
    const gate = new Gate();
    const { scheduler } = worldOf(
      { pause: gate.pause },
      { maxRunning: 1, maxQueued: 3, maxQueuedPerClient: 2 },
    );
    const running = codeOf(scheduler.submit(question(0, 0, { key: 'running' })));
    while (!gate.waiting) await turn();
    const asked = ['a', 'a', 'a', 'b', 'c'].map((client, index) =>
      codeOf(scheduler.submit(question(1, index + 1, { client, key: `q${index}` }))),
    );
    const joined = codeOf(scheduler.submit(question(1, 1, { client: 'c', key: 'q0' })));
    gate.open();
    expect(await Promise.all(asked)).toEqual([
      'answered',
      'answered',
      'overloaded',
      'answered',
      'overloaded',
    ]);
    expect([await running, await joined]).toEqual(['answered', 'answered']);
  });

  it('drain takes nothing new, answers what it has, then resolves', async () => {
    const { engine, scheduler } = worldOf({}, { maxRunning: 1 });
    const codes = [0, 1, 2].map((index) => codeOf(scheduler.submit(question(index, 1))));
    let drained = false;
    const drain = scheduler.drain().then(() => {
      drained = true;
    });
    expect(await codeOf(scheduler.submit(question(3, 1)))).toBe('draining');
    expect(drained).toBe(false);
    await drain;
    expect(await Promise.all(codes)).toEqual(['answered', 'answered', 'answered']);
    expect(engine.stats().openSequences).toBe(0);
  });

  it('close rejects what waits and runs, closes sequences, removes grammars, and may be called twice', async () => {
    const gate = new Gate();
    const { engine, scheduler } = worldOf({ pause: gate.pause }, { maxRunning: 1 });
    const codes = [0, 1].map((index) => codeOf(scheduler.submit(question(index, 1))));
    while (!gate.waiting) await turn();
    const closing = Promise.all([scheduler.close(), scheduler.close()]);
    expect(await Promise.all(codes)).toEqual(['engine_closed', 'engine_closed']);
    gate.open();
    await closing;
    expect(engine.stats()).toMatchObject({ openSequences: 0, usedPages: 0 });
    expect(engine.grammars.size).toBe(0);
    expect(await codeOf(scheduler.submit(request()))).toBe('engine_closed');
  });

  it('new work interrupts a call of many passes', async () => {
    const gate = new Gate();
    const { engine, scheduler } = worldOf({ pause: gate.pause }, { maxIterations: 1000, rows: 64 });
    let interrupts = 0;
    const original = engine.interrupt.bind(engine);
    engine.interrupt = () => {
      interrupts += 1;
      original();
    };
    const { constraint: _, ...free } = question(0, 1, { maxNewTokens: 200 });
    const long = scheduler.submit(free);
    await gate.once();
    while (!gate.waiting) await turn();
    const short = scheduler.submit(question(1, 1));
    expect(interrupts).toBe(1);
    gate.open();
    expect((await long).tokens).toEqual(answerAlone(free).tokens);
    await short;
    const { steps, iterations } = scheduler.stats();
    expect(iterations).toBeGreaterThan(5 * steps);
  });

  it.each([
    ['prompt', { prompt: new Int32Array(0), sharedTokens: 0 }],
    ['maxNewTokens', { maxNewTokens: 0 }],
    ['sharedTokens', { sharedTokens: 99 }],
  ])('a request with a wrong %s is refused with its name', async (name, changes) => {
    const { scheduler } = worldOf();
    await expect(scheduler.submit(request(changes))).rejects.toThrow(name);
  });

  it.each([
    'rows',
    'maxRunning',
    'prefillShare',
    'storeBytes',
  ])('option %s out of range is refused with its name', (name) => {
    expect(() => worldOf({}, { [name]: -1 })).toThrow(name);
  });

  it('never runs more rows than its budget while prompts are computed', async () => {
    const { engine, scheduler } = worldOf({}, { rows: 8, maxIterations: 4 });
    const asked = Array.from({ length: 12 }, (_, index) =>
      (({ constraint: _, ...rest }) => rest)(question(index, index, {}, 30)),
    );
    await Promise.all(asked.map((one) => scheduler.submit(one)));
    expect(Math.max(...engine.passRows)).toBe(8);
  });
});
