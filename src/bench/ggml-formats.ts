/** Tensors of fp32 in the formats of GGUF files. */
import { blockBytes, blockElements, type GgufTensorType } from './gguf.js';
import { toBf16 } from './safetensors.js';

const word = new Uint32Array(1);
const float = new Float32Array(word.buffer);

/** The nearest IEEE half of a finite number of at most 65504, ties to even. */
export function toHalf(value: number): number {
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  const magnitude = Math.abs(value);
  if (magnitude === 0) return sign;
  float[0] = magnitude;
  const exponent = Math.max(((word[0] as number) >>> 23) - 127, -14);
  // Units of the last place: below the normal numbers they stop shrinking. Halves are few enough to round in a double.
  const units = roundToEven(magnitude / 2 ** (exponent - 10));
  return sign | (units >= 1024 ? ((exponent + 15) << 10) + (units - 1024) : units);
}

function roundToEven(value: number): number {
  const floor = Math.floor(value);
  const rest = value - floor;
  return rest > 0.5 || (rest === 0.5 && floor % 2 === 1) ? floor + 1 : floor;
}

/** Q8_0: for every 32 elements a scale max |x| / 127 as fp16 and the elements in units of it. */
export function toQ8(values: Float32Array): Uint8Array {
  const blocks = values.length / blockElements;
  const bytes = new Uint8Array(blocks * blockBytes);
  const view = new DataView(bytes.buffer);
  for (let block = 0; block < blocks; ++block) {
    const first = block * blockElements;
    let largest = 0;
    for (let i = 0; i < blockElements; ++i)
      largest = Math.max(largest, Math.abs(values[first + i] as number));
    const scale = largest / 127;
    const inverse = scale > 0 ? 1 / scale : 0;
    view.setUint16(block * blockBytes, toHalf(scale), true);
    for (let i = 0; i < blockElements; ++i)
      view.setInt8(block * blockBytes + 2 + i, Math.round((values[first + i] as number) * inverse));
  }
  return bytes;
}

export function encodeTensor(values: Float32Array, type: GgufTensorType): Uint8Array {
  if (type === 'Q8_0') return toQ8(values);
  if (type === 'F32') return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  return new Uint8Array(Uint16Array.from(values, toBf16).buffer);
}
