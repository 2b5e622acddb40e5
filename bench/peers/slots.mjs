/** Sequences of a peer handed out as llama-server does it: an idle one that holds the same context, else the one idle for longest. */
export class Slots {
  /** @param {unknown[]} handles */
  constructor(handles) {
    /** Least recently used first. @type {{handle: unknown, context: string}[]} */
    this.idle = handles.map((handle) => ({ handle, context: '' }));
    /** @type {(() => void)[]} */
    this.waiting = [];
  }

  /**
   * Runs `work` with a sequence of its own; waits while all are busy.
   * @template Result
   * @param {string} context
   * @param {(handle: any) => Promise<Result>} work
   * @returns {Promise<Result>}
   */
  async use(context, work) {
    while (this.idle.length === 0)
      await new Promise((resolve) => this.waiting.push(() => resolve(undefined)));
    const same = this.idle.findIndex((slot) => slot.context === context);
    const [slot] = this.idle.splice(Math.max(0, same), 1);
    try {
      return await work(slot.handle);
    } finally {
      slot.context = context;
      this.idle.push(slot);
      this.waiting.shift()?.();
    }
  }
}
