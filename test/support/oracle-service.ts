/** A GenerationService that answers every question about one real run rightly, equally sure of each token. */
import type { Action } from '../../src/debugger/action.js';
import { outcomeOf } from '../../src/debugger/language/conditions.js';
import { encodeDelta, encodePrompt } from '../../src/debugger/language/encode.js';
import { beforeEntry, depth } from '../../src/debugger/state.js';
import { ForetraceError } from '../../src/errors.js';
import type { GenerationRequest, GenerationResult, GenerationService } from '../../src/scheduler/request.js';
import { answered } from './answered.js';
import { stateAt, type TrueRun } from './true-runs.js';

/** Frames, from the outermost, that are on the stack at all events between two. */
function common(run: TrueRun, from: number, to: number): number {
  let kept = Number.POSITIVE_INFINITY;
  for (let index = Math.min(from, to) + 1; index <= Math.max(from, to); index += 1) {
    const before = stateAt(run, index - 1);
    const after = stateAt(run, index);
    kept = Math.min(
      kept,
      depth(before) - Number(before.event === 'return'),
      depth(after) - Number(after.event === 'call'),
    );
  }
  return kept;
}

export class OracleService implements GenerationService {
  readonly requests: GenerationRequest[] = [];
  /** Called with the number of each request, before it is answered. */
  onRequest: (number: number) => void = () => undefined;
  private readonly answers = new Map<string, readonly number[]>();

  /** @param sureness probability of each token */
  constructor(
    run: TrueRun,
    private readonly sureness = 0.99,
  ) {
    const entry: Action = { kind: 'step_into', lines: [] };
    const delta = encodeDelta(run.program, beforeEntry, stateAt(run, 0), 0);
    this.answers.set(encodePrompt(run.program, null, entry).join(), delta);
    for (const { from, action, to } of run.answers) {
      if (to < 0) continue;
      const [before, after] = [stateAt(run, from), stateAt(run, to)];
      const isNext = to === from + 1 && ['step_into', 'step_over'].includes(action.kind);
      const holds = isNext ? outcomeOf(run.program, before, after) : undefined;
      const delta = encodeDelta(run.program, before, after, common(run, from, to), holds);
      this.answers.set(encodePrompt(run.program, before, action).join(), delta);
    }
  }

  async submit(request: GenerationRequest): Promise<GenerationResult> {
    this.requests.push(request);
    this.onRequest(this.requests.length);
    await Promise.resolve();
    if (request.signal?.aborted) throw new ForetraceError('cancelled', 'the request was cancelled');
    const answer = this.answers.get(request.prompt.join());
    if (answer === undefined) throw new ForetraceError('internal', 'a question that the run does not answer');
    return answered(request, answer, this.sureness);
  }
}
