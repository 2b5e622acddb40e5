/** A GenerationService that answers every question with legal tokens at random: the same question under the same seed with the same ones. */
import { GrammarWalker } from '../../src/native/grammar-walker.js';
import type { GenerationRequest, GenerationResult, GenerationService } from '../../src/scheduler/request.js';
import { answered } from './answered.js';
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
    return answered(request, tokens, 0.9);
  }
}
