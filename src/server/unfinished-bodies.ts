/** Bodies of HTTP requests that are still coming: bounded for all connections together, with the unfinished messages of WebSockets. */
import { type Readable, Transform } from 'node:stream';
import { ForetraceError } from '../errors.js';
import type { ServiceLimits } from './limits.js';

export class UnfinishedBodies {
  private held = 0;

  /** @param ofSockets unfinished bytes of all WebSockets together */
  constructor(
    private readonly limits: Pick<ServiceLimits, 'unfinishedBytes' | 'maxUnfinishedBytes'>,
    private readonly ofSockets: () => number,
  ) {}

  /** Bytes that have come of bodies whose end has not. */
  get bytes(): number {
    return this.held;
  }

  /**
   * The same body, counted until it ends or is given up. It fails with `overloaded` when more is unfinished than may be, over all connections, and this one,
   * which is not small, goes on.
   */
  counted(body: Readable): Readable {
    const { unfinishedBytes, maxUnfinishedBytes } = this.limits;
    let own = 0;
    const counted = new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        own += chunk.length;
        this.held += chunk.length;
        const isOver = own > unfinishedBytes && this.held + this.ofSockets() > maxUnfinishedBytes;
        if (isOver) done(tooMuchHeld());
        else done(null, chunk);
      },
      destroy: (error, done) => {
        this.held -= own;
        own = 0;
        done(error);
      },
    });
    body.once('close', () => {
      if (!body.readableEnded) counted.destroy();
    });
    return body.pipe(counted);
  }
}

const tooMuchHeld = (): ForetraceError =>
  new ForetraceError('overloaded', 'too much of unfinished request bodies is held', {
    retryAfterMillis: 1000,
  });
