/** A model directory with random weights of a shape: what other engines can read, too. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { configOf, type ModelShape } from './model-shape.js';
import { type NewTensor, toBf16, writeTensors } from './safetensors.js';

/** Standard deviation of embeddings and input projections, as GPT-2 and Llama initialise them. */
const baseDeviation = 0.02;

export interface TensorShape {
  name: string;
  shape: readonly number[];
}

/** The tensors of a model, by their names in Hugging Face files. */
export function modelTensors(shape: ModelShape): TensorShape[] {
  const { hiddenSize: hidden, ffnSize: ffn, vocabSize } = shape;
  const queries = shape.heads * shape.headSize;
  const keys = shape.kvHeads * shape.headSize;
  const list: TensorShape[] = [
    { name: 'model.embed_tokens.weight', shape: [vocabSize, hidden] },
    { name: 'model.norm.weight', shape: [hidden] },
  ];
  if (!shape.tied) list.push({ name: 'lm_head.weight', shape: [vocabSize, hidden] });
  for (let layer = 0; layer < shape.layers; ++layer) {
    const add = (name: string, ...sizes: number[]): void => {
      list.push({ name: `model.layers.${layer}.${name}.weight`, shape: sizes });
    };
    const addBias = (name: string, size: number): void => {
      list.push({ name: `model.layers.${layer}.${name}.bias`, shape: [size] });
    };
    add('input_layernorm', hidden);
    add('self_attn.q_proj', queries, hidden);
    add('self_attn.k_proj', keys, hidden);
    add('self_attn.v_proj', keys, hidden);
    if (shape.kind === 'qwen2') {
      addBias('self_attn.q_proj', queries);
      addBias('self_attn.k_proj', keys);
      addBias('self_attn.v_proj', keys);
    }
    if (shape.kind === 'qwen3') {
      add('self_attn.q_norm', shape.headSize);
      add('self_attn.k_norm', shape.headSize);
    }
    add('self_attn.o_proj', hidden, queries);
    add('post_attention_layernorm', hidden);
    add('mlp.gate_proj', ffn, hidden);
    add('mlp.up_proj', ffn, hidden);
    add('mlp.down_proj', hidden, ffn);
  }
  return list;
}

/** Interval [middle - halfWidth, middle + halfWidth) that elements are drawn from. */
interface Interval {
  middle: number;
  halfWidth: number;
}

/**
 * Where the elements of a tensor are drawn from. A uniform draw of half-width a has the deviation a / sqrt(3). Projections back into the
 * residual stream are scaled so that its variance does not grow with depth. Norms are 1, but for those of heads; biases are as large as
 * what they are added to, as in trained models, so that one that is left out shows.
 */
function intervalOf(name: string, layers: number): Interval {
  if (name.endsWith('.bias')) return { middle: 0, halfWidth: 0.5 };
  if (/[qk]_norm/.test(name)) return { middle: 1, halfWidth: 0.5 };
  if (/norm/.test(name)) return { middle: 1, halfWidth: 0 };
  const scale = /[od](own)?_proj/.test(name) ? 1 / Math.sqrt(2 * layers) : 1;
  return { middle: 0, halfWidth: baseDeviation * Math.sqrt(3) * scale };
}

/** Uniform draws as bf16, from Marsaglia's xorshift (Journal of Statistical Software 8(14), 2003). */
function draw(count: number, { middle, halfWidth }: Interval, seed: number): Uint16Array {
  const values = new Uint16Array(count);
  let state = Math.imul(seed + 1, 0x9e3779b1) | 1;
  for (let i = 0; i < count; ++i) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    values[i] = toBf16(middle + (state / 2 ** 31) * halfWidth);
  }
  return values;
}

/** Writes config.json and model.safetensors unless they are there; the same shape gives the same bytes. Returns the directory. */
export function writeRandomModel(shape: ModelShape, directory: string): string {
  if (existsSync(join(directory, 'config.json'))) return directory;
  const tensors = modelTensors(shape).map(({ name, shape: sizes }, index): NewTensor => {
    const count = sizes.reduce((product, size) => product * size, 1);
    return { name, shape: sizes, elements: () => draw(count, intervalOf(name, shape.layers), index) };
  });
  mkdirSync(directory, { recursive: true });
  writeTensors(directory, tensors);
  writeFileSync(join(directory, 'config.json'), JSON.stringify(configOf(shape), null, 2));
  return directory;
}
