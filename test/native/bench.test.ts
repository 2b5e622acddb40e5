/** Benches over the real addon: what they report has the right shape. How fast anything is, no test says. */
import { expect, it } from 'vitest';
import { loadAddon } from '../../src/native/load.js';
import { tinyOptions } from './tiny-engine.js';

const open = () => {
  const { modelDir } = tinyOptions({});
  return loadAddon().openBench({
    modelDir,
    isa: 'auto',
    dtype: 'int8',
    threads: 1,
    maxTokens: 128,
    maxRows: 32,
    randomWeightsSeed: 1,
  });
};
const decode = { phase: 'decode', batch: 2, context: 16, shared: true } as const;
const twice = { ...decode, passes: 2 };

it('a pass and a measurement report times of rows that were computed', async () => {
  const bench = await open();
  expect(await bench.run(twice)).toBeGreaterThan(0);
  expect(await bench.measure({ ...decode, seconds: 0 })).toMatchObject({ rows: 2, repeats: 5 });
  const prefill = { phase: 'prefill', batch: 1, context: 32, shared: false } as const;
  expect(await bench.run({ ...prefill, passes: 1 })).toBeGreaterThan(0);
  bench.close();
});

it('one piece of work at a time, none after the end, and bad workloads are refused', async () => {
  const bench = await open();
  const running = bench.run(twice);
  expect(() => bench.run(twice)).toThrow(expect.objectContaining({ code: 'engine_busy' }));
  expect(() => bench.close()).toThrow(expect.objectContaining({ code: 'engine_busy' }));
  await running;
  for (const bad of [
    { ...twice, batch: 0 },
    { ...decode, passes: 0 },
  ])
    expect(() => bench.run(bad)).toThrow(expect.objectContaining({ code: 'invalid_argument' }));
  bench.close();
  expect(() => bench.run(twice)).toThrow(expect.objectContaining({ code: 'engine_closed' }));
});
