/** What a server's message means for whoever asked. */
import { type ErrorCode, errorKinds, ForetraceError } from '../errors.js';
import type { ServerBodies, ServerMessage } from '../wire/messages.js';

/** @throws ForetraceError invalid_message for another body */
export function expectBody<Name extends keyof ServerBodies>(
  message: ServerMessage,
  body: Name,
): ServerBodies[Name] {
  const found = (message as unknown as Partial<ServerBodies>)[body];
  if (message.body !== body || found === undefined) {
    throw new ForetraceError('invalid_message', 'the server answered with another message', {
      expected: body,
      actual: message.body,
    });
  }
  return found as ServerBodies[Name];
}

export function errorFromWire(error: ServerBodies['error']): ForetraceError {
  const code = Object.hasOwn(errorKinds, error.code) ? (error.code as ErrorCode) : 'internal';
  return new ForetraceError(code, error.message, {
    ...(error.expected ? { expected: error.expected } : {}),
    ...(error.actual ? { actual: error.actual } : {}),
    ...(error.line ? { line: error.line } : {}),
    ...(error.column ? { column: error.column } : {}),
    ...(error.retryAfterMillis ? { retryAfterMillis: error.retryAfterMillis } : {}),
  });
}
