/**
 * The jobs' sequences inside the engine: opening, closing, preempting. Everything here calls the engine and therefore belongs
 * between steps. Keeps the prefix ledger and the grammar registry in step with what is open.
 */
import type { GrammarId, NativeEngine } from '../native/addon-types.js';
import type { GrammarRegistry } from './grammar-registry.js';
import type { Job } from './job.js';
import type { Metrics } from './metrics.js';
import type { PrefixLedger } from './prefix-ledger.js';
import { resumePoint } from './resume.js';

export class Sequences {
  private admissions = 0;

  constructor(
    private readonly engine: NativeEngine,
    private readonly grammars: GrammarRegistry,
    readonly prefixes: PrefixLedger,
    private readonly metrics: Metrics,
  ) {}

  /**
   * Opens the job's known tokens and tells the engine how to generate behind them. Throws what the engine throws; nothing stays open or
   * counted then.
   */
  open(job: Job): void {
    const { request } = job;
    let grammar: GrammarId | -1 = -1;
    if (request.constraint !== undefined) {
      grammar = this.grammars.acquire(request.constraint.key, request.constraint.data);
      job.holdsGrammar = true;
    }
    try {
      const opened = this.engine.open(job.known, job.reserve);
      job.sequence = opened.sequence;
      this.noteOpened(job, opened.cachedTokens);
      this.engine.generate(opened.sequence, {
        grammar,
        state: job.grammarState,
        frames: job.grammarFrames,
        temperature: request.sampling.temperature,
        topP: request.sampling.topP,
        seed: request.sampling.seed,
        maxNewTokens: job.maxNewTokens,
        stopToken: request.constraint === undefined ? request.stopToken : -1,
        // What is left to be expected after a preemption is not worth finding out.
        ...(request.expected && job.generated.length === 0 ? { expected: request.expected } : {}),
      });
    } catch (error) {
      this.close(job);
      throw error;
    }
  }

  /** Gives back whatever the job holds in the engine; safe to call twice. Throws what the engine throws, after letting go of everything. */
  close(job: Job): void {
    try {
      if (job.isOpen) {
        const { sequence } = job;
        job.markClosed();
        this.prefixes.release(job.prefixKey, job.id);
        this.engine.close(sequence);
      }
    } finally {
      if (job.holdsGrammar) {
        job.holdsGrammar = false;
        this.grammars.release((job.request.constraint as { key: string }).key);
      }
    }
  }

  /** Closes the sequence so that its sealed pages stay cached, and prepares the job to go on from what it has generated. */
  preempt(job: Job): void {
    this.close(job);
    const { request } = job;
    const { tokens } = job.generated.copy();
    const point = resumePoint(request.constraint, tokens, request.maxNewTokens);
    const known = new Int32Array(request.prompt.length + point.kept);
    known.set(request.prompt);
    known.set(tokens.subarray(0, point.kept), request.prompt.length);
    job.known = known;
    job.replay = tokens.slice(point.kept);
    job.grammarState = point.state;
    job.grammarFrames = point.frames;
    job.pendingTokens = 0;
    job.preemptions += 1;
    job.state = 'waiting';
    this.metrics.preemptions += 1;
  }

  /** The pass computed `count` known tokens of the job. */
  noteComputed(job: Job, count: number): void {
    job.pendingTokens -= count;
    job.computedTokens += count;
    this.metrics.promptTokensComputed += count;
    const done = job.known.length - job.pendingTokens;
    job.reachedTokens = Math.max(job.reachedTokens, done);
    if (done >= Math.min(job.sharedTokens, job.known.length)) this.prefixes.computed(job.prefixKey, job.id);
  }

  private noteOpened(job: Job, cachedTokens: number): void {
    const { pageTokens } = this.engine.info;
    const sharedPages = Math.floor(Math.min(job.sharedTokens, job.known.length - 1) / pageTokens);
    this.prefixes.hold(job.prefixKey, job.id, cachedTokens >= sharedPages * pageTokens);
    this.admissions += 1;
    job.admission = this.admissions;
    job.pendingTokens = job.known.length - cachedTokens;
    job.generatingRows = 1;
    const reused = Math.min(cachedTokens, job.request.prompt.length);
    job.cachedTokens += Math.max(0, reused - job.reachedTokens);
    job.reachedTokens = Math.max(job.reachedTokens, cachedTokens);
    job.state = 'running';
    this.metrics.promptTokensCached += cachedTokens;
  }
}
