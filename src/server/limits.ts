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
  readonly maxSessions: number;
  readonly maxStatesPerSession: number;
  readonly sessionIdleMillis: number;
  /** A connection without a message or a running request is closed after this time. */
  readonly connectionIdleMillis: number;
  /** A connection must have said hello within this time. */
  readonly helloMillis: number;
  readonly maxConnections: number;
  /** Requests one connection may have running. */
  readonly maxRunningPerConnection: number;
  /** Bytes waiting for a slow reader: above the first streamed parts are left out, above the second the connection is closed. */
  readonly slowReaderBytes: number;
  readonly deadReaderBytes: number;
  /** Requests a minute of one client: an API key, else a WebSocket connection or the address of an HTTP caller. */
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
}

/** Frames up to this many times the limit are read and refused with an error; longer ones are not read at all. */
export const frameSlack = 4;

export const defaultLimits: ServiceLimits = {
  maxSourceBytes: 64 * 1024,
  maxExpressionLength: 4096,
  maxWalkSteps: 1024,
  maxMessageBytes: 1024 * 1024,
  programCacheBytes: 64 * 1024 * 1024,
  maxSessions: 20_000,
  maxStatesPerSession: 4096,
  sessionIdleMillis: 30 * 60_000,
  connectionIdleMillis: 10 * 60_000,
  helloMillis: 10_000,
  maxConnections: 1024,
  maxRunningPerConnection: 64,
  slowReaderBytes: 256 * 1024,
  deadReaderBytes: 8 * 1024 * 1024,
  requestsPerMinute: 60_000,
  maxAnswerTokens: 384,
  maxRawContexts: 4096,
  maxRawTokens: 4 * 1024 * 1024,
  maxRawGenerate: 1024,
  closeMillis: 1_000,
};
