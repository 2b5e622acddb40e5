import { describe, expect, it } from 'vitest';
import { InPlace } from '../../../src/scheduler/in-place.js';
import { worldOf } from '../../support/scheduler-harness.js';
import { answerAlone, question } from '../../support/scheduler-world.js';

const summaryOf = (rows: number, computeMicros: number, iterations = 1) => ({
  iterations,
  rows,
  words: 0,
  computeMicros,
});
const blocksOf = (...rows: number[]) => rows.map((count, id) => ({ id, rows: count }));

describe('calls in place', () => {
  it('are short ones, as far as is known', () => {
    const place = new InPlace(2000, 8, false);
    expect(place.suits(blocksOf(1), false)).toBe(false);
    place.observe(summaryOf(12, 200)); // 10 microseconds a row
    expect(place.suits(blocksOf(92), false)).toBe(true);
    expect(place.suits(blocksOf(93), false)).toBe(false);
    expect(place.suits(blocksOf(40, 40), false)).toBe(true);
    for (let pass = 0; pass < 100; pass += 1) place.observe(summaryOf(12, 2000));
    expect(place.suits(blocksOf(2), false)).toBe(true);
    expect(place.suits(blocksOf(3), false)).toBe(false);
  });

  it('are none for what nobody waits for, where they are off, and for several where processors are left', () => {
    const place = new InPlace(2000, 8, true);
    place.observe(summaryOf(12, 200));
    expect(place.suits(blocksOf(4), true)).toBe(false);
    expect(place.suits(blocksOf(4), false)).toBe(true);
    expect(place.suits(blocksOf(4, 4), false)).toBe(false);
    const off = new InPlace(0, 8, false);
    off.observe(summaryOf(12, 200));
    expect(off.suits(blocksOf(1), false)).toBe(false);
  });

  it('leave timers their turns', async () => {
    const place = new InPlace(2000, 8, false);
    let ran = false;
    setImmediate(() => {
      ran = true;
    });
    await place.turn(100);
    expect(ran).toBe(true);
  });

  it('give the same answers', async () => {
    const { engine, scheduler } = worldOf({}, { inPlaceMicros: 1_000_000 });
    let calls = 0;
    const { stepSync } = engine;
    engine.stepSync = (options) => {
      calls += 1;
      return stepSync.call(engine, options);
    };
    for (let index = 0; index < 20; index += 1) {
      const asked = question(index % 5, index);
      expect((await scheduler.submit(asked)).tokens).toEqual(answerAlone(asked).tokens);
    }
    expect(calls).toBeGreaterThan(10);
  });
});
