/**
 * A NativeEngine in TypeScript for tests of everything above native code. The next token is a hash of the tokens in the sequence's
 * pages, chosen among the legal ones, so any mix-up of pages, order or resumption shows as a wrong token. Failures happen on demand.
 */
import { ForetraceError } from '../../src/errors.js';
import {
  type EngineInfo,
  type Generation,
  type GrammarData,
  type GrammarId,
  type NativeEngine,
  type OpenResult,
  type PoolStats,
  type SequenceId,
  type StepOptions,
  StepStatus,
  type StepSummary,
} from '../../src/native/addon-types.js';
import { FakePool } from './fake-pool.js';
import { type DraftCounts, type FakeDrafts, FakeSequence } from './fake-sequence.js';

/** Failures on demand; each is asked at the named moment and returns what goes wrong, if anything. */
export interface FakeFailures {
  open?: (tokens: Int32Array) => Error | undefined;
  generate?: (sequence: SequenceId) => Error | undefined;
  addGrammar?: (data: GrammarData) => Error | undefined;
  /** The whole step fails. */
  step?: () => Error | undefined;
  /** One sequence of a pass fails or starves. */
  block?: (sequence: SequenceId) => 'failed' | 'outOfPages' | undefined;
}

export interface FakeEngineOptions {
  vocabSize?: number;
  pages?: number;
  pageTokens?: number;
  maxRows?: number;
  maxContext?: number;
  maxSequences?: number;
  failures?: FakeFailures;
  /** Guesses tokens ahead; without it there are no drafts. */
  drafts?: FakeDrafts;
  /** Waits between passes; a turn of the event loop unless told. */
  pause?: () => Promise<void>;
  /** Called with every block that is run. */
  onBlock?: (sequence: SequenceId, promptTokens: number, generate: boolean) => void;
}

interface Block extends DraftCounts {
  readonly sequence: FakeSequence;
  promptTokens: number;
  readonly generate: boolean;
  /** Tokens computed in this call. */
  computed: number;
  readonly output: { token: number; flags: number; logProbability: number }[];
  status: number;
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export class FakeEngine implements NativeEngine {
  readonly info: EngineInfo;
  failures: FakeFailures;
  readonly grammars = new Map<GrammarId, GrammarData>();
  /** Rows of every pass so far, for tests of the budget. */
  readonly passRows: number[] = [];
  promptTokensComputed = 0;
  closed = false;
  private readonly pool: FakePool;
  private readonly sequences = new Map<SequenceId, FakeSequence>();
  private readonly maxRows: number;
  private readonly maxSequences: number;
  private readonly drafts: FakeDrafts;
  private readonly pause: () => Promise<void>;
  private readonly onBlock: FakeEngineOptions['onBlock'];
  private rings: { request: Int32Array; response: Int32Array; logProbabilities: Float32Array } | null = null;
  private busy = false;
  private interrupted = false;
  private nextSequence = 1;
  private nextGrammar = 1;

  constructor(options: FakeEngineOptions = {}) {
    const { vocabSize = 1025, pages = 64, pageTokens = 4, maxContext = 512 } = options;
    this.maxRows = options.maxRows ?? 256;
    this.maxSequences = options.maxSequences ?? 64;
    this.failures = options.failures ?? {};
    this.drafts = options.drafts ?? { most: 0, isRight: () => false };
    this.pause = options.pause ?? turn;
    this.onBlock = options.onBlock;
    this.pool = new FakePool(pages, pageTokens);
    this.info = {
      architecture: 'fake',
      vocabSize,
      hiddenSize: 1,
      layers: 1,
      heads: 1,
      kvHeads: 1,
      maxContext,
      parameters: 0,
      weightBytes: 0,
      kvBytesPerToken: 4,
      pages,
      pageTokens,
      device: 'fake',
      deviceReason: '',
      isa: 'fake',
      dtype: 'fp32',
      threads: 1,
      modelDigest: 'fake',
    };
  }

  attach(request: Int32Array, response: Int32Array, logProbabilities: Float32Array): void {
    this.guard();
    this.rings = { request, response, logProbabilities };
  }

  addGrammar(data: GrammarData): GrammarId {
    this.guard();
    raise(this.failures.addGrammar?.(data));
    const id = this.nextGrammar as GrammarId;
    this.nextGrammar += 1;
    this.grammars.set(id, data);
    return id;
  }

  removeGrammar(grammar: GrammarId): void {
    this.guard();
    if (!this.grammars.has(grammar)) throw invalid('grammar', String(grammar));
    for (const sequence of this.sequences.values()) {
      if (sequence.generation?.grammar === grammar)
        throw invalid('grammar', `${grammar} in use by a sequence`);
    }
    this.grammars.delete(grammar);
  }

  open(tokens: Int32Array, reserve: number): OpenResult {
    this.guard();
    raise(this.failures.open?.(tokens));
    if (tokens.length === 0) throw invalid('tokens', 'none');
    if (tokens.length + reserve > this.info.maxContext)
      throw invalid('context', String(tokens.length + reserve));
    if (this.sequences.size >= this.maxSequences)
      throw invalid('open sequences', String(this.sequences.size));
    const id = this.nextSequence as SequenceId;
    const sequence = new FakeSequence(id, this.pool, tokens, reserve);
    this.nextSequence += 1;
    this.sequences.set(id, sequence);
    return { sequence: id, cachedTokens: sequence.computed };
  }

  fork(sequence: SequenceId, length: number, reserve: number): SequenceId {
    this.guard();
    const parent = this.find(sequence);
    if (length < 1 || length > parent.computed) throw invalid('length', String(length));
    const id = this.nextSequence as SequenceId;
    this.nextSequence += 1;
    this.sequences.set(id, parent.fork(id, length, reserve));
    return id;
  }

  append(sequence: SequenceId, tokens: Int32Array, reserve: number): void {
    this.guard();
    this.find(sequence).append(tokens, reserve);
  }

  truncate(sequence: SequenceId, length: number): void {
    this.guard();
    const target = this.find(sequence);
    if (length < 0 || length > target.tokens.length) throw invalid('length', String(length));
    target.truncate(length);
  }

  close(sequence: SequenceId): void {
    this.guard();
    this.find(sequence).close();
    this.sequences.delete(sequence);
  }

  generate(sequence: SequenceId, generation: Generation): void {
    this.guard();
    raise(this.failures.generate?.(sequence));
    const data = generation.grammar === -1 ? null : this.grammars.get(generation.grammar);
    if (data === undefined) throw invalid('grammar', String(generation.grammar));
    this.find(sequence).startGenerating(generation, data);
  }

  tokens(sequence: SequenceId): Int32Array {
    this.guard();
    return Int32Array.from(this.find(sequence).tokens);
  }

  async step(options: StepOptions): Promise<StepSummary> {
    this.guard();
    this.busy = true;
    this.interrupted = false;
    try {
      const blocks = this.readBlocks(options.words);
      await this.pause();
      raise(this.failures.step?.());
      let rows = 0;
      let iterations = 0;
      while (this.goesOn(options, blocks, iterations)) {
        if (iterations > 0) await this.pause();
        rows += this.pass(blocks);
        iterations += 1;
      }
      return { words: this.writeResponse(blocks), iterations, rows, computeMicros: rows };
    } finally {
      this.busy = false;
    }
  }

  stepSync(options: StepOptions): StepSummary {
    this.guard();
    this.interrupted = false;
    const blocks = this.readBlocks(options.words);
    raise(this.failures.step?.());
    let rows = 0;
    let iterations = 0;
    while (this.goesOn(options, blocks, iterations)) {
      rows += this.pass(blocks);
      iterations += 1;
    }
    return { words: this.writeResponse(blocks), iterations, rows, computeMicros: rows };
  }

  interrupt(): void {
    this.interrupted = true;
  }

  stats(): PoolStats {
    return {
      totalPages: this.info.pages,
      freePages: this.pool.freePages,
      cachedPages: this.pool.cachedPages,
      usedPages: this.pool.usedPages,
      openSequences: this.sequences.size,
      evictions: this.pool.evictions,
      copiedTokens: 0,
      mergedPages: this.pool.mergedPages,
      hostPages: 0,
      usedHostPages: 0,
      storedPages: 0,
      restoredPages: 0,
      droppedPages: 0,
    };
  }

  checkInvariants(): void {
    this.guard();
    this.verify();
  }

  /** As `checkInvariants`, at any time. */
  verify(): void {
    const references = new Map<number, number>();
    for (const sequence of this.sequences.values()) {
      for (const page of sequence.pages) references.set(page.id, (references.get(page.id) ?? 0) + 1);
      sequence.check();
    }
    this.pool.check(references);
  }

  logits(tokens: Int32Array): Float32Array {
    this.guard();
    const { vocabSize } = this.info;
    const logits = new Float32Array(tokens.length * vocabSize);
    for (let index = 0; index < tokens.length; index += 1) {
      const token = FakeSequence.freeChoice(tokens.subarray(0, index + 1), vocabSize);
      logits[index * vocabSize + token] = 1;
    }
    return logits;
  }

  clearCache(): void {
    this.guard();
    this.pool.clearCache();
  }

  async dispose(): Promise<void> {
    this.closed = true;
  }

  private goesOn(options: StepOptions, blocks: readonly Block[], iterations: number): boolean {
    if (iterations >= options.maxIterations) return false;
    if (iterations === 0) return true;
    if (this.interrupted) return false;
    const ended = blocks.some((block) => block.status !== StepStatus.running);
    if (options.returnOnFinish && ended) return false;
    return blocks.some((block) => block.generate && block.status === StepStatus.running);
  }

  private readBlocks(words: number): Block[] {
    if (this.rings === null) throw invalid('rings', 'none attached');
    const blocks: Block[] = [];
    for (let word = 0; word < words; word += 3) {
      const id = this.rings.request[word] as SequenceId;
      const promptTokens = this.rings.request[word + 1] as number;
      const generate = this.rings.request[word + 2] === 1;
      const sequence = this.find(id);
      if (blocks.some((block) => block.sequence === sequence)) throw invalid('sequence', `${id} twice`);
      sequence.checkBlock(promptTokens, generate);
      this.onBlock?.(id, promptTokens, generate);
      if (promptTokens > this.maxRows) throw invalid('rows', String(promptTokens));
      const counts = { computed: 0, drafted: 0, accepted: 0 };
      blocks.push({ sequence, promptTokens, generate, ...counts, output: [], status: StepStatus.running });
    }
    return blocks;
  }

  /** One forward pass; a block that does not fit into it any more waits for the next one. */
  private pass(blocks: readonly Block[]): number {
    let rows = 0;
    for (const block of blocks) {
      if (block.status !== StepStatus.running) continue;
      const wanted = block.generate
        ? block.sequence.tokens.length - block.sequence.computed
        : block.promptTokens;
      if (rows > 0 && rows + wanted > this.maxRows) continue;
      const failure = this.failures.block?.(block.sequence.id);
      if (failure !== undefined) {
        block.status = StepStatus[failure];
        continue;
      }
      const before = block.sequence.computed;
      if (block.promptTokens > 0) {
        block.sequence.compute(block.promptTokens);
        this.promptTokensComputed += block.promptTokens;
        block.promptTokens = 0;
      }
      if (block.generate)
        block.status = block.sequence.generateOnce(this.info.vocabSize, block.output, this.drafts, block);
      block.computed += block.sequence.computed - before;
      rows += block.sequence.computed - before;
    }
    this.passRows.push(rows);
    return rows;
  }

  private writeResponse(blocks: readonly Block[]): number {
    const { response, logProbabilities } = this.rings as NonNullable<typeof this.rings>;
    let word = 0;
    let token = 0;
    for (const block of blocks) {
      const header = [
        block.sequence.id,
        block.status,
        block.computed,
        block.drafted,
        block.accepted,
        block.output.length,
      ];
      if (word + header.length + 2 * block.output.length > response.length)
        throw invalid('response ring', 'too small');
      response.set(header, word);
      word += header.length;
      for (const output of block.output) {
        response[word] = output.token;
        response[word + 1] = output.flags;
        logProbabilities[token] = output.logProbability;
        word += 2;
        token += 1;
      }
    }
    return word;
  }

  private find(id: SequenceId): FakeSequence {
    const sequence = this.sequences.get(id);
    if (sequence === undefined) throw invalid('sequence', String(id));
    return sequence;
  }

  private guard(): void {
    if (this.closed) throw new ForetraceError('engine_closed', 'The fake engine is closed');
    if (this.busy) throw new ForetraceError('engine_busy', 'The fake engine is running a step');
  }
}

function raise(error: Error | undefined): void {
  if (error !== undefined) throw error;
}

function invalid(what: string, actual: string): ForetraceError {
  return new ForetraceError('invalid_argument', `fake engine: ${what}`, { actual });
}
