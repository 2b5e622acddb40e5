/** A clock that only moves when told, with timers: `now` and `setTimer` of a scheduler. */
interface Timer {
  readonly at: number;
  readonly order: number;
  readonly callback: () => void;
}

export class VirtualClock {
  private time = 0;
  private count = 0;
  /** Soonest last. */
  private timers: Timer[] = [];

  readonly now = (): number => this.time;

  readonly setTimer = (callback: () => void, millis: number): (() => void) => {
    this.count += 1;
    const timer = { at: this.time + Math.max(0, millis), order: this.count, callback };
    let place = this.timers.length;
    while (place > 0 && this.isBefore(this.timers[place - 1] as Timer, timer)) place -= 1;
    this.timers.splice(place, 0, timer);
    return () => {
      const at = this.timers.indexOf(timer);
      if (at >= 0) this.timers.splice(at, 1);
    };
  };

  /** Resolves when the clock has moved on by so much. */
  readonly sleep = (millis: number): Promise<void> =>
    new Promise((resolve) => this.setTimer(resolve, millis));

  get pending(): number {
    return this.timers.length;
  }

  /** Moves on by so much; timers that are due call back in order, each at its time. */
  advance(millis: number): void {
    const until = this.time + millis;
    for (;;) {
      const next = this.timers.at(-1);
      if (next === undefined || next.at > until) break;
      this.fireNext();
    }
    this.time = until;
  }

  /** Moves on to the next timer and lets it call back; false if there is none. */
  fireNext(): boolean {
    const timer = this.timers.pop();
    if (timer === undefined) return false;
    this.time = Math.max(this.time, timer.at);
    timer.callback();
    return true;
  }

  private isBefore(a: Timer, b: Timer): boolean {
    return a.at < b.at || (a.at === b.at && a.order < b.order);
  }
}
