/**
 * A typed client: one WebSocket, many requests at once. With `reconnect` a lost connection is made again and what was on its way is sent again:
 * each request is answered once, its session goes on. Used by the CLI, the benches and the tests.
 */
import { randomBytes } from 'node:crypto';
import { asForetraceError, ForetraceError } from '../errors.js';
import { encodeClientMessage } from '../wire/codec.js';
import type {
  ClientBodies,
  ClientBodyName,
  ServerBodies,
  ServerMessage,
  WireAnswer,
  WireCandidateList,
  WireEvaluation,
  WirePart,
  WireQueryResult,
  WireRawAnswer,
} from '../wire/messages.js';
import { socketUrl } from './address.js';
import { errorFromWire, expectBody } from './answers.js';
import { helloRequest, Link } from './link.js';
import { attemptsOf, isFinal, type ReconnectOptions, reopen } from './reconnect.js';

export interface ClientOptions {
  readonly apiKey?: string;
  readonly name?: string;
  /** Make a lost connection again and send again what was on its way. Default: running requests fail with `disconnected`. */
  readonly reconnect?: boolean | ReconnectOptions;
  /** Told when the connection was lost and when it is there again. */
  readonly onConnection?: (state: 'lost' | 'again') => void;
}

export interface RequestOptions {
  /** After a lost connection parts and steps may be missing; the answer is complete without them. */
  readonly onPart?: (part: WirePart) => void;
  /** Shown each state that a walk passes. */
  readonly onStep?: (passed: WireAnswer) => void;
  /** Aborting sends a cancel; the request then fails with `cancelled`. */
  readonly signal?: AbortSignal;
  /** Shown the tokens of a raw turn as they come. */
  readonly onTokens?: (tokens: readonly number[]) => void;
}

interface Pending {
  /** Sent again as they are: number and key name the request. */
  readonly bytes: Uint8Array;
  readonly resolve: (message: ServerMessage) => void;
  /** With a coded error, or with what a listener has thrown. */
  readonly reject: (error: unknown) => void;
  readonly onPart?: (part: WirePart) => void;
  readonly onStep?: (passed: WireAnswer) => void;
  readonly onTokens?: (tokens: readonly number[]) => void;
  /** The cancel that its abort has sent may be lost with a connection. */
  readonly signal?: AbortSignal;
  /** It changes something and has no key: sent again it might be done twice. */
  readonly isUnrepeatable: boolean;
}

const largestRequest = 0xffff_ffff;

/** Requests that change something: they must be done once however often they are sent. */
const changing: ReadonlySet<ClientBodyName> = new Set([
  'openSession',
  'act',
  'candidates',
  'query',
  'edit',
  'fork',
  'goto',
  'closeSession',
] satisfies ClientBodyName[]);

export class ForetraceClient {
  private readonly pending = new Map<number, Pending>();
  /** Keys of this client's requests are this and a number; nobody can guess them. */
  private readonly keyPrefix = randomBytes(18).toString('base64url');
  private readonly reconnectOptions: ReconnectOptions | null;
  private nextRequest = helloRequest + 1;
  private keys = 0;
  private link: Link | null = null;
  /** What is longer would end the connection, and with it what others have running. */
  private mostBytes = Number.POSITIVE_INFINITY;
  private isReconnecting = false;
  /** Connections lost in a row without an answer. */
  private fruitless = 0;
  private isClosed = false;

  private constructor(
    private readonly url: string,
    private readonly options: ClientOptions,
  ) {
    const { reconnect = false } = options;
    this.reconnectOptions = reconnect === true ? {} : reconnect === false ? null : reconnect;
  }

  /**
   * Connects and says hello.
   * @param url for example `ws://127.0.0.1:7331/v1/socket` or, as `serve` prints it, `http://127.0.0.1:7331`
   * @throws ForetraceError unusable_address, unauthorized, unsupported_version, disconnected
   */
  static async connect(url: string, options: ClientOptions = {}): Promise<ForetraceClient> {
    const client = new ForetraceClient(socketUrl(url), options);
    client.use(await client.openLink());
    return client;
  }

  async open(
    body: Partial<ClientBodies['openSession']>,
    options?: RequestOptions,
  ): Promise<ServerBodies['sessionOpened']> {
    return expectBody(await this.request('openSession', body, options), 'sessionOpened');
  }

  async act(body: Partial<ClientBodies['act']>, options?: RequestOptions): Promise<WireAnswer> {
    return expectBody(await this.request('act', body, options), 'answer');
  }

  /** The value of an expression in a state. */
  async evaluate(body: Partial<ClientBodies['evaluate']>, options?: RequestOptions): Promise<WireEvaluation> {
    return expectBody(await this.request('evaluate', body, options), 'evaluation');
  }

  /** Several states that an action may reach, best first. */
  async candidates(
    body: Partial<ClientBodies['candidates']>,
    options?: RequestOptions,
  ): Promise<WireCandidateList> {
    return expectBody(await this.request('candidates', body, options), 'candidateList');
  }

  /** What a trajectory shows: values at a line, a first change, the table of a frame; a page at a time. */
  async query(body: Partial<ClientBodies['query']>, options?: RequestOptions): Promise<WireQueryResult> {
    return expectBody(await this.request('query', body, options), 'queryResult');
  }

  /** Names a list of tokens; only with a service that was started with --raw, as `rawTurn`. */
  async rawOpen(body: Partial<ClientBodies['rawOpen']>): Promise<ServerBodies['rawContext']> {
    return expectBody(await this.request('rawOpen', body), 'rawContext');
  }

  /** Generates from the tokens of a context and some more, greedily and without a grammar. With `keep` it is not sent again after a lost connection. */
  async rawTurn(body: Partial<ClientBodies['rawTurn']>, options?: RequestOptions): Promise<WireRawAnswer> {
    return expectBody(await this.request('rawTurn', body, options), 'rawAnswer');
  }

  async edit(body: Partial<ClientBodies['edit']>): Promise<WireAnswer> {
    return expectBody(await this.request('edit', body), 'answer');
  }

  async fork(body: Partial<ClientBodies['fork']>): Promise<ServerBodies['sessionOpened']> {
    return expectBody(await this.request('fork', body), 'sessionOpened');
  }

  async goto(body: Partial<ClientBodies['goto']>): Promise<WireAnswer> {
    return expectBody(await this.request('goto', body), 'answer');
  }

  /** A session as it is now: program, cursor, visited states (those above `after`, at most `maxStates`). */
  async describe(
    session: string,
    page: Partial<Pick<ClientBodies['describeSession'], 'after' | 'maxStates'>> = {},
  ): Promise<ServerBodies['sessionDescription']> {
    return expectBody(await this.request('describeSession', { session, ...page }), 'sessionDescription');
  }

  async closeSession(session: string): Promise<void> {
    expectBody(await this.request('closeSession', { session }), 'sessionClosed');
  }

  /** Closes the connection; running requests fail with `disconnected`. */
  async close(): Promise<void> {
    this.isClosed = true;
    this.failAll(closed());
    await this.link?.close();
  }

  /** Drops the connection without a goodbye, as a crashed client would; it is not made again. */
  terminate(): void {
    this.isClosed = true;
    this.drop();
    this.failAll(closed());
  }

  /** Loses the connection without a goodbye, as a broken network would. */
  drop(): void {
    this.link?.terminate();
  }

  private use(link: Link): void {
    this.link = link;
    // A service that does not say it leaves it to the answer.
    this.mostBytes = link.welcome.maxMessageBytes || Number.POSITIVE_INFINITY;
  }

  private openLink(): Promise<Link> {
    const { apiKey = '', name = 'foretrace' } = this.options;
    return Link.open(
      this.url,
      { apiKey, name, isWatched: this.reconnectOptions !== null },
      {
        onMessage: (message) => this.receive(message),
        onClose: (error, code) => this.lose(error, code),
      },
    );
  }

  private async request<Name extends ClientBodyName>(
    body: Name,
    content: Partial<ClientBodies[Name]>,
    options: RequestOptions = {},
  ): Promise<ServerMessage> {
    if (this.isClosed || (this.link === null && this.reconnectOptions === null)) throw closed();
    const request = this.takeNumber();
    const bytes = encodeClientMessage(request, body, content, this.keyFor(body));
    if (bytes.length > this.mostBytes) throw tooLarge(this.mostBytes, bytes.length);
    return new Promise((resolve, reject) => {
      const cancel = (): void => this.cancel(request);
      const settle =
        <T>(then: (value: T) => void) =>
        (value: T): void => {
          this.pending.delete(request);
          options.signal?.removeEventListener('abort', cancel);
          then(value);
        };
      const pending: Pending = {
        bytes,
        resolve: settle(resolve),
        reject: settle(reject),
        ...(options.onPart ? { onPart: options.onPart } : {}),
        ...(options.onStep ? { onStep: options.onStep } : {}),
        ...(options.onTokens ? { onTokens: options.onTokens } : {}),
        ...(options.signal ? { signal: options.signal } : {}),
        isUnrepeatable: isExtending(body, content),
      };
      this.pending.set(request, pending);
      if (this.link?.isOpen) this.link.send(bytes);
      else if (this.reconnectOptions === null) pending.reject(closed());
      else this.reconnect();
      if (options.signal?.aborted) cancel();
      else options.signal?.addEventListener('abort', cancel, { once: true });
    });
  }

  /** Numbers are unique among running requests, also when all have been used. */
  private takeNumber(): number {
    do {
      this.nextRequest = this.nextRequest >= largestRequest ? helloRequest + 1 : this.nextRequest + 1;
    } while (this.pending.has(this.nextRequest));
    return this.nextRequest;
  }

  private keyFor(body: ClientBodyName): string {
    if (this.reconnectOptions === null || !changing.has(body)) return '';
    this.keys += 1;
    return `${this.keyPrefix}.${this.keys}`;
  }

  /** The cancelled request answers for itself; the acknowledgement needs no listener. Without a connection nothing runs any more. */
  private cancel(target: number): void {
    if (this.link?.isOpen) this.link.send(encodeClientMessage(this.takeNumber(), 'cancel', { target }));
    else this.pending.get(target)?.reject(cancelled());
  }

  private receive(message: ServerMessage): void {
    this.fruitless = 0;
    const pending = this.pending.get(message.request);
    // Acknowledgements of cancels, and what was on its way to a request that is over.
    if (!pending) return;
    if (message.body === 'error') pending.reject(errorFromWire(message.error));
    else if (!this.isShown(message, pending)) pending.resolve(message);
  }

  /** Whether it was a piece of an answer, for whoever watches. A listener that throws ends its own request and nothing else. */
  private isShown(message: ServerMessage, pending: Pending): boolean {
    try {
      if (message.body === 'part') pending.onPart?.(message.part);
      else if (message.body === 'step') pending.onStep?.(message.step);
      else if (message.body === 'rawPart') pending.onTokens?.(message.rawPart.tokens);
      else return false;
    } catch (error) {
      this.cancel(message.request);
      pending.reject(error);
    }
    return true;
  }

  private lose(error: ForetraceError, code: number): void {
    this.link = null;
    this.fruitless += 1;
    if (this.isClosed || this.reconnectOptions === null || isFinal(code)) {
      this.failAll(error);
      return;
    }
    for (const pending of [...this.pending.values()])
      if (pending.isUnrepeatable) pending.reject(unknownEnd(error));
    this.options.onConnection?.('lost');
    if (this.fruitless > attemptsOf(this.reconnectOptions)) this.failAll(error);
    else if (this.pending.size > 0) this.reconnect();
  }

  /** Makes the connection again, once however many requests wait for it. */
  private reconnect(): void {
    if (this.isReconnecting) return;
    this.isReconnecting = true;
    this.resume()
      .catch((error) => this.failAll(asForetraceError(error)))
      .finally(() => {
        this.isReconnecting = false;
        // Lost again at once.
        if (this.link === null && this.pending.size > 0 && !this.isClosed) this.reconnect();
      });
  }

  private async resume(): Promise<void> {
    const link = await reopen(
      () => this.openLink(),
      this.reconnectOptions ?? {},
      () => !this.isClosed,
    );
    if (this.isClosed) {
      link.terminate();
      throw closed();
    }
    if (!link.isOpen) return;
    this.use(link);
    for (const pending of [...this.pending.values()]) {
      if (pending.signal?.aborted) pending.reject(cancelled());
      else link.send(pending.bytes);
    }
    this.options.onConnection?.('again');
  }

  private failAll(error: ForetraceError): void {
    for (const pending of [...this.pending.values()]) pending.reject(error);
  }
}

/** What makes a raw context longer; the service takes no keys for it. */
function isExtending(body: ClientBodyName, content: object): boolean {
  const { keep, context, from } = content as Partial<ClientBodies['rawTurn'] & ClientBodies['rawOpen']>;
  return (body === 'rawTurn' && keep === true) || (body === 'rawOpen' && context === from);
}

const tooLarge = (most: number, bytes: number): ForetraceError =>
  new ForetraceError('message_too_large', 'the message is too large', {
    expected: `at most ${most} bytes`,
    actual: `${bytes} bytes`,
  });
const cancelled = (): ForetraceError => new ForetraceError('cancelled', 'the request was cancelled');
const unknownEnd = (cause: ForetraceError): ForetraceError =>
  new ForetraceError(
    'disconnected',
    'the connection was lost before the answer, and the request is not sent again: the context may hold it or not',
    { expected: 'a connection that lasts until the answer', actual: cause.message },
    { cause },
  );
const closed = (): ForetraceError => new ForetraceError('disconnected', 'the connection is closed');
