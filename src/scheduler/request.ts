/**
 * What the scheduler is asked for, and what it answers. It knows tokens, grammars as numbers and opaque keys;
 * it never learns what a program or a debugger is.
 */
import type { GrammarData } from '../native/addon-types.js';

/**
 * `interactive` before `batch`; `ahead` is for questions that nobody has asked yet: they are computed only while there is no other, and end with `cancelled`
 * when one comes.
 */
export type Priority = 'interactive' | 'batch' | 'ahead';
export type Origin = 'model' | 'cache';

export interface Constraint {
  /** Same key, same data: a grammar is registered with the engine once per key and evicted when unused. */
  readonly key: string;
  readonly data: GrammarData;
  readonly state: number;
  /** Frame stack handed to the automaton, bottom first. */
  readonly frames: Int32Array;
}

export interface Sampling {
  /** 0 = greedy. */
  readonly temperature: number;
  readonly topP: number;
  readonly seed: number;
}

export const greedy: Sampling = { temperature: 0, topP: 1, seed: 0 };

export interface GenerationRequest {
  /** Fairness account: one client, one queue. */
  readonly client: string;
  readonly priority: Priority;
  readonly prompt: Int32Array;
  /** The first `sharedTokens` tokens of the prompt are common to many requests (the program). */
  readonly sharedTokens: number;
  readonly constraint?: Constraint;
  readonly sampling: Sampling;
  readonly maxNewTokens: number;
  /** Ends a generation without constraint; -1 = none. */
  readonly stopToken: number;
  /** Tokens that the caller expects for an answer: the engine verifies them together. They change when the answer is there, never what it is. */
  readonly expected?: Int32Array;
  /**
   * Equal keys ask the same question: (model, dialect, prompt, constraint, sampling) must determine it. The answer is then looked up in the
   * trajectory store, joined to an equal request in flight, or stored when computed. Leave it out to force a computation.
   */
  readonly key?: string;
  /** False: join an equal request in flight, but do not store the answer, which the caller does. */
  readonly isKept?: boolean;
  readonly signal?: AbortSignal;
  /**
   * Milliseconds from the submission after which the answer is of no use: the request then fails with `deadline_exceeded`, at once, wherever it is;
   * it is refused at once if it is plain that it cannot be answered in time. A stored answer is given whatever the deadline.
   */
  readonly deadlineMillis?: number;
  /** Called with every run of new tokens as soon as it is known, in order; a cached answer comes as one run. */
  readonly onTokens?: (tokens: GeneratedTokens) => void;
}

/** Tokens with their log-probabilities (of the constrained distribution, natural logarithm, temperature 1) and whether they were forced. */
export interface GeneratedTokens {
  readonly tokens: Int32Array;
  readonly logProbabilities: Float32Array;
  readonly forced: Uint8Array;
}

export interface TokenCounts {
  /** Prompt tokens whose keys and values were reused. */
  readonly cached: number;
  /** Tokens computed for this answer: prompt tokens not cached and generated ones. */
  readonly new: number;
  readonly forced: number;
  readonly drafted: number;
  readonly accepted: number;
}

export interface GenerationResult extends GeneratedTokens {
  readonly origin: Origin;
  /** `finished`: the grammar accepted or the stop token came; `length`: maxNewTokens reached without a grammar. */
  readonly finish: 'finished' | 'length';
  readonly counts: TokenCounts;
  /** Time without a place in the engine, also after a preemption. */
  readonly queueMillis: number;
  readonly computeMillis: number;
  readonly preemptions: number;
}

/** The only door to the scheduler. Rejections are ForetraceError: cancelled, overloaded, draining, context_too_long, out_of_pages, ... */
export interface GenerationService {
  submit(request: GenerationRequest): Promise<GenerationResult>;
}

/** Tells when there is nothing to do, for those who would do something in advance. */
export interface IdleSource {
  /** True while no request but `ahead` ones waits or runs. */
  readonly isIdle: boolean;
  /** Calls `listener` whenever that becomes true; returns how to stop. */
  onIdle(listener: () => void): () => void;
}
