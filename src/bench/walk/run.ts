/** Measures walks with and without drafts: rounds in turns, so that whatever else the machine does meets both alike. */
import { greedy, type Priority } from '../../scheduler/request.js';
import type { SchedulerStats } from '../../scheduler/scheduler.js';
import type { ModelAccess } from '../../session/ask-model.js';
import { Random } from '../agents/random.js';
import type { WalkProgram } from './programs.js';
import { type GenerationRow, generationRow, type Round, type WalkRow, walkRow } from './report.js';
import { type StepTimes, walkAll } from './walkers.js';

/** An engine with its scheduler that nobody else uses. */
export interface WalkEngine {
  readonly access: ModelAccess;
  readonly vocabSize: number;
  stats(): SchedulerStats;
  close(): Promise<void>;
}

export interface WalkBenchOptions {
  readonly programs: readonly WalkProgram[];
  /** Numbers of clients. */
  readonly clients: readonly number[];
  /** Rounds that count; one more comes before them, in which JavaScript is compiled. */
  readonly rounds: number;
  /** Walks in a round, all clients together; each client walks at least once. */
  readonly walks: number;
  readonly maxSteps: number;
  readonly seed: number;
  /** Tokens each sequence generates for the share of JavaScript. */
  readonly generate: number;
  /** Whether every round begins with new engines, which have nothing in their caches and no past answers to guess from. */
  readonly cold: boolean;
  /** Loads an engine. */
  readonly open: (drafts: boolean) => Promise<WalkEngine>;
}

export interface WalkResults {
  readonly walks: WalkRow[];
  readonly generation: GenerationRow[];
}

type Name = 'on' | 'off';

/** Round 0 is for the compiler and, unless engines are new in each round, for their caches; it is dropped. */
export async function runWalkBench(
  options: WalkBenchOptions,
  update: (done: number, total: number) => void,
): Promise<WalkResults> {
  const { clients, rounds } = options;
  const total = (rounds + 1) * clients.length;
  const results: WalkResults = { walks: [], generation: [] };
  let done = 0;
  update(done, total);
  for (const count of clients) {
    const walked = { on: [] as Round[], off: [] as Round[] };
    const generated = { on: [] as Round[], off: [] as Round[] };
    const engines = new Engines(options);
    try {
      for (let round = 0; round <= rounds; round += 1) {
        for (const name of round % 2 === 0 ? (['on', 'off'] as const) : (['off', 'on'] as const)) {
          const engine = await engines.use(name);
          walked[name].push(await walkRound(engine, options, count, round));
          generated[name].push(await generationRound(engine, options, count, round));
        }
        done += 1;
        update(done, total);
      }
    } finally {
      await engines.close();
    }
    const counting = ({ on, off }: Record<Name, Round[]>) => ({ on: on.slice(1), off: off.slice(1) });
    results.walks.push(walkRow(count, counting(walked)));
    results.generation.push(generationRow(count, counting(generated)));
  }
  return results;
}

/** The two engines that are compared: kept, or new each time. */
class Engines {
  private readonly loaded = new Map<Name, WalkEngine>();

  constructor(private readonly options: WalkBenchOptions) {}

  async use(name: Name): Promise<WalkEngine> {
    if (this.options.cold) await this.close();
    const engine = this.loaded.get(name) ?? (await this.options.open(name === 'on'));
    this.loaded.set(name, engine);
    return engine;
  }

  async close(): Promise<void> {
    for (const engine of this.loaded.values()) await engine.close();
    this.loaded.clear();
  }
}

/** What the scheduler counted, and the time on the wall, while `work` ran. */
async function counted(engine: WalkEngine, work: () => Promise<StepTimes>): Promise<Round> {
  const before = engine.stats();
  const began = performance.now();
  const { all, asked } = await work();
  const wallMillis = performance.now() - began;
  const after = engine.stats();
  const of = (read: (stats: SchedulerStats) => number): number => read(after) - read(before);
  return {
    stepMillis: all,
    askedMillis: asked,
    wallMillis,
    nativeMillis: of((stats) => stats.stepMicros.sum) / 1000,
    calls: of((stats) => stats.steps),
    passes: of((stats) => stats.iterations),
    rows: of((stats) => stats.rows),
    generated: of((stats) => stats.tokens.generated),
    forced: of((stats) => stats.tokens.forced),
    drafted: of((stats) => stats.tokens.drafted),
    accepted: of((stats) => stats.tokens.accepted),
  };
}

function walkRound(
  engine: WalkEngine,
  { programs, walks, maxSteps, seed }: WalkBenchOptions,
  clients: number,
  round: number,
): Promise<Round> {
  const each = Math.ceil(walks / clients);
  return counted(engine, () =>
    walkAll(engine.access, programs, { clients, walks: each, maxSteps, seed, round }),
  );
}

/** A whole number of pages of any size, and the token whose logits are the first to be asked for. */
const promptTokens = 64 + 1;

/** Sequences of random tokens that generate without a grammar, all at once: nothing but the loop, the engine and the model. */
async function generationRound(
  engine: WalkEngine,
  { generate, seed }: WalkBenchOptions,
  clients: number,
  round: number,
): Promise<Round> {
  const prompts = Array.from({ length: clients }, (_, index) => {
    const random = new Random(seed + round, index);
    return Int32Array.from({ length: promptTokens }, () => random.below(engine.vocabSize));
  });
  const answers = (priority: Priority, maxNewTokens: number): Promise<unknown> =>
    Promise.all(
      prompts.map((prompt, index) =>
        engine.access.service.submit({
          client: `sequence ${index}`,
          priority,
          prompt,
          sharedTokens: 0,
          sampling: greedy,
          maxNewTokens,
          stopToken: -1,
        }),
      ),
    );
  // The prompts are cached then, and what is counted is generation. `batch`, because the scheduler keeps passes small for `interactive` clients with such short answers.
  await answers('batch', 1);
  return counted(engine, async () => {
    await answers('interactive', generate);
    return { all: [], asked: [] };
  });
}
