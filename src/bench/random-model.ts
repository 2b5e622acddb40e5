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

/** The tensors of a Llama-shaped model, by their names in Hugging Face files. */
export function llamaTensors(shape: ModelShape): TensorShape[] {
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
    add('input_layernorm', hidden);
    add('self_attn.q_proj', queries, hidden);
    add('self_attn.k_proj', keys, hidden);
    add('self_attn.v_proj', keys, hidden);
    add('self_attn.o_proj', hidden, queries);
    add('post_attention_layernorm', hidden);
    add('mlp.gate_proj', ffn, hidden);
    add('mlp.up_proj', ffn, hidden);
    add('mlp.down_proj', hidden, ffn);
  }
  return list;
}

/** Uniform draws of the given half-width as bf16, from Marsaglia's xorshift (Journal of Statistical Software 8(14), 2003). */
function draw(count: number, width: number, seed: number): Uint16Array {
  const values = new Uint16Array(count);
  let state = Math.imul(seed + 1, 0x9e3779b1) | 1;
  for (let i = 0; i < count; ++i) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    values[i] = toBf16((state / 2 ** 31) * width);
  }
  return values;
}

/** Writes config.json and model.safetensors unless they are there; the same shape gives the same bytes. Returns the directory. */
export function writeRandomModel(shape: ModelShape, directory: string): string {
  if (existsSync(join(directory, 'config.json'))) return directory;
  // A uniform draw of half-width a has the deviation a / sqrt(3). Projections back into the residual stream are scaled so
  // that its variance does not grow with depth.
  const width = baseDeviation * Math.sqrt(3);
  const tensors = llamaTensors(shape).map(({ name, shape: sizes }, index): NewTensor => {
    const count = sizes.reduce((product, size) => product * size, 1);
    const scale = /[od](own)?_proj/.test(name) ? 1 / Math.sqrt(2 * shape.layers) : 1;
    const elements = (): Uint16Array =>
      sizes.length === 1 ? new Uint16Array(count).fill(toBf16(1)) : draw(count, width * scale, index);
    return { name, shape: sizes, elements };
  });
  mkdirSync(directory, { recursive: true });
  writeTensors(directory, tensors);
  writeFileSync(join(directory, 'config.json'), JSON.stringify(configOf(shape), null, 2));
  return directory;
}
