/** Sizes of models: of a directory, or of the shapes that are measured by name with random weights. */
import { existsSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { ForetraceError } from '../errors.js';

/** The architectures that benchmarks know, by `model_type`: a Qwen2 has biases of queries, keys and values, a Qwen3 norms of their heads. */
export type ModelKind = 'llama' | 'qwen2' | 'qwen3';

const architectures: Readonly<Record<ModelKind, string>> = {
  llama: 'LlamaForCausalLM',
  qwen2: 'Qwen2ForCausalLM',
  qwen3: 'Qwen3ForCausalLM',
};

export interface ModelShape {
  name: string;
  kind: ModelKind;
  vocabSize: number;
  hiddenSize: number;
  layers: number;
  heads: number;
  kvHeads: number;
  headSize: number;
  ffnSize: number;
  maxContext: number;
  ropeTheta: number;
  normEps: number;
  /** The output head is the embedding table. */
  tied: boolean;
}

type Implied = 'kind' | 'headSize' | 'ropeTheta' | 'normEps';
type NamedSizes = Omit<ModelShape, 'name' | Implied> & Partial<Pick<ModelShape, Implied>>;

const sizes: Readonly<Record<string, NamedSizes>> = {
  S30: {
    vocabSize: 8192,
    hiddenSize: 512,
    layers: 8,
    heads: 8,
    kvHeads: 4,
    ffnSize: 1408,
    maxContext: 4096,
    tied: true,
  },
  S135: {
    vocabSize: 49152,
    hiddenSize: 576,
    layers: 30,
    heads: 9,
    kvHeads: 3,
    ffnSize: 1536,
    maxContext: 8192,
    tied: true,
  },
  S1B8: {
    vocabSize: 32000,
    hiddenSize: 2048,
    layers: 24,
    heads: 16,
    kvHeads: 16,
    ffnSize: 5632,
    maxContext: 4096,
    tied: false,
  },
  /** Qwen2.5-0.5B and Qwen2.5-Coder-0.5B. */
  Q494: {
    kind: 'qwen2',
    vocabSize: 151936,
    hiddenSize: 896,
    layers: 24,
    heads: 14,
    kvHeads: 2,
    ffnSize: 4864,
    maxContext: 32768,
    ropeTheta: 1e6,
    normEps: 1e-6,
    tied: true,
  },
  /** Qwen3-0.6B. */
  Q596: {
    kind: 'qwen3',
    vocabSize: 151936,
    hiddenSize: 1024,
    layers: 28,
    heads: 16,
    kvHeads: 8,
    headSize: 128,
    ffnSize: 3072,
    maxContext: 40960,
    ropeTheta: 1e6,
    normEps: 1e-6,
    tied: true,
  },
};

export const shapeNames: readonly string[] = Object.keys(sizes);

/** @throws ForetraceError invalid_argument */
export function namedShape(name: string): ModelShape {
  const found = sizes[name];
  if (!found) {
    throw new ForetraceError('invalid_argument', 'there is no model shape of this name', {
      expected: shapeNames.join(', '),
      actual: name,
    });
  }
  return {
    name,
    kind: 'llama',
    headSize: found.hiddenSize / found.heads,
    ropeTheta: 10_000,
    normEps: 1e-5,
    ...found,
  };
}

/** The config.json of a shape, as Hugging Face writes it. */
export function configOf(shape: ModelShape): Record<string, unknown> {
  return {
    architectures: [architectures[shape.kind]],
    model_type: shape.kind,
    hidden_act: 'silu',
    hidden_size: shape.hiddenSize,
    intermediate_size: shape.ffnSize,
    num_hidden_layers: shape.layers,
    num_attention_heads: shape.heads,
    num_key_value_heads: shape.kvHeads,
    head_dim: shape.headSize,
    max_position_embeddings: shape.maxContext,
    vocab_size: shape.vocabSize,
    rope_theta: shape.ropeTheta,
    rms_norm_eps: shape.normEps,
    tie_word_embeddings: shape.tied,
    attention_bias: false,
    mlp_bias: false,
    torch_dtype: 'bfloat16',
  };
}

/**
 * The shape that a model directory's config.json states. The engine validates such a file in full; this reads the
 * sizes that a benchmark needs. @throws ForetraceError model_not_found, invalid_model
 */
export function shapeOfDirectory(directory: string): ModelShape {
  const path = join(directory, 'config.json');
  if (!existsSync(path))
    throw new ForetraceError('model_not_found', 'there is no model in this directory', {
      expected: 'a file config.json',
      actual: directory,
    });
  const config = readConfig(path);
  const number = (key: string, fallback?: number): number => {
    const value = config[key] ?? fallback;
    if (typeof value === 'number' && Number.isFinite(value) && value > 0) return value;
    throw new ForetraceError('invalid_model', `${path}: ${key}`, {
      expected: 'a number above 0',
      actual: JSON.stringify(value) ?? 'nothing',
    });
  };
  const hiddenSize = number('hidden_size');
  const heads = number('num_attention_heads');
  return {
    name: basename(resolve(directory)),
    kind: kindOf(config),
    vocabSize: number('vocab_size'),
    hiddenSize,
    layers: number('num_hidden_layers'),
    heads,
    kvHeads: number('num_key_value_heads', heads),
    headSize: number('head_dim', hiddenSize / heads),
    ffnSize: number('intermediate_size'),
    maxContext: number('max_position_embeddings', 2048),
    ropeTheta: rotationOf(config).theta ?? number('rope_theta', 10_000),
    normEps: number('rms_norm_eps', 1e-6),
    tied: config.tie_word_embeddings === true,
  };
}

function kindOf({ model_type: type }: Record<string, unknown>): ModelKind {
  return type === 'qwen2' || type === 'qwen3' ? type : 'llama';
}

/** What config.json says of rotary positions in an object of their own, under its newer or its older name. */
function rotationOf(config: Record<string, unknown>): { kind: unknown; theta: number | undefined } {
  const rope = (config.rope_parameters ?? config.rope_scaling ?? {}) as Record<string, unknown>;
  const theta = rope.rope_theta;
  return {
    kind: rope.rope_type ?? rope.type ?? 'default',
    theta: typeof theta === 'number' && theta > 0 ? theta : undefined,
  };
}

/**
 * For conversions that write neither: refuses a model whose rotary positions are scaled or whose attention has windows, which the
 * engine computes. @throws ForetraceError invalid_model
 */
export function requireUnscaled(directory: string): void {
  const path = join(directory, 'config.json');
  const config = readConfig(path);
  const refused: readonly [key: string, isPlain: boolean, actual: unknown][] = [
    ['rope_type', rotationOf(config).kind === 'default', rotationOf(config).kind],
    [
      'sliding_window',
      (config.sliding_window ?? null) === null || !(config.use_sliding_window ?? kindOf(config) === 'llama'),
      config.sliding_window,
    ],
  ];
  for (const [key, isPlain, actual] of refused) {
    if (!isPlain)
      throw new ForetraceError('invalid_model', `${path}: ${key} is not converted`, {
        expected: 'a model without scaled positions and windows',
        actual: JSON.stringify(actual),
      });
  }
}

/** What a model's config.json says of its training. */
export interface ModelLanguage {
  /** Whether it is a Code World Model. */
  readonly isCwm: boolean;
  /** The version of the trace language; undefined where it does not say. */
  readonly version: unknown;
  /** Whether the values of a line's expressions stand in its questions (docs/trace-language.md, section 9). */
  readonly showsWorkings: boolean;
}

/** @throws ForetraceError invalid_model */
export function languageOf(directory: string): ModelLanguage {
  const { foretrace, model_type: type } = readConfig(join(directory, 'config.json'));
  const about = (foretrace ?? {}) as { language_version?: unknown; workings?: unknown };
  return {
    isCwm: type === 'cwm',
    version: about.language_version,
    showsWorkings: about.workings === true,
  };
}

function readConfig(path: string): Record<string, unknown> {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
  } catch (error) {
    throw new ForetraceError('invalid_model', `${path} is not JSON`, {}, { cause: error });
  }
}

/** Bytes of the KV pool one token takes. */
export function kvBytesPerToken(shape: ModelShape, dtype: string): number {
  return 2 * shape.layers * shape.kvHeads * shape.headSize * (dtype === 'fp32' ? 4 : 2);
}
