/** The request that somebody waits for, and may stop. */
export class Interruptible {
  private running: AbortController | null = null;

  /** Runs a request that `interrupt` stops. */
  async run<Result>(request: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    const controller = new AbortController();
    this.running = controller;
    try {
      return await request(controller.signal);
    } finally {
      if (this.running === controller) this.running = null;
    }
  }

  /** Stops what runs, which fails with `cancelled`; whether anything did. */
  interrupt(): boolean {
    const { running } = this;
    running?.abort();
    return running !== null;
  }
}
