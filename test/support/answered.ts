/** An answer of a GenerationService that a test stands in for. */
import type { GenerationRequest, GenerationResult } from '../../src/scheduler/request.js';

/** Hands the tokens to who listens and makes the result of them. @param probability of each token */
export function answered(
  request: GenerationRequest,
  tokens: readonly number[],
  probability: number,
  cached = 0,
): GenerationResult {
  const run = {
    tokens: Int32Array.from(tokens),
    logProbabilities: new Float32Array(tokens.length).fill(Math.log(probability)),
    forced: new Uint8Array(tokens.length),
  };
  request.onTokens?.(run);
  const counts = { cached, new: tokens.length, forced: 0, drafted: 0, accepted: 0 };
  const cost = { counts, queueMillis: 1, computeMillis: 2, preemptions: 0 };
  return { ...run, origin: 'model', finish: 'finished', ...cost };
}
