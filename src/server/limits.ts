/** Every limit of the service in one place, with its default. Sizes in bytes, times in milliseconds. */
export interface ServiceLimits {
  /** Program text and call. */
  readonly maxSourceBytes: number;
  /** Characters of an expression to evaluate; the language bounds its tokens. */
  readonly maxExpressionLength: number;
  /** Events one walk, or one page of a query, may take. */
  readonly maxWalkSteps: number;
  /** One WebSocket frame or HTTP body; a frame of more than `frameSlack` times that closes the connection. */
  readonly maxMessageBytes: number;
  /** Parsed programs kept for the next session over the same text. */
  readonly programCacheBytes: number;
  /** Above it those unused longest go, of the client that has the most first. */
  readonly maxSessions: number;
  readonly maxStatesPerSession: number;
  /** Estimated bytes of the states of one session; the oldest states go first. */
  readonly maxBytesPerSession: number;
  /** Estimated bytes of all sessions and their programs; the sessions unused longest go first. */
  readonly maxSessionBytes: number;
  /** Sessions used within this time are not dropped for want of room. */
  readonly sessionGraceMillis: number;
  readonly sessionIdleMillis: number;
  /** A connection without a message or a running request is closed after this time. */
  readonly connectionIdleMillis: number;
  /** How often a connection is pinged; one from which nothing came since the last ping is cut. */
  readonly pingMillis: number;
  /** Frames in a row that are no messages, after which the connection is closed. */
  readonly maxBadFrames: number;
  /** A connection must have said hello within this time. */
  readonly helloMillis: number;
  /** WebSockets. */
  readonly maxConnections: number;
  /** TCP connections beside them: of HTTP, and of those who have not said what they want. */
  readonly maxHttpConnections: number;
  /** Requests one connection may have running. */
  readonly maxRunningPerConnection: number;
  /** Bytes waiting for a slow reader: above the first streamed parts are left out and nothing more is read, above the second the connection is closed. */
  readonly slowReaderBytes: number;
  readonly deadReaderBytes: number;
  /** Bytes waiting for all slow readers together: above it the one that asks next is closed. */
  readonly maxWaitingBytes: number;
  /**
   * Bytes of messages and HTTP bodies that have begun to come and not ended, of all connections together: above the second the one that goes on with more than
   * the first is closed.
   */
  readonly unfinishedBytes: number;
  readonly maxUnfinishedBytes: number;
  /** Requests, or predictions where one asks for several, a minute of one client: an API key, else a WebSocket connection or an HTTP caller's address. */
  readonly requestsPerMinute: number;
  /** Most tokens of one answer. */
  readonly maxAnswerTokens: number;
  /** Named token lists of raw turns, and their tokens together: the least recently used go first. */
  readonly maxRawContexts: number;
  readonly maxRawTokens: number;
  /** Most tokens one raw turn may generate. */
  readonly maxRawGenerate: number;
  /** Time for clients to answer a closing handshake before their sockets are cut. */
  readonly closeMillis: number;
  /** Time an HTTP client has for its headers, and for its whole request. */
  readonly headersMillis: number;
  readonly requestMillis: number;
  /** An HTTP connection on which nothing moves for so long is cut. */
  readonly httpIdleMillis: number;
}

/** Frames up to this many times the limit are read and refused with an error; longer ones are not read at all. */
export const frameSlack = 4;

export const defaultLimits: ServiceLimits = {
  maxSourceBytes: 256 * 1024,
  maxExpressionLength: 4096,
  maxWalkSteps: 1024,
  maxMessageBytes: 1024 * 1024,
  programCacheBytes: 64 * 1024 * 1024,
  maxSessions: 20_000,
  maxStatesPerSession: 4096,
  maxBytesPerSession: 16 * 1024 * 1024,
  maxSessionBytes: 1024 * 1024 * 1024,
  sessionGraceMillis: 60_000,
  sessionIdleMillis: 30 * 60_000,
  connectionIdleMillis: 10 * 60_000,
  pingMillis: 30_000,
  maxBadFrames: 64,
  helloMillis: 10_000,
  maxConnections: 1024,
  maxHttpConnections: 1024,
  maxRunningPerConnection: 64,
  slowReaderBytes: 256 * 1024,
  deadReaderBytes: 8 * 1024 * 1024,
  maxWaitingBytes: 256 * 1024 * 1024,
  unfinishedBytes: 128 * 1024,
  maxUnfinishedBytes: 256 * 1024 * 1024,
  requestsPerMinute: 60_000,
  maxAnswerTokens: 384,
  maxRawContexts: 4096,
  maxRawTokens: 4 * 1024 * 1024,
  maxRawGenerate: 1024,
  closeMillis: 1_000,
  headersMillis: 10_000,
  requestMillis: 30_000,
  httpIdleMillis: 5 * 60_000,
};
