/** Bytes <-> messages. The schema is read from proto/foretrace.proto at start; only this file and json.ts know protobufjs. */
import { fileURLToPath } from 'node:url';
import protobuf from 'protobufjs';
import { ForetraceError } from '../errors.js';
import { checkElements } from './elements.js';
import { messageFromJson } from './json.js';
import type {
  ClientBodies,
  ClientBodyName,
  ClientMessage,
  ServerBodies,
  ServerBodyName,
  ServerMessage,
} from './messages.js';
import { checkRanges } from './ranges.js';

const schemaPath = fileURLToPath(new URL('../../proto/foretrace.proto', import.meta.url));

/** The message types of the schema. */
export const schema: protobuf.Root = protobuf.loadSync(schemaPath);
const clientType = schema.lookupType('foretrace.v1.ClientMessage');
const serverType = schema.lookupType('foretrace.v1.ServerMessage');

const plain: protobuf.IConversionOptions = {
  defaults: true,
  arrays: true,
  objects: true,
  oneofs: true,
  longs: Number,
};
/** For people with curl, and readers of protobuf's JSON mapping: enum values by name, and no name of a oneof, which is no field. */
const readable: protobuf.IConversionOptions = { ...plain, enums: String, oneofs: false };

/** @param check looks at the bytes before anything is made of them */
function decode(
  type: protobuf.Type,
  bytes: Uint8Array,
  check?: (type: protobuf.Type, bytes: Uint8Array) => void,
): Record<string, unknown> {
  let message: Record<string, unknown>;
  try {
    check?.(type, bytes);
    message = type.toObject(type.decode(bytes), plain);
  } catch (error) {
    if (error instanceof ForetraceError) throw error;
    throw new ForetraceError('invalid_message', 'the frame does not hold a valid message', {
      expected: `a foretrace.v1.${type.name} in protobuf encoding`,
      actual: error instanceof Error ? error.message : String(error),
    });
  }
  if (typeof message.body !== 'string') {
    throw new ForetraceError('invalid_message', 'the message has no body', {
      expected: `one of ${type.oneofs.body?.oneof.join(', ')}`,
      actual: 'none',
    });
  }
  return message;
}

function encode(type: protobuf.Type, message: object): Uint8Array {
  const problem = type.verify(message);
  if (problem) {
    throw new ForetraceError('invalid_message', 'the message does not fit the schema', {
      expected: `a foretrace.v1.${type.name}`,
      actual: problem,
    });
  }
  checkRanges(type, message);
  return type.encode(type.fromObject(message)).finish();
}

/** Tag of a varint: its field number and wire type 0. */
const requestTag = (clientType.fields.request as protobuf.Field).id << 3;

/** The request number at the beginning of a client's frame, of which the rest may be anything; 0 if there is none. */
export function requestNumberOf(bytes: Uint8Array): number {
  try {
    const reader = protobuf.Reader.create(bytes);
    return reader.uint32() === requestTag ? reader.uint32() : 0;
  } catch {
    return 0;
  }
}

/** @throws ForetraceError invalid_message, message_too_large for more elements than a message may hold */
export const decodeClientMessage = (bytes: Uint8Array): ClientMessage =>
  decode(clientType, bytes, checkElements) as ClientMessage;
/** @throws ForetraceError invalid_message */
export const decodeServerMessage = (bytes: Uint8Array): ServerMessage =>
  decode(serverType, bytes) as ServerMessage;

/** Encodes one message; absent fields take their defaults. @throws ForetraceError invalid_message */
export function encodeClientMessage<Name extends ClientBodyName>(
  request: number,
  body: Name,
  content: Partial<ClientBodies[Name]>,
  idempotencyKey = '',
): Uint8Array {
  return encode(clientType, { request, [body]: content, ...(idempotencyKey ? { idempotencyKey } : {}) });
}

/** Encodes one message of the service; its content is taken as the types say it is. */
export function encodeServerMessage<Name extends ServerBodyName>(
  request: number,
  body: Name,
  content: ServerBodies[Name],
): Uint8Array {
  // What the service itself has typed needs no second look: this is most of what the warm path does.
  return serverType.encode({ request, [body]: content }).finish();
}

function bodyType(type: protobuf.Type, body: string): protobuf.Type {
  const found = type.fields[body]?.resolve().resolvedType;
  if (found instanceof protobuf.Type) return found;
  throw new RangeError(`${type.name} has no message ${body}`);
}

/**
 * A body from JSON (protobuf's JSON mapping: camelCase names, enum values by name or number). Nothing is converted silently:
 * unknown fields and values of another type are errors.
 * @throws ForetraceError invalid_message
 */
export function clientBodyFromJson<Name extends ClientBodyName>(
  body: Name,
  json: unknown,
): ClientBodies[Name] {
  const type = bodyType(clientType, body);
  return type.toObject(type.fromObject(messageFromJson(type, json)), plain) as ClientBodies[Name];
}

/** A body as JSON for people: enum values by name. */
export function serverBodyToJson<Name extends ServerBodyName>(
  body: Name,
  content: ServerBodies[Name],
): object {
  const type = bodyType(serverType, body);
  return type.toObject(type.fromObject(content as Record<string, unknown>), readable);
}
