/** What a connection has to say, bounded: who does not read is not read either, and is closed in the end. */
import type { WebSocket } from 'ws';
import type { ServiceLimits } from './limits.js';

/** The byte stream below a WebSocket: what is written while it is corked goes out in one system call. */
export interface Stream {
  cork(): void;
  uncork(): void;
}

export class Outbox {
  private paused = false;
  private corked = false;
  private full = false;

  /**
   * @param onFull called once, when more waits than may
   * @param totalWaiting bytes that wait for all connections together
   * @param stream what the socket writes to; without it every message is written at once
   */
  constructor(
    private readonly socket: WebSocket,
    private readonly limits: Pick<ServiceLimits, 'slowReaderBytes' | 'deadReaderBytes' | 'maxWaitingBytes'>,
    private readonly onFull: () => void,
    private readonly totalWaiting: () => number,
    private readonly stream?: Stream,
  ) {
    // Answers to pings are not bounded by anything else.
    socket.on('ping', () => this.hold());
  }

  /** Whether what can be left out should be. */
  get isSlow(): boolean {
    return this.socket.bufferedAmount > this.limits.slowReaderBytes;
  }

  /** Bytes that wait to be sent. */
  get waiting(): number {
    return this.socket.bufferedAmount;
  }

  /** Whether more waits than may: for this reader, or for all of them, of which this is a slow one. */
  private get isDead(): boolean {
    const { deadReaderBytes, maxWaitingBytes } = this.limits;
    return this.waiting > deadReaderBytes || (this.isSlow && this.totalWaiting() > maxWaitingBytes);
  }

  send(bytes: Uint8Array): void {
    const { socket } = this;
    if (socket.readyState !== socket.OPEN || this.full) return;
    if (this.isDead) {
      this.full = true;
      this.onFull();
      return;
    }
    this.cork();
    socket.send(bytes, () => this.release());
    this.hold();
  }

  /** An answer and its parts, and whatever else one turn of the event loop has to say, leave together. */
  private cork(): void {
    const stream = this.stream;
    if (this.corked || stream === undefined) return;
    this.corked = true;
    stream.cork();
    setImmediate(() => {
      this.corked = false;
      stream.uncork();
    });
  }

  /** Reads no more while too much waits to be written. */
  private hold(): void {
    if (this.paused || !this.isSlow || this.socket.readyState !== this.socket.OPEN) return;
    this.paused = true;
    this.socket.pause();
  }

  /** Reads on when half of it has gone. */
  private release(): void {
    if (!this.paused || this.socket.bufferedAmount > this.limits.slowReaderBytes / 2) return;
    this.paused = false;
    this.socket.resume();
  }
}
