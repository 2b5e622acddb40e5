/** A tiny random model on disk and engines over it, for tests of the real addon. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Generation, NativeEngine, SequenceId } from '../../src/native/addon-types.js';
import { type LoadEngineOptions, loadEngine } from '../../src/native/engine.js';

export const tinyVocabulary = 97;

const config = {
  architectures: ['LlamaForCausalLM'],
  model_type: 'llama',
  hidden_act: 'silu',
  hidden_size: 32,
  intermediate_size: 64,
  num_hidden_layers: 2,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  head_dim: 8,
  vocab_size: tinyVocabulary,
  max_position_embeddings: 256,
  rms_norm_eps: 1e-5,
  rope_theta: 10000,
  tie_word_embeddings: true,
};

/** Writes config.json to a fresh directory; `changes` replace fields. */
export function writeTinyModel(changes: Record<string, unknown> = {}): string {
  const directory = mkdtempSync(join(tmpdir(), 'foretrace-model-'));
  writeFileSync(join(directory, 'config.json'), JSON.stringify({ ...config, ...changes }));
  return directory;
}

/** A tiny model with embeddings of 1 and this number as every other weight: what a file damaged on its way might hold. */
export function writeCorruptModel(weight: number): string {
  const directory = writeTinyModel({ num_hidden_layers: 1 });
  const layer = 'model.layers.0';
  const shapes: Readonly<Record<string, readonly number[]>> = {
    'model.embed_tokens': [tinyVocabulary, 32],
    'model.norm': [32],
    [`${layer}.input_layernorm`]: [32],
    [`${layer}.self_attn.q_proj`]: [32, 32],
    [`${layer}.self_attn.k_proj`]: [16, 32],
    [`${layer}.self_attn.v_proj`]: [16, 32],
    [`${layer}.self_attn.o_proj`]: [32, 32],
    [`${layer}.post_attention_layernorm`]: [32],
    [`${layer}.mlp.gate_proj`]: [64, 32],
    [`${layer}.mlp.up_proj`]: [64, 32],
    [`${layer}.mlp.down_proj`]: [32, 64],
  };
  let end = 0;
  const entries = Object.entries(shapes).map(([name, shape]) => {
    const begin = end;
    end += 4 * shape.reduce((product, extent) => product * extent, 1);
    return [`${name}.weight`, { dtype: 'F32', shape, data_offsets: [begin, end] }] as const;
  });
  const weights = new Float32Array(end / 4).fill(weight).fill(1, 0, tinyVocabulary * 32);
  const header = Buffer.from(JSON.stringify(Object.fromEntries(entries)));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(header.length));
  writeFileSync(
    join(directory, 'model.safetensors'),
    Buffer.concat([length, header, Buffer.from(weights.buffer)]),
  );
  return directory;
}

export function tinyOptions(changes: Partial<LoadEngineOptions> = {}): LoadEngineOptions {
  const base = { threads: 1, pages: 64, pageTokens: 4, maxRows: 64, maxSequences: 8, randomWeightsSeed: 1 };
  return { modelDir: writeTinyModel(), ...base, ...changes };
}

export const greedyGeneration: Generation = {
  grammar: -1,
  state: 0,
  frames: new Int32Array(),
  temperature: 0,
  topP: 1,
  seed: 0,
  maxNewTokens: 8,
  stopToken: -1,
};

export interface TinyEngine {
  readonly engine: NativeEngine;
  readonly request: Int32Array;
  readonly response: Int32Array;
  readonly logProbabilities: Float32Array;
}

/** An engine with its ring buffers attached. */
export async function openTiny(changes: Partial<LoadEngineOptions> = {}): Promise<TinyEngine> {
  const engine = await loadEngine(tinyOptions(changes));
  const request = new Int32Array(64);
  const response = new Int32Array(1024);
  const logProbabilities = new Float32Array(512);
  engine.attach(request, response, logProbabilities);
  return { engine, request, response, logProbabilities };
}

/** Opens a sequence that is ready to generate in the next step, and writes its block to the request ring. */
export function startGeneration(
  tiny: TinyEngine,
  tokens: readonly number[],
  changes: Partial<Generation> = {},
): SequenceId {
  const { sequence, cachedTokens } = tiny.engine.open(Int32Array.from(tokens), 0);
  tiny.engine.generate(sequence, { ...greedyGeneration, ...changes });
  tiny.request.set([sequence, tokens.length - cachedTokens, 1]);
  return sequence;
}

export const wholeStep = { words: 3, maxIterations: 1000, deadlineMicros: 0, returnOnFinish: false };
