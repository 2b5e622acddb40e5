/** A fake engine whose passes take time on a virtual clock: so much by themselves, and so much a row. */
import { FakeEngine, type FakeEngineOptions } from './fake-engine.js';
import type { VirtualClock } from './virtual-clock.js';

/** Milliseconds. */
export interface PassTime {
  readonly fixed: number;
  readonly row: number;
}

export function timedEngine(
  clock: VirtualClock,
  { fixed, row }: PassTime,
  options: FakeEngineOptions,
): FakeEngine {
  let charged = 0;
  /** Lets the time of the passes made since the last call go by. */
  const charge = async (): Promise<void> => {
    let millis = 0;
    for (; charged < engine.passRows.length; charged += 1)
      millis += fixed + row * (engine.passRows[charged] as number);
    if (millis > 0) await clock.sleep(millis);
  };
  const engine = new FakeEngine({ ...options, pause: charge });
  const step = engine.step.bind(engine);
  engine.step = async (request) => {
    const summary = await step(request);
    await charge();
    return summary;
  };
  return engine;
}
