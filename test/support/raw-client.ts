/** A WebSocket without the client's manners: sends any frame, sees every message. */
import WebSocket from 'ws';
import { decodeServerMessage, encodeClientMessage } from '../../src/wire/codec.js';
import type { ClientBodies, ClientBodyName, ServerMessage } from '../../src/wire/messages.js';

export class RawClient {
  readonly messages: ServerMessage[] = [];
  private wake: (() => void)[] = [];
  /** Code and reason of the close, once closed. */
  closed: { code: number; reason: string } | null = null;

  private constructor(readonly socket: WebSocket) {
    socket.on('message', (data: Buffer) => {
      this.messages.push(decodeServerMessage(data));
      this.notify();
    });
    socket.on('close', (code, reason) => {
      this.closed = { code, reason: reason.toString() };
      this.notify();
    });
    socket.on('error', () => undefined);
  }

  static connect(url: string): Promise<RawClient> {
    const socket = new WebSocket(url, { perMessageDeflate: false });
    const client = new RawClient(socket);
    return new Promise((resolve, reject) => {
      socket.once('open', () => resolve(client));
      socket.once('error', reject);
    });
  }

  /** One that has said hello and was answered. */
  static async greeted(url: string, apiKey = ''): Promise<RawClient> {
    const raw = await RawClient.connect(url);
    raw.send(1, 'hello', { protocol: 1, apiKey, client: 'test' });
    await raw.message(1);
    return raw;
  }

  send<Name extends ClientBodyName>(
    request: number,
    body: Name,
    content: Partial<ClientBodies[Name]>,
    key = '',
  ): void {
    this.socket.send(encodeClientMessage(request, body, content, key));
  }

  /** The `count`-th message (from 1), as soon as it is there. */
  async message(count: number): Promise<ServerMessage> {
    while (this.messages.length < count) {
      if (this.closed)
        throw new Error(`closed with ${this.closed.code} after ${this.messages.length} messages`);
      await new Promise<void>((resolve) => this.wake.push(resolve));
    }
    return this.messages[count - 1] as ServerMessage;
  }

  /** The code of the error that is the `count`-th message. */
  async error(count: number): Promise<string> {
    const message = await this.message(count);
    if (message.body !== 'error') throw new Error(`expected an error, got ${message.body}`);
    return message.error.code;
  }

  async close(): Promise<{ code: number; reason: string }> {
    while (!this.closed) await new Promise<void>((resolve) => this.wake.push(resolve));
    return this.closed;
  }

  private notify(): void {
    for (const wake of this.wake.splice(0)) wake();
  }
}
