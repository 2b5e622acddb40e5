/** Checks JSON against a message type of the schema: protobuf's own reader converts whatever it is given, a service must not. */
import protobuf from 'protobufjs';
import { ForetraceError } from '../errors.js';
import { ElementCount } from './elements.js';

type Json = Record<string, unknown>;

const wrong = (place: string, expected: string, actual: unknown): ForetraceError =>
  new ForetraceError(
    'invalid_message',
    place === '' ? 'the request body does not fit' : `the field ${place} does not fit`,
    {
      expected,
      actual: describe(actual),
    },
  );

function describe(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object') return 'an object';
  const text = JSON.stringify(value) ?? typeof value;
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * The JSON as the plain object of `type`, enum values as numbers. `null` counts as absent, as in protobuf's JSON mapping.
 * @throws ForetraceError invalid_message naming the field, what it may be and what it is; message_too_large for too many elements
 */
export function messageFromJson(
  type: protobuf.Type,
  json: unknown,
  place = '',
  count = new ElementCount(),
): Json {
  if (!isObject(json)) throw wrong(place, `a JSON object with fields of foretrace.v1.${type.name}`, json);
  const message: Json = {};
  for (const [name, value] of Object.entries(json)) {
    const path = place === '' ? name : `${place}.${name}`;
    const field = Object.hasOwn(type.fields, name) ? type.fields[name] : undefined;
    if (!field) throw wrong(path, `one of ${Object.keys(type.fields).join(', ')}`, name);
    if (value !== null) message[name] = fieldFromJson(field.resolve(), value, path, count);
  }
  return message;
}

function fieldFromJson(field: protobuf.Field, value: unknown, place: string, count: ElementCount): unknown {
  if (field instanceof protobuf.MapField) {
    if (!isObject(value)) throw wrong(place, 'a JSON object', value);
    const entries = Object.entries(value).map(
      ([key, item]) =>
        [textFromJson(key, place), valueFromJson(field, item, `${place}.${key}`, count)] as const,
    );
    return Object.fromEntries(entries);
  }
  if (field.repeated) {
    if (!Array.isArray(value)) throw wrong(place, 'an array', value);
    return value.map((item: unknown, index) => valueFromJson(field, item, `${place}[${index}]`, count));
  }
  return valueFromJson(field, value, place, count);
}

function valueFromJson(field: protobuf.Field, value: unknown, place: string, count: ElementCount): unknown {
  const { resolvedType, type } = field;
  count.add();
  if (resolvedType instanceof protobuf.Type) return messageFromJson(resolvedType, value, place, count);
  if (resolvedType instanceof protobuf.Enum) return enumFromJson(resolvedType, value, place);
  switch (type) {
    case 'string':
      return textFromJson(value, place);
    case 'bool':
      if (typeof value !== 'boolean') throw wrong(place, 'true or false', value);
      return value;
    case 'uint32':
      if (!Number.isInteger(value) || (value as number) < 0 || (value as number) > 0xffffffff) {
        throw wrong(place, 'a whole number from 0 to 4294967295', value);
      }
      return value;
    case 'float':
    case 'double':
      if (typeof value !== 'number') throw wrong(place, 'a number', value);
      return value;
    default:
      throw new RangeError(`the schema uses ${type}, which has no JSON reader`);
  }
}

/** JSON can write half a character (a surrogate without its partner), protobuf cannot: readers end the connection that brings one. */
function textFromJson(value: unknown, place: string): string {
  if (typeof value !== 'string') throw wrong(place, 'a string', value);
  if (!isWellFormed(value)) throw wrong(place, 'a string of whole characters', value);
  return value;
}

/** `String.prototype.isWellFormed`, which the types of es2023 do not know. */
const isWellFormed = (text: string): boolean => !/\p{Surrogate}/u.test(text);

function enumFromJson({ values }: protobuf.Enum, value: unknown, place: string): number {
  if (typeof value === 'string' && Object.hasOwn(values, value)) return values[value] as number;
  // An enum has 32 bits on the wire; more would be cut off.
  if (Number.isInteger(value) && value === ((value as number) | 0)) return value;
  throw wrong(place, `one of ${Object.keys(values).join(', ')}`, value);
}
