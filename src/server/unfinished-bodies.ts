/** Bodies of HTTP requests that are still coming: bounded for all connections together, with the unfinished messages of WebSockets. */
import type { FastifyReply, FastifyRequest } from 'fastify';
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
   * Counts the body of a request that is about to be read, until it has come, its answer is sent or its connection closes. Its stream fails with `overloaded`
   * when more is unfinished than may be, over all connections, and this one, which is not small, goes on. One that says that it is small is not counted.
   */
  watch({ headers, raw, method }: FastifyRequest, { raw: response }: FastifyReply): void {
    const { unfinishedBytes, maxUnfinishedBytes } = this.limits;
    if (method === 'GET' || method === 'HEAD' || Number(headers['content-length']) <= unfinishedBytes) return;
    const { socket } = raw;
    let own = 0;
    const count = (chunk: Buffer): void => {
      own += chunk.length;
      this.held += chunk.length;
      if (own <= unfinishedBytes || this.held + this.ofSockets() <= maxUnfinishedBytes) return;
      release();
      raw.emit('error', tooMuchHeld());
    };
    const release = (): void => {
      this.held -= own;
      own = 0;
      raw.off('data', count);
      // Of requests that wait for the answer to an earlier one, the response knows no socket and does not end with it.
      socket.off('close', release);
    };
    raw.on('data', count);
    // Whoever reads the body has perhaps given it up by the time that it fails.
    raw.on('error', release);
    raw.once('end', release);
    response.once('close', release);
    socket.once('close', release);
  }
}

const tooMuchHeld = (): ForetraceError =>
  new ForetraceError('overloaded', 'too much of unfinished request bodies is held', {
    retryAfterMillis: 1000,
  });
