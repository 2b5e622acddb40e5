/** Bytes <-> messages. The only file that knows protobufjs; the schema is read from proto/foretrace.proto at start. */
import { fileURLToPath } from 'node:url';
import protobuf from 'protobufjs';
import { ForetraceError } from '../errors.js';
import type { ClientBodies, ClientBodyName, ClientMessage, ServerBodies, ServerBodyName, ServerMessage } from './messages.js';

const schemaPath = fileURLToPath(new URL('../../proto/foretrace.proto', import.meta.url));
const root = protobuf.loadSync(schemaPath);
const clientType = root.lookupType('foretrace.v1.ClientMessage');
const serverType = root.lookupType('foretrace.v1.ServerMessage');

const plain: protobuf.IConversionOptions = { defaults: true, arrays: true, objects: true, oneofs: true, longs: Number };
/** For people with curl: enum values by name, everything else as above. */
const readable: protobuf.IConversionOptions = { ...plain, enums: String };

/** The message types of the schema, for the contract test. */
export const schema: protobuf.Root = root;

function decode(type: protobuf.Type, bytes: Uint8Array): Record<string, unknown> {
  let message: Record<string, unknown>;
  try {
    message = type.toObject(type.decode(bytes), plain);
  } catch (error) {
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
  if (problem) throw new ForetraceError('invalid_message', `the message does not fit the schema: ${problem}`);
  return type.encode(type.fromObject(message)).finish();
}

/** @throws ForetraceError invalid_message */
export const decodeClientMessage = (bytes: Uint8Array): ClientMessage => decode(clientType, bytes) as ClientMessage;
/** @throws ForetraceError invalid_message */
export const decodeServerMessage = (bytes: Uint8Array): ServerMessage => decode(serverType, bytes) as ServerMessage;

/** Encodes one message; absent fields take their defaults. */
export function encodeClientMessage<Name extends ClientBodyName>(
  request: number,
  body: Name,
  content: Partial<ClientBodies[Name]>,
): Uint8Array {
  return encode(clientType, { request, [body]: content });
}

export function encodeServerMessage<Name extends ServerBodyName>(
  request: number,
  body: Name,
  content: ServerBodies[Name],
): Uint8Array {
  return encode(serverType, { request, [body]: content });
}

/**
 * A body from JSON (protobuf's JSON mapping: camelCase names, enum values by name or number).
 * @throws ForetraceError invalid_message
 */
export function clientBodyFromJson<Name extends ClientBodyName>(body: Name, json: unknown): ClientBodies[Name] {
  const type = clientType.fields[body]?.resolve().resolvedType as protobuf.Type;
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw new ForetraceError('invalid_message', 'the request body is not a JSON object', {
      expected: `a JSON object with the fields of foretrace.v1.${type.name}`,
      actual: Array.isArray(json) ? 'an array' : String(json),
    });
  }
  const unknown = Object.keys(json).filter((name) => !(name in type.fields));
  if (unknown.length > 0) {
    throw new ForetraceError('invalid_message', `unknown field ${unknown[0]}`, {
      expected: Object.keys(type.fields).join(', '),
      actual: unknown.join(', '),
    });
  }
  try {
    const message = type.fromObject(json as Record<string, unknown>);
    const problem = type.verify(message);
    if (problem) throw new Error(problem);
    return type.toObject(message, plain) as ClientBodies[Name];
  } catch (error) {
    throw new ForetraceError('invalid_message', `the request body does not fit foretrace.v1.${type.name}`, {
      expected: `the fields of foretrace.v1.${type.name}`,
      actual: error instanceof Error ? error.message : String(error),
    });
  }
}

/** A body as JSON for people: enum values by name. */
export function serverBodyToJson<Name extends ServerBodyName>(body: Name, content: ServerBodies[Name]): object {
  const type = serverType.fields[body]?.resolve().resolvedType as protobuf.Type;
  return type.toObject(type.fromObject(content as Record<string, unknown>), readable);
}
