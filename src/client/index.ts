/** The package's public face: a typed client and the values it speaks in. */
export { type ErrorCode, ForetraceError } from '../errors.js';
export * from '../wire/messages.js';
export { type ClientOptions, ForetraceClient, type RequestOptions } from './client.js';
export type { ReconnectOptions } from './reconnect.js';
