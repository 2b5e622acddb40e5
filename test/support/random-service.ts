/** A GenerationService that answers every question with legal tokens at random: the same question under the same seed with the same ones. */
import { GrammarWalker } from '../../src/native/grammar-walker.js';
import type { GenerationRequest, GenerationResult, GenerationService } from '../../src/scheduler/request.js';
import { Random } from './scheduler-world.js';

export class RandomService implements GenerationService {
  readonly requests: GenerationRequest[] = [];

  /** @param seedOf seed of the answer to a request */
  constructor(private readonly seedOf: (request: GenerationRequest) => number) {}

  async submit(request: GenerationRequest): Promise<GenerationResult> {
    this.requests.push(request);
    const { prompt, constraint, maxNewTokens } = request;
    if (constraint === undefined) throw new Error('a question without a grammar');
    const random = new Random(
      prompt.reduce((hash, token) => (hash * 31 + token) >>> 0, this.seedOf(request)),
    );
    const walker = new GrammarWalker(constraint.data, constraint.state, constraint.frames, maxNewTokens);
    const tokens: number[] = [];
    while (!walker.accepted) {
      const legal = walker.legalTokens();
      const token = legal[random.below(legal.length)] as number;
      walker.accept(token);
      tokens.push(token);
    }
    const run = {
      tokens: Int32Array.from(tokens),
      logProbabilities: new Float32Array(tokens.length).fill(Math.log(0.9)),
      forced: new Uint8Array(tokens.length),
    };
    request.onTokens?.(run);
    const counts = { cached: 0, new: tokens.length, forced: 0, drafted: 0, accepted: 0 };
    return {
      ...run,
      origin: 'model',
      finish: 'finished',
      counts,
      queueMillis: 1,
      computeMillis: 2,
      preemptions: 0,
    };
  }
}
