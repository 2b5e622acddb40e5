/**
 * Writes GGUF files (version 3, https://github.com/ggml-org/ggml/blob/master/docs/gguf.md): a header of typed keys and
 * values, descriptions of the tensors, then their data, each at a multiple of the alignment.
 */
import { closeSync, openSync, renameSync, rmSync } from 'node:fs';
import { writeAll } from './safetensors.js';

/** Types of values that this writer needs, with their numbers in the format. */
const valueTypes = { u32: 4, i32: 5, f32: 6, string: 8, array: 9 } as const;

export type GgufValue =
  | { type: 'u32'; value: number }
  | { type: 'f32'; value: number }
  | { type: 'string'; value: string }
  | { type: 'strings'; value: readonly string[] }
  | { type: 'floats'; value: readonly number[] }
  | { type: 'integers'; value: readonly number[] };

/** Formats of tensors, with their numbers in the format. */
export const tensorTypes = { F32: 0, Q8_0: 8, BF16: 30 } as const;
export type GgufTensorType = keyof typeof tensorTypes;

export interface GgufTensor {
  name: string;
  type: GgufTensorType;
  /** [rows, columns] or [columns]: the last varies fastest. */
  shape: readonly number[];
  /** The data in the tensor's own format; asked for once, when it is written. */
  data(): Uint8Array;
}

/** Multiple of bytes at which the data of every tensor begins. */
export const alignment = 32;

/** Elements that share a scale in Q8_0, and the bytes of such a block. */
export const blockElements = 32;
export const blockBytes = 34;

const aligned = (bytes: number): number => Math.ceil(bytes / alignment) * alignment;

export function tensorBytes(type: GgufTensorType, shape: readonly number[]): number {
  const count = shape.reduce((product, size) => product * size, 1);
  if (type === 'Q8_0') return (count / blockElements) * blockBytes;
  return count * (type === 'F32' ? 4 : 2);
}

class Bytes {
  private readonly parts: Buffer[] = [];

  u32(value: number): this {
    const part = Buffer.alloc(4);
    part.writeUInt32LE(value);
    this.parts.push(part);
    return this;
  }
  u64(value: number): this {
    const part = Buffer.alloc(8);
    part.writeBigUInt64LE(BigInt(value));
    this.parts.push(part);
    return this;
  }
  f32(value: number): this {
    const part = Buffer.alloc(4);
    part.writeFloatLE(value);
    this.parts.push(part);
    return this;
  }
  text(value: string): this {
    const part = Buffer.from(value, 'utf8');
    this.u64(part.length).parts.push(part);
    return this;
  }
  padded(): Buffer {
    const all = Buffer.concat(this.parts);
    return Buffer.concat([all, Buffer.alloc(aligned(all.length) - all.length)]);
  }
}

function writeValue(bytes: Bytes, entry: GgufValue): void {
  switch (entry.type) {
    case 'u32':
      return void bytes.u32(valueTypes.u32).u32(entry.value);
    case 'f32':
      return void bytes.u32(valueTypes.f32).f32(entry.value);
    case 'string':
      return void bytes.u32(valueTypes.string).text(entry.value);
    case 'strings':
      bytes.u32(valueTypes.array).u32(valueTypes.string).u64(entry.value.length);
      for (const text of entry.value) bytes.text(text);
      return;
    case 'floats':
      bytes.u32(valueTypes.array).u32(valueTypes.f32).u64(entry.value.length);
      for (const value of entry.value) bytes.f32(value);
      return;
    case 'integers':
      bytes.u32(valueTypes.array).u32(valueTypes.i32).u64(entry.value.length);
      for (const value of entry.value) bytes.u32(value);
  }
}

/** Everything of a file before the data of its tensors, padded to the alignment. */
export function ggufHeader(values: ReadonlyMap<string, GgufValue>, tensors: readonly GgufTensor[]): Buffer {
  const bytes = new Bytes();
  bytes.u32(0x46554747).u32(3).u64(tensors.length).u64(values.size);
  for (const [key, entry] of values) {
    writeValue(bytes.text(key), entry);
  }
  let offset = 0;
  for (const { name, type, shape } of tensors) {
    bytes.text(name).u32(shape.length);
    for (const size of [...shape].reverse()) bytes.u64(size);
    bytes.u32(tensorTypes[type]).u64(offset);
    offset += aligned(tensorBytes(type, shape));
  }
  return bytes.padded();
}

/** Writes a file, whole or not at all. */
export function writeGguf(
  path: string,
  values: ReadonlyMap<string, GgufValue>,
  tensors: readonly GgufTensor[],
): void {
  const part = `${path}.part`;
  const descriptor = openSync(part, 'w');
  try {
    writeAll(descriptor, ggufHeader(values, tensors));
    for (const tensor of tensors) {
      const data = tensor.data();
      writeAll(descriptor, data);
      writeAll(descriptor, new Uint8Array(aligned(data.length) - data.length));
    }
  } catch (error) {
    closeSync(descriptor);
    rmSync(part, { force: true });
    throw error;
  }
  closeSync(descriptor);
  renameSync(part, path);
}
