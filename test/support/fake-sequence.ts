/** One sequence of the fake engine: its tokens, its pages, and how it chooses the next token from what its pages hold. */
import { ForetraceError } from '../../src/errors.js';
import {
  type Generation,
  type GrammarData,
  type SequenceId,
  StepStatus,
} from '../../src/native/addon-types.js';
import { GrammarWalker } from '../../src/native/grammar-walker.js';
import type { FakePool, Page } from './fake-pool.js';

/** Guesses of a fake engine: how many at most for a sequence in a pass, and whether the next one is right. */
export interface FakeDrafts {
  readonly most: number;
  readonly isRight: () => boolean;
}

export interface DraftCounts {
  drafted: number;
  accepted: number;
}

export class FakeSequence {
  /** Prompt and generated tokens. */
  readonly tokens: number[];
  pages: Page[];
  /** Tokens whose keys and values lie in the pages. */
  computed: number;
  generation: Generation | null = null;
  private walker: GrammarWalker | null = null;
  private generated = 0;
  private finished = false;

  constructor(
    readonly id: SequenceId,
    private readonly pool: FakePool,
    tokens: Int32Array,
    reserve: number,
  ) {
    this.tokens = Array.from(tokens);
    this.pages = pool.match(tokens);
    this.computed = this.pages.length * pool.pageTokens;
    try {
      this.reserve(reserve);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** Takes pages for all tokens and `reserve` more. */
  reserve(reserve: number): void {
    const wanted = Math.ceil((this.tokens.length + reserve) / this.pool.pageTokens);
    if (wanted > this.pages.length) this.pages.push(...this.pool.take(wanted - this.pages.length));
  }

  fork(id: SequenceId, length: number, reserve: number): FakeSequence {
    const child = new FakeSequence(id, this.pool, Int32Array.from(this.tokens.slice(0, length)), reserve);
    child.compute(length - child.computed);
    return child;
  }

  append(tokens: Int32Array, reserve: number): void {
    this.tokens.push(...tokens);
    this.reserve(reserve);
  }

  /** Forgets the tokens after the first `length`; a sealed page that is cut is replaced by a copy of its beginning. */
  truncate(length: number): void {
    const { pageTokens } = this.pool;
    const keep = Math.min(this.computed, length);
    const whole = Math.floor(keep / pageTokens);
    for (const page of this.pages.splice(whole)) this.pool.release(page);
    this.tokens.length = length;
    this.computed = whole * pageTokens;
    this.generation = null;
    this.reserve(0);
    this.compute(keep - this.computed);
  }

  close(): void {
    for (const page of this.pages.splice(0).reverse()) this.pool.release(page);
  }

  startGenerating(generation: Generation, data: GrammarData | null): void {
    this.generation = generation;
    this.generated = 0;
    this.finished = false;
    this.walker =
      data === null
        ? null
        : new GrammarWalker(data, generation.state, generation.frames, generation.maxNewTokens);
  }

  checkBlock(promptTokens: number, generate: boolean): void {
    const pending = this.tokens.length - this.computed;
    if (promptTokens < 0 || promptTokens > pending)
      throw wrong(`${promptTokens} of ${pending} prompt tokens`);
    if (this.finished) throw wrong('a finished sequence');
    if (!generate) return;
    if (this.generation === null) throw wrong('no generation');
    if (this.generated === 0 && promptTokens !== pending) throw wrong('known tokens are left over');
  }

  /** Computes the next `count` tokens into the pages and seals the full ones. */
  compute(count: number): void {
    const { pageTokens } = this.pool;
    for (let left = count; left > 0; left -= 1) {
      const at = Math.floor(this.computed / pageTokens);
      const page = this.pages[at];
      if (page === undefined) throw new ForetraceError('internal', 'fake engine: a token without a page');
      if (page.sealed || page.tokens.length !== this.computed % pageTokens) {
        throw new ForetraceError('internal', `fake engine: page ${page.id} is not writable`);
      }
      page.tokens.push(this.tokens[this.computed] as number);
      this.computed += 1;
      if (page.tokens.length === pageTokens)
        this.pages[at] = this.pool.seal(page, this.pages[at - 1] ?? null);
    }
  }

  /**
   * One pass of generation: computes what is pending, chooses a token, appends the forced ones behind it; while guesses are right the same pass goes on.
   * Returns the step status.
   */
  generateOnce(
    vocabSize: number,
    output: { token: number; flags: number; logProbability: number }[],
    { most, isRight }: FakeDrafts,
    counts: DraftCounts,
  ): number {
    const mostDrafted = counts.drafted + most;
    const generation = this.generation as Generation;
    this.compute(this.tokens.length - this.computed);
    let legal = this.walker?.legalTokens() ?? null;
    let sampled = false;
    for (;;) {
      if (legal !== null && legal.length === 0) throw wrong('no legal token');
      const forced = legal?.length === 1;
      if (!forced && sampled) {
        if (counts.drafted === mostDrafted) return StepStatus.running;
        counts.drafted += 1;
        if (!isRight()) return StepStatus.running;
        counts.accepted += 1;
        this.compute(this.tokens.length - this.computed);
      }
      const hash = this.hash(generation);
      const token = legal === null ? hash % vocabSize : (legal[hash % legal.length] as number);
      if (!forced) sampled = true;
      this.tokens.push(token);
      this.generated += 1;
      output.push({ token, flags: forced ? 1 : 0, logProbability: forced ? 0 : -((hash % 1000) + 1) / 512 });
      if (this.walker !== null && !this.walker.accept(token)) throw wrong(`token ${token} is not legal`);
      const status = this.statusAfter(token, generation);
      if (status !== StepStatus.running) {
        this.finished = true;
        return status;
      }
      legal = this.walker?.legalTokens() ?? null;
    }
  }

  check(): void {
    const { pageTokens } = this.pool;
    const held = this.pages.flatMap((page) => page.tokens).slice(0, this.computed);
    if (held.length !== this.computed)
      throw new ForetraceError('internal', `sequence ${this.id} lost computed tokens`);
    held.forEach((token, index) => {
      if (token !== this.tokens[index]) {
        throw new ForetraceError('internal', `sequence ${this.id} has a wrong token at ${index}`);
      }
    });
    if (this.pages.length * pageTokens < this.tokens.length) {
      throw new ForetraceError('internal', `sequence ${this.id} has too few pages`);
    }
  }

  /** Choice without grammar, greedy: for `logits`. */
  static freeChoice(tokens: ArrayLike<number>, vocabSize: number): number {
    return hashOf(tokens, 0) % vocabSize;
  }

  private statusAfter(token: number, generation: Generation): number {
    if (this.walker?.accepted) return StepStatus.finished;
    if (this.walker === null && token === generation.stopToken) return StepStatus.stopped;
    if (this.generated >= generation.maxNewTokens) return StepStatus.length;
    return StepStatus.running;
  }

  /**
   * Hash of the tokens in the pages, then of those generated in this pass and not computed yet. With a temperature it also depends on (seed,
   * position).
   */
  private hash(generation: Generation): number {
    const held = this.pages.flatMap((page) => page.tokens).slice(0, this.computed);
    const all = [...held, ...this.tokens.slice(this.computed)];
    const salt = generation.temperature > 0 ? (generation.seed ^ Math.imul(all.length, 0x9e3779b1)) | 1 : 0;
    return hashOf(all, salt);
  }
}

function hashOf(tokens: ArrayLike<number>, salt: number): number {
  let hash = 0x811c9dc5 ^ salt;
  for (let index = 0; index < tokens.length; index += 1) {
    hash = Math.imul(hash ^ (tokens[index] as number), 0x01000193);
    hash ^= hash >>> 13;
  }
  return hash >>> 0;
}

function wrong(actual: string): ForetraceError {
  return new ForetraceError('invalid_argument', 'fake engine: step', { actual });
}
