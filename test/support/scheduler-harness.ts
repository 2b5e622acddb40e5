/** A scheduler over a fake engine, and a gate that holds the engine between passes. */
import type { ForetraceError } from '../../src/errors.js';
import type { SchedulerOptions } from '../../src/scheduler/options.js';
import { createScheduler } from '../../src/scheduler/scheduler.js';
import { FakeEngine, type FakeEngineOptions } from './fake-engine.js';
import { turn, vocabSize } from './scheduler-world.js';

/** A fake engine and a scheduler that checks the engine's invariants after every step. */
export function worldOf(engineOptions: FakeEngineOptions = {}, options: SchedulerOptions = {}) {
  const engine = new FakeEngine({ vocabSize, pages: 256, ...engineOptions });
  const scheduler = createScheduler(engine, { afterStep: (one) => one.checkInvariants(), ...options });
  return { engine, scheduler };
}

/** The code of the rejection, or `answered`. */
export const codeOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'answered',
    (error: ForetraceError) => error.code,
  );

/** A gate the engine waits at before every pass. */
export class Gate {
  private waiters: (() => void)[] = [];
  isOpen = false;
  readonly pause = (): Promise<void> =>
    this.isOpen ? turn() : new Promise((resolve) => this.waiters.push(resolve));

  get waiting(): boolean {
    return this.waiters.length > 0;
  }

  /** Lets the engine make one pass. */
  async once(): Promise<void> {
    while (!this.waiting) await turn();
    for (const resolve of this.waiters.splice(0)) resolve();
    await turn();
  }

  open(): void {
    this.isOpen = true;
    for (const resolve of this.waiters.splice(0)) resolve();
  }
}
