/** Clients of a scheduler in virtual time, over a fake engine whose passes cost what passes cost. */
import { ForetraceError } from '../../src/errors.js';
import type { SchedulerOptions } from '../../src/scheduler/options.js';
import type { GenerationResult } from '../../src/scheduler/request.js';
import { createScheduler, type Scheduler } from '../../src/scheduler/scheduler.js';
import { Random, turn, vocabSize } from './scheduler-world.js';
import { type PassTime, timedEngine } from './timed-engine.js';
import { VirtualClock } from './virtual-clock.js';

export interface Costs {
  /** Milliseconds of a pass. */
  readonly time: PassTime;
  /** Most rows of a pass. */
  readonly rows: number;
  readonly options?: SchedulerOptions;
}

/** A question behind one of several programs, of random tokens. */
export interface Question {
  readonly client: string;
  readonly program: number;
  /** Tokens of the question behind the program, and of its answer. */
  readonly question: number;
  readonly answer: number;
}

const programTokens = 48;

export class TimedClients {
  readonly clock = new VirtualClock();
  readonly random: Random;
  /** True once the client that is watched has all its answers. */
  isOver = false;
  private readonly scheduler: Scheduler;

  constructor({ time, rows, options }: Costs, seed: number) {
    this.random = new Random(seed);
    const engine = timedEngine(this.clock, time, {
      vocabSize,
      pages: 4096,
      pageTokens: 8,
      maxRows: 512,
      maxContext: 512,
    });
    this.scheduler = createScheduler(engine, {
      rows,
      fixedRows: time.fixed / time.row,
      now: this.clock.now,
      setTimer: this.clock.setTimer,
      storeBytes: 0,
      ...options,
    });
  }

  /** Runs one client to its end beside others, which stop when `isOver`. */
  async run<Result>(
    watched: () => Promise<Result>,
    others: readonly (() => Promise<void>)[],
  ): Promise<Result> {
    const result = watched().finally(() => {
      this.isOver = true;
    });
    for (const other of others) void other();
    await this.until(() => this.isOver);
    let isDrained = false;
    void this.scheduler.drain().then(() => {
      isDrained = true;
    });
    await this.until(() => isDrained);
    return result;
  }

  /** Counts of the answer; where it is refused, the question is asked again later. */
  async ask({ client, program, question, answer }: Question): Promise<GenerationResult['counts']> {
    const shared = Array.from(
      { length: programTokens },
      (_, index) => (program * 11 + index * 3) % vocabSize,
    );
    const own = Array.from({ length: question }, () => this.random.below(vocabSize));
    for (;;) {
      try {
        const { counts } = await this.scheduler.submit({
          client,
          priority: 'interactive',
          prompt: Int32Array.from([...shared, ...own]),
          sharedTokens: shared.length,
          sampling: { temperature: 0, topP: 1, seed: 0 },
          maxNewTokens: answer,
          stopToken: -1,
        });
        return counts;
      } catch (error) {
        if (!(error instanceof ForetraceError) || !error.retryable) throw error;
        await this.clock.sleep(error.details.retryAfterMillis ?? 1000);
      }
    }
  }

  /** Asks after a pause of `think` milliseconds on the mean; returns the milliseconds that the answer took. */
  async askAfter(think: number, question: Question): Promise<number> {
    await this.clock.sleep(think * (0.5 + this.random.next()));
    const asked = this.clock.now();
    await this.ask(question);
    return this.clock.now() - asked;
  }

  private async until(isDone: () => boolean): Promise<void> {
    while (!isDone()) {
      await turn();
      this.clock.fireNext();
    }
  }
}
