/**
 * Agents that take plain token turns: some contexts are shared by all, every turn asks how one of them goes on after a few tokens of the agent's own.
 * The same workload runs against any engine that has a `RawPort`.
 */
import type { Agent, TurnOutcome } from './driver.js';
import { Random } from './random.js';

export interface RawWorkload {
  /** Tokens of each context. */
  readonly context: number;
  /** How many contexts there are. */
  readonly contexts: number;
  /** Tokens an agent appends. */
  readonly append: number;
  /** Tokens to generate. */
  readonly generate: number;
  /** Tokens are drawn from 0 to this, exclusively. */
  readonly vocabSize: number;
  readonly seed: number;
}

/** One connection to an engine. */
export interface RawPort {
  /** Makes a shared context known, where that is needed. */
  open(context: string, tokens: readonly number[]): Promise<void>;
  /** Generates greedily after context and tokens. Calls `onFirst` with the first token; gives the number of generated tokens. */
  turn(context: string, tokens: readonly number[], generate: number, onFirst: () => void): Promise<number>;
  close(): Promise<void>;
}

/** The same for everybody who has the same seed. */
export function contextTokens({ context, vocabSize, seed }: RawWorkload, number: number): number[] {
  const random = new Random(seed, -1 - number);
  return Array.from({ length: context }, () => random.below(vocabSize));
}

export class RawAgent implements Agent {
  private random: Random;

  constructor(
    private readonly port: RawPort,
    private readonly index: number,
    private readonly workload: RawWorkload,
  ) {
    this.random = new Random(workload.seed, index);
  }

  async begin(): Promise<void> {
    const { contexts, seed } = this.workload;
    this.random = new Random(seed, this.index);
    if (this.index >= contexts) return;
    await this.port.open(this.nameOf(this.index), contextTokens(this.workload, this.index));
  }

  async turn(): Promise<TurnOutcome> {
    const { contexts, append, generate, vocabSize } = this.workload;
    const tokens = Array.from({ length: append }, () => this.random.below(vocabSize));
    const askedAt = performance.now();
    let firstAt = 0;
    const onFirst = (): void => {
      if (firstAt === 0) firstAt = performance.now();
    };
    const generated = await this.port.turn(this.nameOf(this.index % contexts), tokens, generate, onFirst);
    onFirst();
    return { kind: 'raw', origin: 'model', askedAt, firstAt, generated };
  }

  async recover(): Promise<void> {}

  close(): Promise<void> {
    return this.port.close();
  }

  private nameOf(context: number): string {
    return `context ${context}`;
  }
}
