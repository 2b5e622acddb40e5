/** The requests that run on one connection: as many as one may have, and ended with it. */
import { ForetraceError } from '../errors.js';
import { DrainRate } from '../scheduler/drain-rate.js';

/** Said where nothing has ended yet, and the most that is said. */
const unknownMillis = 1_000;
const mostMillis = 60_000;

export class ConnectionRequests<Name> {
  private readonly running = new Map<Name, AbortController>();
  /** How fast requests of this connection end while some run. */
  private readonly drain = new DrainRate();
  private seenAt = 0;
  /** Requests refused in a row, while none ended. */
  refused = 0;

  /** @param most requests that may run at once */
  constructor(
    private readonly most: number,
    private readonly now: () => number = () => performance.now(),
  ) {}

  get size(): number {
    return this.running.size;
  }

  /** What ends the running request of this name. */
  get(name: Name): AbortController | undefined {
    return this.running.get(name);
  }

  /** @throws ForetraceError rate_limited, with the time in which one of those that run is expected to end */
  assertRoom(): void {
    if (this.size < this.most) return;
    this.observe(0);
    this.refused += 1;
    throw new ForetraceError('rate_limited', 'too many requests are running on this connection', {
      expected: `at most ${this.most}`,
      actual: String(this.size + 1),
      retryAfterMillis: this.millisToNextEnd,
    });
  }

  /** Runs a request; it is handed what ends it. */
  async run<Result>(name: Name, work: (controller: AbortController) => Promise<Result>): Promise<Result> {
    const controller = new AbortController();
    if (this.size === 0) this.seenAt = this.now();
    this.running.set(name, controller);
    try {
      return await work(controller);
    } finally {
      this.running.delete(name);
      this.refused = 0;
      this.observe(1);
    }
  }

  /** Nobody is there to hear their answers. */
  abortAll(): void {
    for (const controller of this.running.values()) controller.abort();
  }

  private get millisToNextEnd(): number {
    const { perMilli } = this.drain;
    if (!(perMilli > 0)) return unknownMillis;
    return Math.min(mostMillis, Math.max(1, Math.ceil(1 / perMilli)));
  }

  private observe(ended: number): void {
    const now = this.now();
    this.drain.observe(ended, now - this.seenAt);
    this.seenAt = now;
  }
}
