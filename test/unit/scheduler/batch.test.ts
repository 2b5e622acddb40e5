/** What shares an engine call, what gives way to what, and what is left of the work that gave way. */
import { describe, expect, it } from 'vitest';
import type { GenerationRequest } from '../../../src/scheduler/request.js';
import { codeOf, Gate, worldOf } from '../../support/scheduler-harness.js';
import { answerAlone, programTokens, question, turn } from '../../support/scheduler-world.js';

const free = (asked: GenerationRequest): GenerationRequest => (({ constraint: _, ...rest }) => rest)(asked);

describe('one call of the engine', () => {
  it('holds a chunk of a long prompt, a sequence that generates and its drafts, within the budget of rows', async () => {
    const calls: { prompt: number; generates: boolean }[][] = [];
    const gate = new Gate();
    const { engine, scheduler } = worldOf(
      {
        pause: gate.pause,
        drafts: { most: 3, isRight: () => true },
        onBlock: (_sequence, prompt, generates) => void calls.at(-1)?.push({ prompt, generates }),
      },
      { rows: 12, maxIterations: 1 },
    );
    const step = engine.step.bind(engine);
    engine.step = (options) => {
      calls.push([]);
      return step(options);
    };
    const short = scheduler.submit(free(question(0, 1, { maxNewTokens: 40 })));
    await gate.once();
    await gate.once();
    const long = question(1, 2, {
      prompt: Int32Array.from(programTokens(3, 80)),
      sharedTokens: 0,
      client: 'b',
    });
    const second = scheduler.submit(long);
    gate.open();
    const answers = await Promise.all([short, second]);
    const mixed = calls.filter(
      (blocks) =>
        blocks.some(({ prompt, generates }) => prompt > 0 && !generates) &&
        blocks.some(({ prompt, generates }) => prompt === 0 && generates),
    );
    expect(mixed.length).toBeGreaterThan(3);
    for (const blocks of calls)
      expect(blocks.reduce((sum, { prompt }) => sum + prompt, 0)).toBeLessThanOrEqual(12);
    expect(answers[0].counts.accepted).toBeGreaterThan(0);
    expect(answers[0].tokens).toEqual(answerAlone(free(question(0, 1, { maxNewTokens: 40 }))).tokens);
    expect(answers[1].tokens).toEqual(answerAlone(long).tokens);
    // Right guesses save passes.
    expect(scheduler.stats().iterations).toBeLessThan(40);
  });
});

describe('a batch request that gives its slot to an interactive one', () => {
  it('goes on from its sealed pages: nothing but the open page is computed again', async () => {
    const gate = new Gate();
    const { engine, scheduler } = worldOf({ pause: gate.pause }, { maxRunning: 1, maxIterations: 1 });
    const batch = free(question(0, 1, { priority: 'batch', maxNewTokens: 30 }));
    const slow = scheduler.submit(batch);
    for (let pass = 0; pass < 14; pass += 1) await gate.once();
    const urgent = scheduler.submit(question(1, 2));
    gate.open();
    const [first, second] = await Promise.all([slow, urgent]);
    expect([first.preemptions, second.preemptions]).toEqual([1, 0]);
    expect(first.tokens).toEqual(answerAlone(batch).tokens);
    const { pageTokens } = engine.info;
    expect(first.counts.new).toBeGreaterThan(batch.prompt.length + first.tokens.length);
    expect(first.counts.new).toBeLessThanOrEqual(batch.prompt.length + first.tokens.length + pageTokens + 1);
  });

  it('is not starved: batch requests finish while interactive ones keep coming', async () => {
    const { scheduler } = worldOf({}, { maxRunning: 2, maxIterations: 1, patience: 16, maxPreemptions: 2 });
    let isOver = false;
    const stream = async (index: number): Promise<void> => {
      for (let ask = 0; !isOver; ask += 1)
        await scheduler.submit(question(index % 3, ask, { client: `c${index}` }));
    };
    const streams = [0, 1, 2, 3].map(stream);
    const batch = await codeOf(scheduler.submit(question(4, 1, { priority: 'batch', client: 'b' })));
    isOver = true;
    expect(batch).toBe('answered');
    await Promise.all(streams);
  });
});

describe('work ahead', () => {
  it('ends in the turn in which somebody asks, and the passes it was in are cut short', async () => {
    const gate = new Gate();
    const { engine, scheduler } = worldOf({ pause: gate.pause }, { maxIterations: 1000 });
    let interrupts = 0;
    const interrupt = engine.interrupt.bind(engine);
    engine.interrupt = () => {
      interrupts += 1;
      interrupt();
    };
    const ahead = codeOf(scheduler.submit(free(question(0, 1, { priority: 'ahead', maxNewTokens: 200 }))));
    await gate.once();
    while (!gate.waiting) await turn();
    const asked = scheduler.submit(question(1, 1));
    expect(interrupts).toBeGreaterThan(0);
    expect(scheduler.stats()).toMatchObject({ running: 0, queued: 1, ahead: { gaveWay: 1 } });
    expect(await ahead).toBe('cancelled');
    const late = await codeOf(scheduler.submit(question(2, 1, { priority: 'ahead' })));
    expect(late).toBe('cancelled');
    gate.open();
    expect((await asked).tokens).toEqual(answerAlone(question(1, 1)).tokens);
    await scheduler.drain();
    expect(engine.stats()).toMatchObject({ usedPages: 0, openSequences: 0 });
    // It is counted nowhere as a request.
    expect(scheduler.stats()).toMatchObject({ submitted: 1, endings: { model: 1, cancelled: 0 } });
  });
});
