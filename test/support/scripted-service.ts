/** A GenerationService that answers with deltas a test writes down, and remembers what it was asked. */
import { ForetraceError } from '../../src/errors.js';
import type { GenerationRequest, GenerationResult, GenerationService } from '../../src/scheduler/request.js';
import { answered } from './answered.js';

export class ScriptedService implements GenerationService {
  readonly requests: GenerationRequest[] = [];
  /** Tokens of the next answers, or an error. */
  readonly script: (readonly number[] | ForetraceError)[] = [];
  /** Of each token of the answers. */
  probability = 0.5;
  private waiting: (() => void)[] = [];
  private isHeld = false;

  hold(): void {
    this.isHeld = true;
  }

  release(): void {
    this.isHeld = false;
    for (const wake of this.waiting.splice(0)) wake();
  }

  async submit(request: GenerationRequest): Promise<GenerationResult> {
    this.requests.push(request);
    const next = this.script.shift();
    if (this.isHeld) await new Promise<void>((resolve) => this.waiting.push(resolve));
    if (next === undefined) throw new ForetraceError('internal', 'the script has ended');
    if (next instanceof ForetraceError) throw next;
    if (request.signal?.aborted) throw new ForetraceError('cancelled', 'the request was cancelled');
    return answered(request, next, this.probability, 1);
  }
}
