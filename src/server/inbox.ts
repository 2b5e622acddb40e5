/** What a connection has begun to say, bounded: a message that is not whole yet lies in memory and is nobody's request. */
import type { WebSocket } from 'ws';
import type { ServiceLimits } from './limits.js';

/** The byte stream below a WebSocket. */
export interface Source {
  /** Since it was opened. */
  readonly bytesRead: number;
  on(event: 'data', listener: () => void): unknown;
}

/** Header of a control frame from a client (RFC 6455, section 5.2): two bytes and a mask of four. */
const controlHeader = 6;

export class Inbox {
  /** Bytes of the source that belong to whole messages and control frames. */
  private whole: number;
  /** Nothing of what comes is kept any more. */
  private isOver = false;

  /**
   * @param onFull called once, when more is unfinished than may be, over all connections, and this one goes on: what it holds has to go
   * @param totalUnfinished unfinished bytes of all connections together
   */
  constructor(
    socket: WebSocket,
    private readonly source: Source,
    limits: Pick<ServiceLimits, 'unfinishedBytes' | 'maxUnfinishedBytes'>,
    onFull: () => void,
    totalUnfinished: () => number,
  ) {
    this.whole = source.bytesRead;
    socket.on('message', () => {
      this.whole = source.bytesRead;
    });
    for (const event of ['ping', 'pong'])
      socket.on(event, (data: Buffer) => {
        this.whole = Math.min(source.bytesRead, this.whole + controlHeader + data.length);
      });
    // What comes after a frame that is refused is read until the client hears that, and thrown away.
    socket.on('error', () => {
      this.isOver = true;
    });
    source.on('data', () => {
      if (this.unfinished <= limits.unfinishedBytes || totalUnfinished() <= limits.maxUnfinishedBytes) return;
      this.isOver = true;
      onFull();
    });
  }

  /** Bytes that have come of a message whose end has not. */
  get unfinished(): number {
    return this.isOver ? 0 : this.source.bytesRead - this.whole;
  }
}
