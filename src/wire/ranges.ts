/** Numbers of a message that is to be sent: protobuf would write those beyond 32 bits as others, and nobody would be told. */
import protobuf from 'protobufjs';
import { ForetraceError } from '../errors.js';

const largest = 0xffff_ffff;

function itemsOf(field: protobuf.Field, value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (field instanceof protobuf.MapField) return Object.values(value);
  return field.repeated ? (value as readonly unknown[]) : [value];
}

/**
 * @param message of that type, each value of the type of its field
 * @param path names the message in the error
 * @throws ForetraceError invalid_message for a number that its field cannot hold
 */
export function checkRanges(type: protobuf.Type, message: object, path = ''): void {
  for (const field of type.fieldsArray) {
    const { resolvedType } = field.resolve();
    const isNested = resolvedType instanceof protobuf.Type;
    if (!isNested && field.type !== 'uint32') continue;
    const name = path + field.name;
    for (const item of itemsOf(field, (message as Record<string, unknown>)[field.name])) {
      if (isNested) checkRanges(resolvedType, item as object, `${name}.`);
      else if (!Number.isInteger(item) || (item as number) < 0 || (item as number) > largest)
        throw new ForetraceError('invalid_message', `${name} is out of range`, {
          expected: `a whole number from 0 to ${largest}`,
          actual: String(item),
        });
    }
  }
}
