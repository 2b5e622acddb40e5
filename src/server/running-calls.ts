/** The calls that wait for the model: they end when their client leaves or the service stops, and are paid for by what they asked. */
import type { DecodedPart } from '../debugger/language/decoded.js';
import type { RateLimiter } from './rate.js';

/** What a call may watch while it waits. */
export interface Watching {
  readonly signal: AbortSignal;
  readonly onPart?: (part: DecodedPart) => void;
  /** Told of each prediction the call asks for. */
  readonly onPrediction: (count: number) => void;
}

export interface Caller {
  /** Account that pays. */
  readonly client: string;
  readonly signal?: AbortSignal;
  /** Ends the call; `signal` is then its own. */
  readonly controller?: AbortController;
  readonly onPart?: (part: DecodedPart) => void;
}

export class RunningCalls {
  private readonly running = new Set<AbortController>();

  constructor(private readonly rate: RateLimiter) {}

  get size(): number {
    return this.running.size;
  }

  /** Ends all of them with `cancelled`. */
  cancelAll(): void {
    for (const controller of this.running) controller.abort();
  }

  /** Runs a call. The request itself has been paid for as one prediction; what it asked beyond that is charged when it ends, however it ends. */
  async watch<Result>(
    { client, signal, controller: own, onPart }: Caller,
    call: (watching: Watching) => Promise<Result>,
  ): Promise<Result> {
    const controller = own ?? new AbortController();
    this.running.add(controller);
    const unfollow = own ? undefined : follow(controller, signal);
    let predictions = 0;
    const onPrediction = (count: number): void => {
      predictions += count;
    };
    try {
      return await call({ signal: controller.signal, onPrediction, ...(onPart ? { onPart } : {}) });
    } finally {
      unfollow?.();
      this.running.delete(controller);
      this.rate.charge(client, predictions - 1);
    }
  }
}

/** Ends `controller` with `signal`, until the returned function is called. */
function follow(controller: AbortController, signal: AbortSignal | undefined): () => void {
  const abort = (): void => controller.abort();
  if (signal?.aborted) abort();
  signal?.addEventListener('abort', abort, { once: true });
  return () => signal?.removeEventListener('abort', abort);
}
