/** One WebSocket to the service, from hello to close. */
import WebSocket from 'ws';
import { ForetraceError } from '../errors.js';
import { decodeServerMessage, encodeClientMessage } from '../wire/codec.js';
import { protocolVersion, type ServerBodies, type ServerMessage } from '../wire/messages.js';
import { errorFromWire, expectBody } from './answers.js';

export interface Greeting {
  readonly apiKey: string;
  readonly name: string;
  /** Cut the connection when the server has not been heard for two and a half of its ping intervals. */
  readonly isWatched: boolean;
}

export interface LinkEvents {
  onMessage(message: ServerMessage): void;
  /** Called once, after the last message. */
  onClose(error: ForetraceError, code: number): void;
}

/** Time for the TCP connection and its upgrade, and for the answer to the hello. */
const openMillis = 10_000;
/** Time for the answer to a goodbye: who cannot be heard any more has nothing to say. */
const goodbyeMillis = 1_000;
/** Number of the hello; requests begin after it. */
export const helloRequest = 1;

export class Link {
  private watch: NodeJS.Timeout | undefined;
  private readonly events: LinkEvents;

  private constructor(
    private readonly socket: WebSocket,
    readonly welcome: ServerBodies['welcome'],
    events: LinkEvents,
    isWatched: boolean,
  ) {
    this.events = events;
    socket.on('message', (data: Buffer) => this.receive(data));
    socket.on('close', (code, reason) => {
      clearTimeout(this.watch);
      this.events.onClose(lost(code, reason.toString()), code);
    });
    if (isWatched && welcome.pingMillis > 0) this.listen(welcome.pingMillis * 2.5);
  }

  /**
   * Connects and says hello.
   * @throws ForetraceError unauthorized, unsupported_version, disconnected
   */
  static async open(url: string, greeting: Greeting, events: LinkEvents): Promise<Link> {
    const socket = new WebSocket(url, { perMessageDeflate: false, handshakeTimeout: openMillis });
    socket.binaryType = 'nodebuffer';
    // An 'error' event is always followed by 'close'; without a listener it would end the process.
    socket.on('error', () => undefined);
    try {
      await opened(socket, url);
      const welcome = await welcomed(socket, greeting);
      return new Link(socket, welcome, events, greeting.isWatched);
    } catch (error) {
      socket.terminate();
      throw error;
    }
  }

  get isOpen(): boolean {
    return this.socket.readyState === this.socket.OPEN;
  }

  send(bytes: Uint8Array): void {
    this.socket.send(bytes);
  }

  async close(): Promise<void> {
    if (this.socket.readyState === this.socket.CLOSED) return;
    const closed = new Promise<void>((resolve) => this.socket.once('close', () => resolve()));
    this.socket.close();
    const timer = setTimeout(() => this.socket.terminate(), goodbyeMillis);
    await closed;
    clearTimeout(timer);
  }

  /** Drops the connection without a goodbye. */
  terminate(): void {
    this.socket.terminate();
  }

  private receive(data: Buffer): void {
    let message: ServerMessage;
    try {
      message = decodeServerMessage(data);
    } catch {
      // Whatever is at the other end does not speak this protocol.
      this.socket.terminate();
      return;
    }
    this.events.onMessage(message);
  }

  /** Winds a clock up whenever the server is heard; when it runs out, nobody is there. */
  private listen(millis: number): void {
    this.watch = setTimeout(() => this.socket.terminate(), millis).unref();
    for (const event of ['message', 'ping']) this.socket.on(event, () => this.watch?.refresh());
  }
}

const lost = (code: number, reason: string): ForetraceError =>
  new ForetraceError('disconnected', `the connection was closed (${code} ${reason})`);

function opened(socket: WebSocket, url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', (cause) =>
      reject(
        new ForetraceError(
          'disconnected',
          `cannot connect to ${url}`,
          { expected: 'a running service', actual: cause.message },
          { cause },
        ),
      ),
    );
  });
}

function welcomed(socket: WebSocket, { apiKey, name }: Greeting): Promise<ServerBodies['welcome']> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => socket.terminate(), openMillis).unref();
    const onClose = (code: number, reason: Buffer): void => reject(lost(code, reason.toString()));
    socket.once('close', onClose);
    socket.once('message', (data: Buffer) => {
      clearTimeout(timer);
      socket.off('close', onClose);
      try {
        const message = decodeServerMessage(data);
        if (message.body === 'error') reject(errorFromWire(message.error));
        else resolve(expectBody(message, 'welcome'));
      } catch (error) {
        reject(error);
      }
    });
    socket.send(
      encodeClientMessage(helloRequest, 'hello', { protocol: protocolVersion, apiKey, client: name }),
    );
  });
}
