/**
 * The whole surface of the native addon, typed by hand. `native/binding.cc` implements exactly this;
 * test/contract.test.ts checks both ways. Errors thrown by the addon carry a `code` of src/errors.ts.
 *
 * Threads: one engine thread per Engine. Everything but `step` runs on the JavaScript thread. While a step is in flight every method but
 * `stats`, `interrupt` and `dispose` throws `engine_busy`.
 */

/** Index of a sequence inside one engine; never reused while open. */
export type SequenceId = number & { readonly __brand: 'SequenceId' };
/** Index of a registered grammar inside one engine. */
export type GrammarId = number & { readonly __brand: 'GrammarId' };

export interface EngineOptions {
  /** Directory with config.json, *.safetensors, tokenizer.json. */
  modelDir: string;
  device: 'auto' | 'cpu' | 'cuda';
  /** CPU instruction set; `auto` takes the best this machine has. */
  isa: 'auto' | 'portable' | 'avx2' | 'avx512' | 'avx512vnni' | 'avx512bf16' | 'amx';
  /**
   * Number format of the weights; `auto` takes, on the CPU, what the model's config.json says (`foretrace.cpu_dtype`, by those who measured it), else bf16. On the CPU `fp32` (the reference), `bf16` or `int8`, for keys and values as well; on a GPU `bf16`,
   * `int8` or, from compute capability 8.9 on, `fp8`, and keys and values are bf16.
   */
  dtype: 'auto' | 'fp32' | 'bf16' | 'int8' | 'fp8';
  /** Worker threads of the CPU backend, the engine thread included; 0 = the processors this process may run on. */
  threads: number;
  /** Number of KV pages in the pool; 0 = on the CPU a default from the model and a 256 MiB budget, on a GPU what its free memory holds. */
  pages: number;
  /** Tokens a page; a power of two from 4 to 64. */
  pageTokens: number;
  /** Most rows (tokens) of one forward pass; larger blocks are an `invalid_argument`. */
  maxRows: number;
  /** Most sequences open at once. */
  maxSequences: number;
  /** Bytes of page-locked host memory for pages that leave the pool of a GPU, so that they need not be computed again; 0 = none. */
  hostCacheBytes: number;
  /**
   * Whether tokens are guessed and verified several at a time: `auto` where measured costs and hits say that it pays, `always` wherever there is a
   * guess (tests). Answers are the same either way, bit for bit.
   */
  drafts: 'auto' | 'off' | 'always';
  /** Draws a bar on standard error while weights are copied to a GPU. */
  showProgress?: boolean;
  /** When set, weights are drawn from this seed and modelDir needs only config.json (tests and benches). */
  randomWeightsSeed?: number;
}

export interface EngineInfo {
  architecture: string;
  vocabSize: number;
  hiddenSize: number;
  layers: number;
  heads: number;
  kvHeads: number;
  maxContext: number;
  parameters: number;
  weightBytes: number;
  kvBytesPerToken: number;
  pages: number;
  pageTokens: number;
  device: string;
  /** One line for people: why `auto` is this device; empty if the device was asked for by name. */
  deviceReason: string;
  isa: string;
  /** Number format of the weights that `auto` chose or the options named. */
  dtype: string;
  threads: number;
  /** Order-independent digest of config and weights: names the model in caches. */
  modelDigest: string;
}

/**
 * A grammar: a deterministic pushdown automaton over tokens, as flat arrays. Native code walks it and knows
 * nothing of debugging.
 *
 * State s has the edges edgeStart[s] .. edgeStart[s + 1] - 1, tried in order; edge e accepts a token t if
 * edgeToken[e] === t, or edgeToken[e] === -1 and bit t of mask edgeMask[e] is set. Edge operations:
 *   0 goto:  state = edgeNext[e]
 *   1 call:  push edgeReturn[e] on the return stack, state = edgeNext[e]; the sub-automaton may take edgeLimit[e] tokens
 *            counting the accepted one, then only closing tokens are legal until it returns
 *   2 leave: legal only if the frame stack is not empty; state = pop(frame stack)
 * A state with flag 1 (returnable) also accepts whatever the state on top of the return stack accepts: the stack is popped first.
 * A state with flag 2 (accept) ends the generation; it has no edges.
 * stateClose[s] is the token that starts the shortest way to accept (or to returnable) and stateDistance[s] the
 * number of tokens of that way; returnable states have distance 0 and close -1. A token is legal only if acceptance can still be
 * reached with the tokens left in the request, so that every generation ends well formed.
 * A token that is the only legal one is appended without sampling (a forced token, probability 1).
 */
export interface GrammarData {
  vocabSize: number;
  edgeStart: Int32Array;
  edgeToken: Int32Array;
  edgeMask: Int32Array;
  edgeNext: Int32Array;
  edgeOperation: Uint8Array;
  edgeReturn: Int32Array;
  edgeLimit: Int32Array;
  stateFlags: Uint8Array;
  stateClose: Int32Array;
  stateDistance: Int32Array;
  /** masks * ceil(vocabSize / 32) words, little-endian bits. */
  masks: Uint32Array;
}

export interface Generation {
  grammar: GrammarId | -1;
  /** Start state; ignored without a grammar. */
  state: number;
  /** Frame stack, bottom first; ignored without a grammar. */
  frames: Int32Array;
  /** 0 = greedy (ties to the lowest token id). */
  temperature: number;
  /** Nucleus mass in (0, 1]; 1 = off. */
  topP: number;
  /** Seed of the sequence's own counter-based generator; a draw depends on (seed, position) alone. */
  seed: number;
  /** Most tokens to generate, forced ones included. */
  maxNewTokens: number;
  /** Token that ends a generation without grammar; -1 = none. */
  stopToken: number;
  /** Tokens that are expected to be generated: a guess to draft from, which is verified like any other. Without a grammar it is ignored. */
  expected?: Int32Array;
}

export interface OpenResult {
  sequence: SequenceId;
  /** Prompt tokens whose keys and values were found in the prefix tree or copied from a partial page. */
  cachedTokens: number;
}

export interface PoolStats {
  totalPages: number;
  freePages: number;
  /** Sealed, referenced by no sequence, evictable. */
  cachedPages: number;
  /** Referenced by at least one open sequence. */
  usedPages: number;
  openSequences: number;
  evictions: number;
  copiedTokens: number;
  mergedPages: number;
  /** Pages that host memory has room for, and how many of them hold something. */
  hostPages: number;
  usedHostPages: number;
  /** Pages copied to host memory when they were evicted, copied back because a prompt matched them, given up for want of room. */
  storedPages: number;
  restoredPages: number;
  droppedPages: number;
}

export interface StepOptions {
  /** Number of int32 words of the request ring that are filled. */
  words: number;
  /** Most forward passes in this call; at least 1. */
  maxIterations: number;
  /** Microseconds after which no new iteration is started; 0 = none. */
  deadlineMicros: number;
  /** Return as soon as a sequence has finished. */
  returnOnFinish: boolean;
}

export interface StepSummary {
  /** Number of int32 words written to the response ring. */
  words: number;
  iterations: number;
  rows: number;
  /** Time in native code, microseconds. */
  computeMicros: number;
  /** Why the first block that has the status `failed` failed; absent if none has. */
  failure?: string;
}

/**
 * Request ring, per block: [sequence, promptTokens, flags]. The block computes the next `promptTokens` tokens of the sequence's known tokens
 * (0 for a sequence that is generating and goes on). Flag 1: after these tokens the sequence generates (all known tokens must then be computed).
 * Response ring, per block in the same order: [sequence, status, tokens computed in this call, tokens drafted, drafted tokens that came true, n, then n
 * times (token, flags)]; the log-probability of the i-th written token of the whole response is logProbabilities[i]. Token flag 1: forced.
 */
export const StepStatus = {
  running: 0,
  finished: 1,
  length: 2,
  stopped: 3,
  outOfPages: 4,
  failed: 5,
} as const;

export interface NativeEngine {
  readonly info: EngineInfo;
  /** Ring buffers, allocated by JavaScript once; the addon keeps references to them. */
  attach(request: Int32Array, response: Int32Array, logProbabilities: Float32Array): void;
  addGrammar(data: GrammarData): GrammarId;
  removeGrammar(grammar: GrammarId): void;
  /** Opens a sequence over `tokens`; takes pages for tokens.length + reserve tokens or throws `out_of_pages`. */
  open(tokens: Int32Array, reserve: number): OpenResult;
  /** A new sequence that shares the first `length` computed tokens; its tail page is copied on write. */
  fork(sequence: SequenceId, length: number, reserve: number): SequenceId;
  /** Appends known tokens, not computed yet. */
  append(sequence: SequenceId, tokens: Int32Array, reserve: number): void;
  /** Forgets all tokens after the first `length`. */
  truncate(sequence: SequenceId, length: number): void;
  close(sequence: SequenceId): void;
  generate(sequence: SequenceId, generation: Generation): void;
  /** Tokens of a sequence: prompt and generated ones. */
  tokens(sequence: SequenceId): Int32Array;
  step(options: StepOptions): Promise<StepSummary>;
  /** The same on the calling thread: deterministic, blocks; for tests and benches. */
  stepSync(options: StepOptions): StepSummary;
  /** Asks the step in flight to return after its current iteration. */
  interrupt(): void;
  stats(): PoolStats;
  /** Throws `internal` if an invariant of pool, tree or table does not hold. */
  checkInvariants(): void;
  /** Logits of all vocabulary tokens after each of the given tokens of a fresh sequence: [tokens.length * vocabSize]. */
  logits(tokens: Int32Array): Float32Array;
  /** Drops everything the prefix tree keeps for nobody. */
  clearCache(): void;
  dispose(): Promise<void>;
}

/** What a machine can do at most, with one instruction set and number of threads: the denominators of a benchmark. */
export interface MachineLimits {
  isa: string;
  threads: number;
  /** Bytes per second that all threads read together from memory. */
  readBytesPerSecond: number;
  /** Multiplications and additions per second in registers, by number format of the weights; 0 if not measurable. */
  operationsPerSecond: Record<WeightFormat, number>;
  /** The multiplying instruction of each. */
  instructions: Record<WeightFormat, string>;
}

export type WeightFormat = 'fp32' | 'bf16' | 'int8';

/** A model to be measured without an engine: forward passes alone. */
export interface BenchOptions
  extends Pick<EngineOptions, 'modelDir' | 'isa' | 'threads' | 'randomWeightsSeed'> {
  dtype: WeightFormat;
  /** Room of the KV pool, in tokens. */
  maxTokens: number;
  maxRows: number;
}

/** Prefill: one chunk of `context` tokens. Decode: one more token for each of `batch` sequences of `context` tokens. */
export interface BenchWorkload {
  phase: 'prefill' | 'decode';
  batch: number;
  context: number;
  /** Decode: all sequences read the same pages. */
  shared: boolean;
  /** How long to repeat; at least five times. */
  seconds: number;
}

export interface BenchMeasurement {
  /** Of one forward pass, the median of `repeats`. */
  seconds: number;
  repeats: number;
  /** Tokens of a forward pass. */
  rows: number;
  /** Weights and distinct keys and values that a forward pass must read. */
  bytes: number;
  operations: number;
  /** Share of the threads' time inside matrix products, and inside attention; the rest is everything else, waiting included. */
  productShare: number;
  attentionShare: number;
}

export interface NativeBench {
  readonly isa: string;
  readonly threads: number;
  readonly weightBytes: number;
  readonly kvBytesPerToken: number;
  readonly parameters: number;
  readonly maxContext: number;
  measure(workload: BenchWorkload): Promise<BenchMeasurement>;
  /** Forward passes, one after the other; resolves with their seconds in native code. */
  run(workload: Omit<BenchWorkload, 'seconds'> & { passes: number }): Promise<number>;
  /** Gives the memory back. */
  close(): void;
}

export interface NativeAddon {
  loadEngine(options: EngineOptions): Promise<NativeEngine>;
  features(): { version: string; isas: string[]; cuda: boolean; cudaDevices: string[] };
  measureMachine(options: Pick<EngineOptions, 'isa' | 'threads'>): Promise<MachineLimits>;
  openBench(options: BenchOptions): Promise<NativeBench>;
}
