/** A model directory as a GGUF file that llama.cpp reads. */
import { ForetraceError } from '../errors.js';
import { encodeTensor } from './ggml-formats.js';
import { blockElements, type GgufTensor, type GgufTensorType, type GgufValue, writeGguf } from './gguf.js';
import { type ModelShape, requireUnscaled, shapeOfDirectory } from './model-shape.js';
import { modelTensors } from './random-model.js';
import { readTensor, tensorsOf } from './safetensors.js';

/** llama.cpp's numbers for "what most tensors of the file are". */
const fileTypes: Readonly<Record<GgufTensorType, number>> = { F32: 0, Q8_0: 7, BF16: 32 };

const renamed: readonly [pattern: RegExp, name: string][] = [
  [/^model\.embed_tokens/, 'token_embd'],
  [/^model\.norm/, 'output_norm'],
  [/^lm_head/, 'output'],
  [/^model\.layers\.(\d+)\.input_layernorm/, 'blk.$1.attn_norm'],
  [/^model\.layers\.(\d+)\.post_attention_layernorm/, 'blk.$1.ffn_norm'],
  [/^model\.layers\.(\d+)\.self_attn\.o_proj/, 'blk.$1.attn_output'],
  [/^model\.layers\.(\d+)\.self_attn\.([qkv])_proj/, 'blk.$1.attn_$2'],
  [/^model\.layers\.(\d+)\.self_attn\.([qk])_norm/, 'blk.$1.attn_$2_norm'],
  [/^model\.layers\.(\d+)\.mlp\.(gate|up|down)_proj/, 'blk.$1.ffn_$2'],
];

/** llama.cpp's name of a tensor. */
export function ggufName(name: string): string {
  for (const [pattern, to] of renamed) if (pattern.test(name)) return name.replace(pattern, to);
  throw new ForetraceError('invalid_model', `tensor ${name} has no place in a model that is converted`);
}

/**
 * Rows of a Llama's query or key projection in llama.cpp's order: Hugging Face rotates the first half of a head against the second,
 * llama.cpp neighbours (but of a Qwen the halves, too), so the rows i and i + half come to lie side by side.
 */
export function interleaveHalves(values: Float32Array, heads: number, headSize: number): Float32Array {
  const columns = values.length / (heads * headSize);
  const result = new Float32Array(values.length);
  const half = headSize / 2;
  for (let head = 0; head < heads; ++head)
    for (let i = 0; i < headSize; ++i) {
      const from = (head * headSize + (i % 2) * half + (i >> 1)) * columns;
      result.set(values.subarray(from, from + columns), (head * headSize + i) * columns);
    }
  return result;
}

const text = (value: string): GgufValue => ({ type: 'string', value });
const whole = (value: number): GgufValue => ({ type: 'u32', value });
const real = (value: number): GgufValue => ({ type: 'f32', value });

/** A tokenizer that is well formed and never used: bytes, then names without meaning. Programs over llama.cpp ask for one when they load a model. */
function tokenizer(vocabSize: number): [string, GgufValue][] {
  const special = ['<unk>', '<s>', '</s>'];
  const kinds = { normal: 1, unknown: 2, control: 3, byte: 6 };
  const isByte = (token: number): boolean => token >= special.length && token < special.length + 256;
  const name = (token: number): string =>
    special[token] ??
    (isByte(token) ? `<0x${(token - 3).toString(16).toUpperCase().padStart(2, '0')}>` : `token${token}`);
  const kind = (token: number): number =>
    token === 0 ? kinds.unknown : token < 3 ? kinds.control : isByte(token) ? kinds.byte : kinds.normal;
  const tokens = Array.from({ length: vocabSize }, (_, token) => token);
  return [
    ['tokenizer.ggml.model', text('llama')],
    ['tokenizer.ggml.tokens', { type: 'strings', value: tokens.map(name) }],
    ['tokenizer.ggml.scores', { type: 'floats', value: tokens.map((token) => -token) }],
    ['tokenizer.ggml.token_type', { type: 'integers', value: tokens.map(kind) }],
    ['tokenizer.ggml.unknown_token_id', whole(0)],
    ['tokenizer.ggml.bos_token_id', whole(1)],
    ['tokenizer.ggml.eos_token_id', whole(2)],
  ];
}

/** The keys llama.cpp asks for. */
export function modelValues(shape: ModelShape, type: GgufTensorType): Map<string, GgufValue> {
  const values: [string, GgufValue][] = [
    ['vocab_size', whole(shape.vocabSize)],
    ['context_length', whole(shape.maxContext)],
    ['embedding_length', whole(shape.hiddenSize)],
    ['block_count', whole(shape.layers)],
    ['feed_forward_length', whole(shape.ffnSize)],
    ['attention.head_count', whole(shape.heads)],
    ['attention.head_count_kv', whole(shape.kvHeads)],
    ['attention.key_length', whole(shape.headSize)],
    ['attention.value_length', whole(shape.headSize)],
    ['attention.layer_norm_rms_epsilon', real(shape.normEps)],
    ['rope.dimension_count', whole(shape.headSize)],
    ['rope.freq_base', real(shape.ropeTheta)],
  ];
  return new Map([
    ['general.architecture', text(shape.kind)],
    ['general.name', text(shape.name)],
    ['general.file_type', whole(fileTypes[type])],
    ['general.quantization_version', whole(2)],
    ...values.map(([key, value]): [string, GgufValue] => [`${shape.kind}.${key}`, value]),
    ...tokenizer(shape.vocabSize),
  ]);
}

/** Converts; norms stay fp32, as llama.cpp wants them. @throws ForetraceError model_not_found, invalid_model */
export function writeModelGguf(directory: string, path: string, type: GgufTensorType): void {
  const shape = shapeOfDirectory(directory);
  requireUnscaled(directory);
  const found = tensorsOf(directory);
  const tensors = modelTensors(shape).map(({ name, shape: sizes }): GgufTensor => {
    const entry = found.get(name);
    if (!entry || entry.shape.join() !== sizes.join()) {
      throw new ForetraceError('invalid_model', `${directory}: tensor ${name}`, {
        expected: `[${sizes}]`,
        actual: entry ? `[${entry.shape}]` : 'nothing',
      });
    }
    const columns = sizes.at(-1) as number;
    const own: GgufTensorType = sizes.length === 1 ? 'F32' : type;
    if (own === 'Q8_0' && columns % blockElements !== 0) {
      throw new ForetraceError('invalid_model', `tensor ${name} does not fit Q8_0`, {
        expected: `a multiple of ${blockElements} columns`,
        actual: `${columns}`,
      });
    }
    const projected = /q_proj/.test(name) ? shape.heads : /k_proj/.test(name) ? shape.kvHeads : 0;
    const heads = shape.kind === 'llama' ? projected : 0;
    const data = (): Uint8Array => {
      const values = readTensor(entry);
      return encodeTensor(heads > 0 ? interleaveHalves(values, heads, shape.headSize) : values, own);
    };
    return { name: ggufName(name), type: own, shape: sizes, data };
  });
  writeGguf(path, modelValues(shape, type), tensors);
}
