/** What Node.js cannot read as a request, and never shows to anybody as one: answered with an error of ours, and the connection is cut. */
import { maxHeaderSize, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { ForetraceError } from '../errors.js';
import { errorToWire } from '../wire/convert.js';

/** With the status that HTTP has for it. */
function answerTo({ code, message }: NodeJS.ErrnoException): { status: number; error: ForetraceError } {
  if (code === 'HPE_HEADER_OVERFLOW')
    return {
      status: 431,
      error: new ForetraceError('message_too_large', 'path and headers are too long', {
        expected: `at most ${maxHeaderSize} bytes of them`,
      }),
    };
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return {
      status: 408,
      error: new ForetraceError('invalid_message', 'the request did not come whole in time', {
        expected: 'headers, and then the body, without a pause',
      }),
    };
  return {
    status: 400,
    error: new ForetraceError('invalid_message', 'what came is not HTTP', {
      expected: 'a request of HTTP/1.1',
      actual: message,
    }),
  };
}

/** A handler for fastify, which tells `onError` too. */
export const clientErrors =
  (onError: (error: ForetraceError) => void) =>
  (thrown: NodeJS.ErrnoException, socket: Socket): void => {
    // The client has gone.
    if (thrown.code === 'ECONNRESET' || socket.destroyed) return;
    const { status, error } = answerTo(thrown);
    onError(error);
    const body = JSON.stringify({ error: errorToWire(error) });
    const head = [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Connection: close',
    ];
    if (socket.writable) socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
    socket.destroy(thrown);
  };
