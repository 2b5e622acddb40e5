/** A small typed client: one WebSocket, many requests at once. Used by the CLI, the benches and the tests. */
import WebSocket from 'ws';
import { type ErrorCode, errorKinds, ForetraceError } from '../errors.js';
import { decodeServerMessage, encodeClientMessage } from '../wire/codec.js';
import {
  type ClientBodies,
  type ClientBodyName,
  protocolVersion,
  type ServerBodies,
  type ServerMessage,
  type WireAnswer,
  type WireCandidateList,
  type WireEvaluation,
  type WirePart,
  type WireQueryResult,
  type WireRawAnswer,
} from '../wire/messages.js';

export interface ClientOptions {
  readonly apiKey?: string;
  readonly name?: string;
}

export interface RequestOptions {
  readonly onPart?: (part: WirePart) => void;
  /** Shown each state that a walk passes. */
  readonly onStep?: (passed: WireAnswer) => void;
  /** Aborting sends a cancel; the request then fails with `cancelled`. */
  readonly signal?: AbortSignal;
  /** Shown the tokens of a raw turn as they come. */
  readonly onTokens?: (tokens: readonly number[]) => void;
}

interface Pending {
  readonly resolve: (message: ServerMessage) => void;
  readonly reject: (error: ForetraceError) => void;
  readonly onPart?: (part: WirePart) => void;
  readonly onStep?: (passed: WireAnswer) => void;
  readonly onTokens?: (tokens: readonly number[]) => void;
}

export class ForetraceClient {
  private readonly socket: WebSocket;
  private readonly pending = new Map<number, Pending>();
  private nextRequest = 1;

  private constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on('message', (data: Buffer) => this.receive(data));
    socket.on('close', (code, reason) => {
      this.failAll(
        new ForetraceError('disconnected', `the connection was closed (${code} ${reason.toString()})`),
      );
    });
    socket.on('error', () => undefined);
  }

  /**
   * Connects and says hello.
   * @param url for example `ws://127.0.0.1:7331/v1/socket`
   * @throws ForetraceError unauthorized, unsupported_version, disconnected
   */
  static async connect(url: string, options: ClientOptions = {}): Promise<ForetraceClient> {
    const socket = new WebSocket(url, { perMessageDeflate: false });
    socket.binaryType = 'nodebuffer';
    await new Promise<void>((resolve, reject) => {
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
    const client = new ForetraceClient(socket);
    const hello = {
      protocol: protocolVersion,
      apiKey: options.apiKey ?? '',
      client: options.name ?? 'foretrace',
    };
    try {
      expect(await client.request('hello', hello), 'welcome');
    } catch (error) {
      socket.terminate();
      throw error;
    }
    return client;
  }

  async open(
    body: Partial<ClientBodies['openSession']>,
    options?: RequestOptions,
  ): Promise<ServerBodies['sessionOpened']> {
    return expect(await this.request('openSession', body, options), 'sessionOpened');
  }

  async act(body: Partial<ClientBodies['act']>, options?: RequestOptions): Promise<WireAnswer> {
    return expect(await this.request('act', body, options), 'answer');
  }

  /** The value of an expression in a state. */
  async evaluate(body: Partial<ClientBodies['evaluate']>, options?: RequestOptions): Promise<WireEvaluation> {
    return expect(await this.request('evaluate', body, options), 'evaluation');
  }

  /** Several states that an action may reach, best first. */
  async candidates(
    body: Partial<ClientBodies['candidates']>,
    options?: RequestOptions,
  ): Promise<WireCandidateList> {
    return expect(await this.request('candidates', body, options), 'candidateList');
  }

  /** What a trajectory shows: values at a line, a first change, the table of a frame; a page at a time. */
  async query(body: Partial<ClientBodies['query']>, options?: RequestOptions): Promise<WireQueryResult> {
    return expect(await this.request('query', body, options), 'queryResult');
  }

  /** Names a list of tokens; only with a service that was started with --raw, as `rawTurn`. */
  async rawOpen(body: Partial<ClientBodies['rawOpen']>): Promise<ServerBodies['rawContext']> {
    return expect(await this.request('rawOpen', body), 'rawContext');
  }

  /** Generates from the tokens of a context and some more, greedily and without a grammar. */
  async rawTurn(body: Partial<ClientBodies['rawTurn']>, options?: RequestOptions): Promise<WireRawAnswer> {
    return expect(await this.request('rawTurn', body, options), 'rawAnswer');
  }

  async edit(body: Partial<ClientBodies['edit']>): Promise<WireAnswer> {
    return expect(await this.request('edit', body), 'answer');
  }

  async fork(body: Partial<ClientBodies['fork']>): Promise<ServerBodies['sessionOpened']> {
    return expect(await this.request('fork', body), 'sessionOpened');
  }

  async goto(body: Partial<ClientBodies['goto']>): Promise<WireAnswer> {
    return expect(await this.request('goto', body), 'answer');
  }

  async describe(session: string): Promise<ServerBodies['sessionDescription']> {
    return expect(await this.request('describeSession', { session }), 'sessionDescription');
  }

  async closeSession(session: string): Promise<void> {
    expect(await this.request('closeSession', { session }), 'sessionClosed');
  }

  /** Closes the connection; running requests fail with `disconnected`. */
  async close(): Promise<void> {
    if (this.socket.readyState === this.socket.CLOSED) return;
    const closed = new Promise<void>((resolve) => this.socket.once('close', () => resolve()));
    this.socket.close();
    await closed;
  }

  /** Drops the connection without a goodbye, as a crashed client would. */
  terminate(): void {
    this.socket.terminate();
  }

  private async request<Name extends ClientBodyName>(
    body: Name,
    content: Partial<ClientBodies[Name]>,
    options: RequestOptions = {},
  ): Promise<ServerMessage> {
    if (this.socket.readyState !== this.socket.OPEN) {
      throw new ForetraceError('disconnected', 'the connection is closed');
    }
    const request = this.nextRequest++;
    const bytes = encodeClientMessage(request, body, content);
    return new Promise((resolve, reject) => {
      const cancel = (): void => this.sendCancel(request);
      const settle =
        <T>(then: (value: T) => void) =>
        (value: T): void => {
          this.pending.delete(request);
          options.signal?.removeEventListener('abort', cancel);
          then(value);
        };
      this.pending.set(request, {
        resolve: settle(resolve),
        reject: settle(reject),
        ...(options.onPart ? { onPart: options.onPart } : {}),
        ...(options.onStep ? { onStep: options.onStep } : {}),
        ...(options.onTokens ? { onTokens: options.onTokens } : {}),
      });
      this.socket.send(bytes);
      if (options.signal?.aborted) cancel();
      else options.signal?.addEventListener('abort', cancel, { once: true });
    });
  }

  /** The cancelled request answers for itself; the acknowledgement needs no listener. */
  private sendCancel(target: number): void {
    if (this.socket.readyState !== this.socket.OPEN) return;
    this.socket.send(encodeClientMessage(this.nextRequest++, 'cancel', { target }));
  }

  private receive(data: Buffer): void {
    let message: ServerMessage;
    try {
      message = decodeServerMessage(data);
    } catch (error) {
      this.failAll(error as ForetraceError);
      this.socket.terminate();
      return;
    }
    const pending = this.pending.get(message.request);
    // Acknowledgements of cancels, and what was on its way to a request that is over.
    if (!pending) return;
    if (message.body === 'part') pending.onPart?.(message.part);
    else if (message.body === 'step') pending.onStep?.(message.step);
    else if (message.body === 'rawPart') pending.onTokens?.(message.rawPart.tokens);
    else if (message.body === 'error') pending.reject(fromWire(message.error));
    else pending.resolve(message);
  }

  private failAll(error: ForetraceError): void {
    for (const pending of [...this.pending.values()]) pending.reject(error);
  }
}

function expect<Name extends keyof ServerBodies>(message: ServerMessage, body: Name): ServerBodies[Name] {
  const found = (message as unknown as Partial<ServerBodies>)[body];
  if (message.body !== body || found === undefined) {
    throw new ForetraceError('invalid_message', 'the server answered with another message', {
      expected: body,
      actual: message.body,
    });
  }
  return found as ServerBodies[Name];
}

function fromWire(error: ServerBodies['error']): ForetraceError {
  const code = Object.hasOwn(errorKinds, error.code) ? (error.code as ErrorCode) : 'internal';
  return new ForetraceError(code, error.message, {
    ...(error.expected ? { expected: error.expected } : {}),
    ...(error.actual ? { actual: error.actual } : {}),
    ...(error.line ? { line: error.line } : {}),
    ...(error.column ? { column: error.column } : {}),
    ...(error.retryAfterMillis ? { retryAfterMillis: error.retryAfterMillis } : {}),
  });
}
