/** Whether somebody is still at the other end of a socket: a lost network sends no goodbye. */
import type { WebSocket } from 'ws';

export class Heartbeat {
  private readonly timer: NodeJS.Timeout;
  private pending: NodeJS.Immediate | undefined;
  private isAlive = true;
  /** Bytes that waited to be sent at the last ping. */
  private waiting = 0;

  /**
   * Pings every `millis`. When nothing came since the last ping, and nothing of what waits to be sent has gone either, `onDead` is called.
   */
  constructor(
    private readonly socket: WebSocket,
    millis: number,
    private readonly onDead: () => void,
  ) {
    for (const event of ['message', 'ping', 'pong']) socket.on(event, () => this.heard());
    socket.once('close', () => this.stop());
    this.timer = setInterval(() => this.beat(), millis).unref();
  }

  stop(): void {
    clearInterval(this.timer);
    clearImmediate(this.pending);
  }

  private heard(): void {
    this.isAlive = true;
  }

  private beat(): void {
    // What came while this process was busy is read before anybody is given up.
    if (this.isAlive || this.isMoving()) this.ask();
    else this.pending = setImmediate(() => setImmediate(() => this.judge()));
  }

  private judge(): void {
    if (this.isAlive || this.isMoving()) this.ask();
    else {
      this.stop();
      this.onDead();
    }
  }

  private isMoving(): boolean {
    return this.socket.bufferedAmount < this.waiting;
  }

  private ask(): void {
    this.isAlive = false;
    if (this.socket.readyState !== this.socket.OPEN) return;
    this.socket.ping();
    this.waiting = this.socket.bufferedAmount;
  }
}
