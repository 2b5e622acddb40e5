/**
 * node-llama-cpp's own binding below its queues: one call is one llama_decode of one batch. That is the least it can do for a forward pass, so that
 * the comparison is of engines and not of wrappers.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Workload } from '../workloads.js';
import { type Clock, timed } from './clock.js';

/** What is used of node-llama-cpp, at the pinned version (dist/bindings/AddonTypes.d.ts there). */
interface Binding {
  initBatch(size: number): void;
  addToBatch(sequence: number, position: number, tokens: Uint32Array, wanted: Uint32Array): Uint32Array;
  decodeBatch(): Promise<void>;
  disposeSequence(sequence: number): void;
  removeTokenCellsFromSequence(sequence: number, start: number, end: number): boolean;
  copySequenceStateFromOtherSequence(target: number, source: number): Promise<number>;
  sampleToken(
    row: number,
    sampler: object,
    probabilities: boolean,
    confidence: boolean,
    logits: boolean,
  ): Promise<
    [token: number, probabilities: undefined, confidence: undefined, logits: (number | undefined)[]]
  >;
}

interface Sampler {
  applyConfig(config: { temperature: number }): void;
  dispose(): void;
}

interface Context {
  readonly _ctx: Binding;
  readonly currentThreads: number;
  readonly flashAttention: boolean | 'auto';
  dispose(): Promise<void>;
}

interface Model {
  readonly _model: object;
  createContext(options: object): Promise<Context>;
  dispose(): Promise<void>;
}

interface Llama {
  readonly _bindings: { AddonSampler: new (model: object) => Sampler };
  readonly systemInfo: string;
  readonly buildType: string;
  readonly llamaCppRelease: { repo: string; release: string };
  loadModel(options: object): Promise<Model>;
  dispose(): Promise<void>;
}

export interface PeerFacts {
  name: string;
  version: string;
  build: string;
  llama_cpp: string;
  /** The instruction sets its binaries say they use. */
  system: string;
}

/** The library, loaded from the folder it was installed in. */
export class Peer {
  private constructor(
    private readonly llama: Llama,
    readonly facts: PeerFacts,
  ) {}

  static async load(folder: string, version: string, threads: number): Promise<Peer> {
    const require = createRequire(join(folder, 'package.json'));
    const { getLlama, LlamaLogLevel } = (await import(
      pathToFileURL(require.resolve('node-llama-cpp')).href
    )) as {
      getLlama(options: object): Promise<Llama>;
      LlamaLogLevel: { error: string };
    };
    const llama = await getLlama({
      gpu: false,
      build: 'never',
      logLevel: LlamaLogLevel.error,
      maxThreads: threads,
    });
    const { repo, release } = llama.llamaCppRelease;
    return new Peer(llama, {
      name: 'node-llama-cpp',
      version,
      build: llama.buildType,
      llama_cpp: `${repo} ${release}`,
      system: llama.systemInfo.trim(),
    });
  }

  /** A context with room for `sequences` of `tokens` tokens each, flash attention on. */
  async open(gguf: string, threads: number, sequences: number, tokens: number): Promise<PeerModel> {
    const model = await this.llama.loadModel({ modelPath: gguf });
    const context = await model.createContext({
      sequences,
      // llama.cpp rounds the context of a sequence up to 256 tokens.
      contextSize: Math.ceil(tokens / 256) * 256,
      batchSize: 512,
      flashAttention: true,
      threads: { ideal: threads, min: threads },
      failedCreationRemedy: false,
    });
    if (context.flashAttention !== true) throw new Error('node-llama-cpp did not turn on flash attention');
    return new PeerModel(model, context, new this.llama._bindings.AddonSampler(model._model));
  }

  dispose(): Promise<void> {
    return this.llama.dispose();
  }
}

const all = (count: number): Uint32Array => Uint32Array.from({ length: count }, (_, i) => i);

/** One model with one context. Tokens are the ones the caller gives: speed does not depend on them, but the results do. */
export class PeerModel {
  private readonly binding: Binding;

  constructor(
    private readonly model: Model,
    private readonly context: Context,
    private readonly sampler: Sampler,
  ) {
    this.binding = context._ctx;
    sampler.applyConfig({ temperature: 0 });
  }

  get threads(): number {
    return this.context.currentThreads;
  }

  /**
   * Brings the cache to where the workload starts and returns what runs one forward pass of it and then takes its tokens back; the pass alone is
   * timed, in seconds, one awaited call.
   */
  async ready(
    { phase, batch, context }: Workload,
    tokens: Int32Array,
    clock: Clock,
  ): Promise<() => Promise<number>> {
    const decode = (): Promise<number> => timed(clock, () => this.binding.decodeBatch());
    this.clear(batch);
    const prompt = Uint32Array.from(tokens.subarray(0, context));
    if (phase === 'prefill') {
      return async () => {
        this.clear(1);
        this.binding.initBatch(prompt.length);
        this.binding.addToBatch(0, 0, prompt, Uint32Array.of(prompt.length - 1));
        return decode();
      };
    }
    this.binding.initBatch(prompt.length);
    this.binding.addToBatch(0, 0, prompt, Uint32Array.of(prompt.length - 1));
    await this.binding.decodeBatch();
    for (let sequence = 1; sequence < batch; ++sequence)
      await this.binding.copySequenceStateFromOtherSequence(sequence, 0);
    return async () => {
      this.binding.initBatch(batch);
      for (let sequence = 0; sequence < batch; ++sequence) {
        const token = Uint32Array.of(tokens[(sequence * 31) % tokens.length] as number);
        this.binding.addToBatch(sequence, context, token, Uint32Array.of(0));
      }
      const seconds = await decode();
      for (let sequence = 0; sequence < batch; ++sequence)
        this.binding.removeTokenCellsFromSequence(sequence, context, context + 1);
      return seconds;
    };
  }

  /** Logits after each of the tokens of a fresh sequence: [tokens, vocabulary]. */
  async logits(tokens: Int32Array, vocabSize: number): Promise<Float32Array> {
    this.clear(1);
    this.binding.initBatch(tokens.length);
    const rows = this.binding.addToBatch(0, 0, Uint32Array.from(tokens), all(tokens.length));
    await this.binding.decodeBatch();
    const result = new Float32Array(tokens.length * vocabSize).fill(Number.NaN);
    for (const [at, row] of rows.entries()) {
      const [, , , pairs] = await this.binding.sampleToken(row, this.sampler, false, false, true);
      for (let i = 0; i < pairs.length; i += 2)
        result[at * vocabSize + (pairs[i] as number)] = pairs[i + 1] as number;
    }
    return result;
  }

  async close(): Promise<void> {
    this.sampler.dispose();
    await this.context.dispose();
    await this.model.dispose();
  }

  private clear(sequences: number): void {
    for (let sequence = 0; sequence < sequences; ++sequence) this.binding.disposeSequence(sequence);
  }
}
