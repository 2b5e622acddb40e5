/** Messages of the Debug Adapter Protocol as they are written, for tests that need more than a client does. */

/** @param args undefined: a request without arguments */
export function message(seq: number, command: string, args?: unknown): string {
  const body = JSON.stringify({ seq, type: 'request', command, arguments: args });
  return `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

export interface SentMessage {
  readonly type: string;
  readonly command?: string;
  readonly event?: string;
  readonly success?: boolean;
  readonly message?: string;
  readonly request_seq?: number;
  readonly body?: Record<string, unknown>;
}

/** Messages of a stream of the protocol, in order. */
export const messagesIn = (text: string): SentMessage[] =>
  text
    .split(/Content-Length: \d+\r\n\r\n/)
    .slice(1)
    .map((body) => JSON.parse(body) as SentMessage);
