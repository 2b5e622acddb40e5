/** One WebSocket connection: order, running requests, backpressure, and nothing left behind when it goes. */
import type { WebSocket } from 'ws';
import type { DecodedPart } from '../debugger/language/decoded.js';
import { asForetraceError, ForetraceError } from '../errors.js';
import { decodeClientMessage, encodeServerMessage, requestNumberOf } from '../wire/codec.js';
import { errorToWire, partToWire } from '../wire/convert.js';
import {
  type ClientMessage,
  protocolVersion,
  type ServerBodies,
  type ServerBodyName,
  type WireAnswer,
} from '../wire/messages.js';
import type { KeyRing } from './auth.js';
import { ConnectionRequests } from './connection-requests.js';
import { Heartbeat } from './heartbeat.js';
import { Inbox, type Source } from './inbox.js';
import type { ServiceLimits } from './limits.js';
import { Outbox, type Stream } from './outbox.js';
import type { CallContext, DebugService } from './service.js';

export interface ConnectionOptions {
  readonly service: DebugService;
  readonly keys: KeyRing;
  readonly limits: ServiceLimits;
  readonly welcome: ServerBodies['welcome'];
  /** Account of a caller without a key. */
  readonly anonymous: string;
  /** What the socket reads from and writes to. */
  readonly stream: Stream & Source;
  /** Bytes that wait to be sent over all connections together. */
  readonly totalWaiting: () => number;
  /** Bytes of messages that have not ended, over all connections together. */
  readonly totalUnfinished: () => number;
  readonly onError: (error: ForetraceError) => void;
}

/** Close codes of RFC 6455. */
export const closeCode = {
  normal: 1000,
  goingAway: 1001,
  policy: 1008,
  internal: 1011,
  tryAgainLater: 1013,
} as const;

/** Reason of the close of a connection whose client does not read. */
const slowReader = 'slow_reader';
/** Reason of the close of a connection that holds a part of a message while all together hold too much. */
const unfinishedMessage = 'unfinished_message';

export class Connection {
  private readonly socket: WebSocket;
  private readonly options: ConnectionOptions;
  private readonly inbox: Inbox;
  private readonly outbox: Outbox;
  private readonly heartbeat: Heartbeat;
  private readonly running: ConnectionRequests<number>;
  private account: string | null = null;
  private idleTimer: NodeJS.Timeout | undefined;
  private idleMillis = 0;
  /** Frames in a row that were no messages. */
  private badFrames = 0;

  constructor(socket: WebSocket, options: ConnectionOptions) {
    this.socket = socket;
    this.options = options;
    socket.binaryType = 'nodebuffer';
    const { limits, stream } = options;
    this.running = new ConnectionRequests(limits.maxRunningPerConnection);
    this.inbox = new Inbox(socket, stream, limits, () => this.endUnfinished(), options.totalUnfinished);
    this.outbox = new Outbox(socket, limits, () => this.endSlowReader(), options.totalWaiting, stream);
    this.heartbeat = new Heartbeat(socket, limits.pingMillis, () => this.lost());
    socket.on('message', (data: Buffer, isBinary: boolean) => this.receive(data, isBinary));
    socket.on('close', () => this.abandon());
    // An 'error' event is always followed by 'close'; without a listener it would end the process.
    socket.on('error', () => undefined);
    this.rearm();
  }

  /** Bytes that wait to be sent. */
  get waiting(): number {
    return this.outbox.waiting;
  }

  /** Bytes that have come of a message that has not ended. */
  get unfinished(): number {
    return this.inbox.unfinished;
  }

  /** Says goodbye; running requests are cancelled when the socket has closed, at the latest after `closeMillis`. */
  end(code: number, reason: string): void {
    this.socket.close(code, reason);
    setTimeout(() => this.socket.terminate(), this.options.limits.closeMillis).unref();
  }

  private receive(data: Buffer, isBinary: boolean): void {
    // What a slow reader had sent before it was not read any more.
    if (this.socket.readyState !== this.socket.OPEN) return;
    // Also of a frame that is refused, so that nobody waits for its answer.
    let request = isBinary ? requestNumberOf(data) : 0;
    try {
      const message = this.decoded(data, isBinary);
      request = message.request;
      this.accept(message);
    } catch (error) {
      this.fail(request, error);
    }
    if (this.badFrames >= this.options.limits.maxBadFrames) this.end(closeCode.policy, 'invalid_message');
    this.rearm();
  }

  /** A frame that is no message costs as much as a request; a row of them ends the connection. */
  private decoded(data: Buffer, isBinary: boolean): ClientMessage {
    const { service, anonymous } = this.options;
    this.badFrames += 1;
    try {
      const message = decodeClientMessage(this.frame(data, isBinary));
      this.badFrames = 0;
      return message;
    } catch (error) {
      service.rate.charge(this.account ?? anonymous, 1);
      throw error;
    }
  }

  /** Nobody answers pings: who does not read what waits is told why, where nobody is nobody is told. */
  private lost(): void {
    if (this.outbox.waiting > 0) {
      this.endSlowReader();
      return;
    }
    this.options.onError(new ForetraceError('disconnected', 'nothing was heard of the client'));
    this.socket.terminate();
  }

  private endSlowReader(): void {
    this.options.onError(new ForetraceError('disconnected', 'the client does not read'));
    this.end(closeCode.policy, slowReader);
  }

  /** Whoever sends on would fill the memory faster than a goodbye is answered. */
  private endUnfinished(): void {
    this.options.onError(new ForetraceError('overloaded', 'too much of unfinished messages is held'));
    this.socket.close(closeCode.tryAgainLater, unfinishedMessage);
    this.socket.terminate();
  }

  private frame(data: Buffer, isBinary: boolean): Buffer {
    if (!isBinary) {
      throw new ForetraceError('invalid_message', 'text frames are not understood', {
        expected: 'binary frames that hold protobuf',
        actual: 'a text frame',
      });
    }
    const { maxMessageBytes } = this.options.limits;
    if (data.length <= maxMessageBytes) return data;
    throw new ForetraceError('message_too_large', 'the frame is too large', {
      expected: `at most ${maxMessageBytes} bytes`,
      actual: `${data.length} bytes`,
    });
  }

  private accept(message: ClientMessage): void {
    const { request } = message;
    if (request === 0) {
      throw new ForetraceError('invalid_message', 'the request number is 0', {
        expected: 'a number from 1',
        actual: '0',
      });
    }
    if (message.body === 'hello') {
      this.greet(request, message.hello);
      return;
    }
    const { account } = this;
    if (account === null) {
      throw new ForetraceError('invalid_message', 'the connection has not said hello', {
        expected: 'hello',
        actual: message.body,
      });
    }
    if (this.running.get(request)) {
      throw new ForetraceError('invalid_message', `request ${request} is already running`, {
        expected: 'a number that no running request has',
        actual: String(request),
      });
    }
    if (message.body === 'cancel') this.cancel(request, message.cancel.target, account);
    else this.start(message, account);
  }

  private start(message: ClientMessage, account: string): void {
    this.options.service.rate.take(account);
    this.running.assertRoom();
    void this.run(message, account);
  }

  private greet(request: number, hello: { protocol: number; apiKey: string }): void {
    if (hello.protocol !== protocolVersion) {
      throw new ForetraceError('unsupported_version', 'the protocol version is not supported', {
        expected: String(protocolVersion),
        actual: String(hello.protocol),
      });
    }
    if (this.account !== null) {
      throw new ForetraceError('invalid_message', 'the connection has already said hello', {
        expected: 'another message',
        actual: 'hello',
      });
    }
    const { keys, anonymous, welcome } = this.options;
    this.account = keys.required ? keys.account(hello.apiKey) : anonymous;
    this.send(request, 'welcome', welcome);
  }

  /** Cancelling costs nothing, so that whoever has spent too much can still do it; cancelling nothing does. */
  private cancel(request: number, target: number, account: string): void {
    const controller = this.running.get(target);
    if (!controller) {
      this.options.service.rate.charge(account, 1);
      throw new ForetraceError('unknown_request', `request ${target} is not running`, {
        expected: 'the number of a running request',
        actual: String(target),
      });
    }
    this.send(request, 'cancelled', { target });
    controller.abort();
  }

  private async run(message: ClientMessage, account: string): Promise<void> {
    const { request } = message;
    try {
      await this.running.run(request, (controller) =>
        this.dispatch(message, {
          client: account,
          isolated: this.options.keys.required,
          key: message.idempotencyKey,
          signal: controller.signal,
          controller,
          onPart: (part) => this.stream(request, part),
          onStep: (passed) => this.pass(request, passed),
          onTokens: (tokens) => this.streamTokens(request, tokens),
        }),
      );
    } catch (error) {
      this.fail(request, error);
    } finally {
      this.rearm();
    }
  }

  private async dispatch(message: ClientMessage, context: CallContext): Promise<void> {
    const { service } = this.options;
    const { request } = message;
    switch (message.body) {
      case 'openSession':
        return this.send(request, 'sessionOpened', await service.open(message.openSession, context));
      case 'act':
        return this.send(request, 'answer', await service.act(message.act, context));
      case 'evaluate':
        return this.send(request, 'evaluation', await service.evaluate(message.evaluate, context));
      case 'candidates':
        return this.send(request, 'candidateList', await service.candidates(message.candidates, context));
      case 'query':
        return this.send(request, 'queryResult', await service.query(message.query, context));
      case 'edit':
        return this.send(request, 'answer', await service.edit(message.edit, context));
      case 'fork':
        return this.send(request, 'sessionOpened', await service.fork(message.fork, context));
      case 'goto':
        return this.send(request, 'answer', await service.goto(message.goto, context));
      case 'describeSession':
        return this.send(request, 'sessionDescription', service.describe(message.describeSession, context));
      case 'closeSession':
        return this.send(request, 'sessionClosed', await service.close(message.closeSession, context));
      case 'rawOpen':
        return this.send(request, 'rawContext', service.rawOpen(message.rawOpen, context));
      case 'rawTurn':
        return this.send(request, 'rawAnswer', await service.rawTurn(message.rawTurn, context));
      default:
        throw new ForetraceError('invalid_message', `${message.body} is not expected here`);
    }
  }

  /** Parts are a courtesy, the answer is complete without them: a slow reader gets fewer. */
  private stream(request: number, part: DecodedPart): void {
    if (this.outbox.isSlow) return;
    const wire = partToWire(part);
    if (wire) this.send(request, 'part', wire);
  }

  private streamTokens(request: number, tokens: Int32Array): void {
    if (this.outbox.isSlow) return;
    this.send(request, 'rawPart', { tokens: Array.from(tokens) });
  }

  /** States on the way are in the session: a slow reader finds them there. */
  private pass(request: number, passed: WireAnswer): void {
    if (this.outbox.isSlow) return;
    this.send(request, 'step', passed);
  }

  /** Tells the client, also one that did not get as far as a request number. Who has no key gets no second try. */
  private fail(request: number, thrown: unknown): void {
    const error = asForetraceError(thrown);
    this.options.onError(error);
    this.send(request, 'error', errorToWire(error));
    if (error.code === 'unauthorized') this.end(closeCode.policy, error.code);
  }

  private send<Name extends ServerBodyName>(request: number, body: Name, content: ServerBodies[Name]): void {
    if (this.socket.readyState === this.socket.OPEN)
      this.outbox.send(encodeServerMessage(request, body, content));
  }

  /** The idle clock runs only while nothing does; it is shorter before the hello, and only a hello winds it up again then. */
  private rearm(): void {
    const { helloMillis, connectionIdleMillis } = this.options.limits;
    const greeted = this.account !== null;
    const millis = greeted ? connectionIdleMillis : helloMillis;
    const isOpen = this.socket.readyState === this.socket.OPEN;
    if (this.idleTimer !== undefined && isOpen && this.idleMillis === millis) {
      if (greeted) this.idleTimer.refresh();
      return;
    }
    clearTimeout(this.idleTimer);
    if (this.socket.readyState > this.socket.OPEN) return;
    this.idleMillis = millis;
    this.idleTimer = setTimeout(() => this.idle(), millis).unref();
  }

  /** Winding a clock up is cheaper than making one, and every message does it: it may run out while requests run. */
  private idle(): void {
    if (this.running.size > 0) this.idleTimer?.refresh();
    else this.end(closeCode.normal, 'idle');
  }

  private abandon(): void {
    clearTimeout(this.idleTimer);
    this.heartbeat.stop();
    this.running.abortAll();
  }
}
