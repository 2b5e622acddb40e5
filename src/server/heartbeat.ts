/** Whether somebody is still at the other end of a socket: a lost network sends no goodbye. */
import type { WebSocket } from 'ws';

export class Heartbeat {
  private readonly timer: NodeJS.Timeout;
  private isAlive = true;
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
  }

  private heard(): void {
    this.isAlive = true;
  }

  private beat(): void {
    const { bufferedAmount, readyState, OPEN } = this.socket;
    const isMoving = bufferedAmount < this.waiting;
    if (!this.isAlive && !isMoving) {
      this.stop();
      this.onDead();
      return;
    }
    this.isAlive = false;
    if (readyState !== OPEN) return;
    this.socket.ping();
    this.waiting = this.socket.bufferedAmount;
  }
}
