/** The ring buffers shared with the engine: allocated once, written and read as int32 words (see addon-types.ts). */
import type { NativeEngine, SequenceId } from '../native/addon-types.js';
import { blockHeaderWords, type StepResponse } from './apply.js';

const requestWords = 3;
const generateFlag = 1;

export class Rings {
  private readonly request: Int32Array;
  private readonly response: Int32Array;
  private readonly logProbabilities: Float32Array;
  words = 0;

  /** Large enough for everything one call can generate: no more tokens than the pool or the contexts can hold. */
  constructor(engine: NativeEngine, maxBlocks: number) {
    const { maxContext, pages, pageTokens } = engine.info;
    const tokens = Math.min(maxBlocks * maxContext, pages * pageTokens);
    this.request = new Int32Array(maxBlocks * requestWords);
    this.response = new Int32Array(maxBlocks * blockHeaderWords + 2 * tokens);
    this.logProbabilities = new Float32Array(tokens);
    engine.attach(this.request, this.response, this.logProbabilities);
  }

  begin(): void {
    this.words = 0;
  }

  /** A block that computes `promptTokens` of the `pendingTokens` known tokens, and generates if none is left then. */
  write(sequence: SequenceId, promptTokens: number, pendingTokens: number): void {
    this.request[this.words] = sequence;
    this.request[this.words + 1] = promptTokens;
    this.request[this.words + 2] = promptTokens === pendingTokens ? generateFlag : 0;
    this.words += requestWords;
  }

  responseOf(words: number, failure?: string): StepResponse {
    const { response, logProbabilities } = this;
    return { response, logProbabilities, words, ...(failure === undefined ? {} : { failure }) };
  }
}
