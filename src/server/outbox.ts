/** What a connection has to say, bounded: who does not read is not read either, and is closed in the end. */
import type { WebSocket } from 'ws';
import type { ServiceLimits } from './limits.js';

export class Outbox {
  private paused = false;
  private full = false;

  /** @param onFull called once, when more waits than may */
  constructor(
    private readonly socket: WebSocket,
    private readonly limits: Pick<ServiceLimits, 'slowReaderBytes' | 'deadReaderBytes'>,
    private readonly onFull: () => void,
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

  send(bytes: Uint8Array): void {
    const { socket } = this;
    if (socket.readyState !== socket.OPEN || this.full) return;
    if (socket.bufferedAmount > this.limits.deadReaderBytes) {
      this.full = true;
      this.onFull();
      return;
    }
    socket.send(bytes, () => this.release());
    this.hold();
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
