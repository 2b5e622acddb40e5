/** How many things a message holds, counted before anything is made of them: two bytes of a frame may stand for an object of hundreds. */
import protobuf from 'protobufjs';
import { ForetraceError } from '../errors.js';

/** Messages, texts and map entries that one message may hold, in JSON also numbers. Far above a state of 4,000 frames. */
export const mostElements = 100_000;

/** A message of fewer bytes can not hold too many: each element has at least two. */
const harmlessBytes = 2 * mostElements;

const tooMany = (): ForetraceError =>
  new ForetraceError('message_too_large', 'the message holds too many elements', {
    expected: `at most ${mostElements} messages, texts and map entries`,
    actual: 'more of them',
  });

/** Counts the elements of one message. */
export class ElementCount {
  private count = 0;

  /** @throws ForetraceError message_too_large */
  add(): void {
    this.count += 1;
    if (this.count > mostElements) throw tooMany();
  }
}

/** Length-delimited, of protobuf's wire types. */
const delimited = 2;

/** @throws ForetraceError message_too_large; RangeError, Error for bytes that are no message at all */
export function checkElements(type: protobuf.Type, bytes: Uint8Array): void {
  if (bytes.length <= harmlessBytes) return;
  const reader = protobuf.Reader.create(bytes);
  countFields(type, reader, bytes.length, new ElementCount());
}

function countFields(type: protobuf.Type, reader: protobuf.Reader, end: number, count: ElementCount): void {
  while (reader.pos < end) {
    const tag = reader.uint32();
    if ((tag & 7) !== delimited) {
      reader.skipType(tag & 7);
      continue;
    }
    count.add();
    const field = type.fieldsById[tag >>> 3];
    const inner = field?.resolve().resolvedType;
    const length = reader.uint32();
    if (inner instanceof protobuf.Type && !field?.map) countFields(inner, reader, reader.pos + length, count);
    else reader.skip(length);
  }
}
