/** Turns for timers and sockets where work goes on without waiting for anything. */

/** Milliseconds of such work after which they get one. */
const mostMillisWithoutTurn = 4;

export class Turns {
  private last = 0;

  /** Lets them have their turn if they have waited for long. @param now milliseconds of a clock that never goes back */
  async take(now: number): Promise<void> {
    if (now - this.last < mostMillisWithoutTurn) return;
    await new Promise<void>((resolve) => setImmediate(resolve));
    this.last = now;
  }
}
