/** Reads and writes the tensors of a Hugging Face directory, one at a time, for conversion and for models from a seed. */
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { ForetraceError } from '../errors.js';

export type TensorType = 'F32' | 'F16' | 'BF16';

export interface TensorEntry {
  name: string;
  dtype: TensorType;
  shape: readonly number[];
  file: string;
  /** Bytes from the start of the file. */
  offset: number;
  bytes: number;
}

const typeBytes: Readonly<Record<TensorType, number>> = { F32: 4, F16: 2, BF16: 2 };

/** Headers beyond this are refused, as the format's own library does. */
const mostHeaderBytes = 100_000_000;

const invalid = (file: string, what: string, expected: string, actual: unknown): ForetraceError =>
  new ForetraceError('invalid_model', `${file}: ${what}`, { expected, actual: String(actual) });

function readExactly(descriptor: number, file: string, offset: number, bytes: number): Buffer {
  const buffer = Buffer.alloc(bytes);
  for (let done = 0; done < bytes; ) {
    const count = readSync(descriptor, buffer, done, bytes - done, offset + done);
    if (count === 0) throw invalid(file, 'end of file', `${bytes} bytes at ${offset}`, `${done} bytes`);
    done += count;
  }
  return buffer;
}

function readHeader(file: string): TensorEntry[] {
  const descriptor = openSync(file, 'r');
  try {
    const length = Number(readExactly(descriptor, file, 0, 8).readBigUInt64LE());
    if (length > mostHeaderBytes) throw invalid(file, 'header', `at most ${mostHeaderBytes} bytes`, length);
    const header = JSON.parse(readExactly(descriptor, file, 8, length).toString('utf8')) as Record<
      string,
      { dtype: string; shape: number[]; data_offsets: [number, number] }
    >;
    return Object.entries(header)
      .filter(([name]) => name !== '__metadata__')
      .map(
        ([
          name,
          {
            dtype,
            shape,
            data_offsets: [begin, end],
          },
        ]) => {
          if (!(dtype in typeBytes))
            throw invalid(file, `tensor ${name}`, Object.keys(typeBytes).join(', '), dtype);
          const bytes = shape.reduce((product, size) => product * size, typeBytes[dtype as TensorType]);
          if (end - begin !== bytes) throw invalid(file, `tensor ${name}`, `${bytes} bytes`, end - begin);
          return { name, dtype: dtype as TensorType, shape, file, offset: 8 + length + begin, bytes };
        },
      );
  } finally {
    closeSync(descriptor);
  }
}

/** The tensors of model.safetensors or of the shards that model.safetensors.index.json names. @throws ForetraceError model_not_found, invalid_model */
export function tensorsOf(directory: string): Map<string, TensorEntry> {
  const index = join(directory, 'model.safetensors.index.json');
  const files = existsSync(index)
    ? [
        ...new Set(
          Object.values(
            (JSON.parse(readFileSync(index, 'utf8')) as { weight_map: Record<string, string> }).weight_map,
          ),
        ),
      ]
    : ['model.safetensors'];
  const tensors = new Map<string, TensorEntry>();
  for (const name of files) {
    const file = join(directory, name);
    if (!existsSync(file)) throw new ForetraceError('model_not_found', `${file} is missing`);
    for (const entry of readHeader(file)) tensors.set(entry.name, entry);
  }
  return tensors;
}

const scratchWord = new Uint32Array(1);
const scratchFloat = new Float32Array(scratchWord.buffer);

/** The value of an IEEE half. */
export function halfToNumber(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/** All elements of a tensor as fp32. */
export function readTensor(entry: TensorEntry): Float32Array {
  const descriptor = openSync(entry.file, 'r');
  try {
    const data = readExactly(descriptor, entry.file, entry.offset, entry.bytes);
    const count = entry.bytes / typeBytes[entry.dtype];
    if (entry.dtype === 'F32') return new Float32Array(data.buffer, data.byteOffset, count);
    const halves = new Uint16Array(data.buffer, data.byteOffset, count);
    if (entry.dtype === 'F16') return Float32Array.from(halves, halfToNumber);
    const words = new Uint32Array(count);
    for (let i = 0; i < count; ++i) words[i] = (halves[i] as number) << 16;
    return new Float32Array(words.buffer);
  } finally {
    closeSync(descriptor);
  }
}

/** The nearest bf16, ties to even; finite values only. */
export function toBf16(value: number): number {
  scratchFloat[0] = value;
  const bits = scratchWord[0] as number;
  return ((bits + 0x7fff + ((bits >>> 16) & 1)) >>> 16) & 0xffff;
}

/** A tensor to be written: `fill` gets its elements in order, as bf16. */
export interface NewTensor {
  name: string;
  shape: readonly number[];
  elements(): Uint16Array;
}

/** Writes `directory`/model.safetensors in bf16, whole or not at all. */
export function writeTensors(directory: string, tensors: readonly NewTensor[]): void {
  mkdirSync(directory, { recursive: true });
  const header: Record<string, unknown> = {};
  let end = 0;
  for (const { name, shape } of tensors) {
    const begin = end;
    end += shape.reduce((product, size) => product * size, 2);
    header[name] = { dtype: 'BF16', shape, data_offsets: [begin, end] };
  }
  const text = JSON.stringify(header);
  const padded = Buffer.from(text.padEnd(Math.ceil(text.length / 8) * 8), 'latin1');
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(padded.length));
  const path = join(directory, 'model.safetensors');
  writeFileSync(`${path}.part`, Buffer.concat([length, padded]));
  const descriptor = openSync(`${path}.part`, 'a');
  try {
    for (const tensor of tensors) writeAll(descriptor, new Uint8Array(tensor.elements().buffer));
  } finally {
    closeSync(descriptor);
  }
  renameSync(`${path}.part`, path);
}

/** Writes every byte, also beyond what one call of the system takes. */
export function writeAll(descriptor: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; )
    done += writeSync(descriptor, bytes, done, Math.min(bytes.length - done, 1 << 30));
}
