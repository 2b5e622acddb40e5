/** The package's public face: a typed client and the values it speaks in. */
export { ForetraceError, type ErrorCode } from '../errors.js';
export * from '../wire/messages.js';
export { ForetraceClient, type ClientOptions, type RequestOptions } from './client.js';
