/**
 * Random sequences of events against the fake engine, invariants checked after each (test/support/event-world.ts). `bench/scheduler-events.mjs` runs the same
 * with as many events as one likes.
 */
import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { EventWorld, freshTally } from '../../support/event-world.js';
import { Random } from '../../support/scheduler-world.js';

const events = Number(process.env.FORETRACE_EVENTS ?? 24_000);
const firstSeed = Number(process.env.FORETRACE_SEED ?? 1);
const report = process.env.FORETRACE_EVENTS_REPORT;
const eventsPerWorld = 2_000;

it(`${events} random events lose nobody, answer nobody twice or wrongly, and starve nobody`, {
  timeout: 60_000 + 10 * events,
}, async () => {
  const tally = freshTally();
  const began = performance.now();
  for (let seed = firstSeed; tally.events < events; seed += 1) {
    const world = new EventWorld(new Random(seed), tally);
    try {
      for (let event = 0; event < eventsPerWorld && tally.events < events; event += 1) await world.event();
      await world.end();
    } catch (error) {
      throw new Error(`seed ${seed}, event ${tally.events}: ${(error as Error).message}`, { cause: error });
    }
  }
  if (report)
    writeFileSync(report, JSON.stringify({ ...tally, seconds: (performance.now() - began) / 1000 }));
  // The sequences are worth something only if they reach every branch.
  const { mostWaitedSteps: _, mostUnservedSteps: __, ...counts } = tally;
  for (const [name, count] of Object.entries(counts)) expect(count, name).toBeGreaterThan(20);
});
