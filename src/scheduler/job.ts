/** One computation: a request, its listeners, and what is known of its answer so far. */
import type { SequenceId } from '../native/addon-types.js';
import type { GeneratedTokens, GenerationRequest, GenerationResult, Priority } from './request.js';
import { type Account, accountOf, type PrefixKey, type RunningWork, type WaitingWork } from './work.js';

/** Somebody who waits for the answer of a job. */
export interface Listener {
  readonly request: GenerationRequest;
  readonly submittedAt: number;
  /** What the job had waited by then. */
  readonly waitedBefore: number;
  readonly resolve: (result: GenerationResult) => void;
  readonly reject: (error: Error) => void;
  /** When its answer is of no use any more, on the scheduler's clock; Infinity = never. */
  readonly deadline: number;
  /** Removes the abort handler from the caller's signal and its timer. */
  detach: () => void;
}

/** Tokens that grow at the end; doubles its arrays. */
export class GeneratedBuffer {
  private tokens = new Int32Array(32);
  private logProbabilities = new Float32Array(32);
  private forced = new Uint8Array(32);
  length = 0;
  forcedCount = 0;

  push(run: GeneratedTokens): void {
    const length = this.length + run.tokens.length;
    if (length > this.tokens.length) this.grow(length);
    this.tokens.set(run.tokens, this.length);
    this.logProbabilities.set(run.logProbabilities, this.length);
    this.forced.set(run.forced, this.length);
    this.length = length;
    for (const flag of run.forced) this.forcedCount += flag;
  }

  /** A copy of the tokens. */
  copy(): GeneratedTokens {
    return {
      tokens: this.tokens.slice(0, this.length),
      logProbabilities: this.logProbabilities.slice(0, this.length),
      forced: this.forced.slice(0, this.length),
    };
  }

  private grow(length: number): void {
    const capacity = Math.max(length, 2 * this.tokens.length);
    const { tokens, logProbabilities, forced } = this;
    this.tokens = new Int32Array(capacity);
    this.logProbabilities = new Float32Array(capacity);
    this.forced = new Uint8Array(capacity);
    this.tokens.set(tokens);
    this.logProbabilities.set(logProbabilities);
    this.forced.set(forced);
  }
}

const noTokens = new Int32Array(0);
const noSequence = -1 as SequenceId;

export type JobState = 'waiting' | 'running' | 'done';

export class Job implements WaitingWork, RunningWork {
  readonly listeners: Listener[] = [];
  readonly generated = new GeneratedBuffer();
  client: string;
  priority: Priority;
  account: Account;
  state: JobState = 'waiting';

  /** Tokens to open the sequence with: the prompt, after a preemption also the kept part of the answer. */
  known: Int32Array;
  /** Start of the generation in the automaton; changes with a preemption. */
  grammarState: number;
  grammarFrames: Int32Array;
  /** Tokens given out already that will be generated again. */
  replay: Int32Array = noTokens;
  sequence: SequenceId = noSequence;
  admission = 0;
  pendingTokens = 0;
  generatingRows = 1;
  lastStep = 0;
  preemptions = 0;
  /** Prompt tokens found in the cache before it had computed them itself. */
  cachedTokens = 0;
  /** Known tokens it has been past, over all openings. */
  reachedTokens = 0;
  /** Known tokens computed, over all openings. */
  computedTokens = 0;
  /** What its passes would have cost alone, in rows. */
  costRows = 0;
  /** Drafted tokens verified for it, and those of them that were right. */
  draftedTokens = 0;
  acceptedTokens = 0;
  /** Milliseconds it has waited for a place in the engine, without the wait going on. */
  private waitedMillis = 0;
  /** Since when it waits; null while it does not. */
  private waitsSince: number | null;
  /** True while the engine holds the grammar for it. */
  holdsGrammar = false;

  constructor(
    readonly id: number,
    readonly request: GenerationRequest,
    readonly pages: number,
    readonly prefixKey: PrefixKey,
    readonly queuedAtStep: number,
    /** Most tokens the answer can have. */
    readonly mostTokens: number,
    now: number,
  ) {
    this.waitsSince = now;
    this.client = request.client;
    this.priority = request.priority;
    this.account = accountOf(request.priority, request.client);
    this.known = request.prompt;
    this.grammarState = request.constraint?.state ?? 0;
    this.grammarFrames = request.constraint?.frames ?? noTokens;
  }

  get arrival(): number {
    return this.id;
  }

  get knownTokens(): number {
    return this.known.length;
  }

  get sharedTokens(): number {
    return this.request.sharedTokens;
  }

  /** Tokens the open sequence may still generate. */
  get maxNewTokens(): number {
    return this.request.maxNewTokens - this.generated.length + this.replay.length;
  }

  /** The nearest deadline of those who listen. */
  get deadline(): number {
    let nearest = Number.POSITIVE_INFINITY;
    for (const { deadline } of this.listeners) nearest = Math.min(nearest, deadline);
    return nearest;
  }

  /** Tokens for which pages must be kept behind the known ones. */
  get reserve(): number {
    return Math.min(this.maxNewTokens, this.mostTokens - (this.known.length - this.request.prompt.length));
  }

  /** Milliseconds it has waited for a place in the engine so far. */
  waited(now: number): number {
    return this.waitedMillis + (this.waitsSince === null ? 0 : now - this.waitsSince);
  }

  noteWaiting(now: number): void {
    this.waitsSince ??= now;
  }

  noteOpened(now: number): void {
    this.waitedMillis = this.waited(now);
    this.waitsSince = null;
  }

  /** Whose it is from now on, and in which class. */
  belongTo(client: string, priority: Priority): void {
    this.client = client;
    this.priority = priority;
    this.account = accountOf(priority, client);
  }

  get isOpen(): boolean {
    return this.sequence !== noSequence;
  }

  markClosed(): void {
    this.sequence = noSequence;
  }
}
