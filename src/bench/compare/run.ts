/** The same forward passes on the same weights through this engine and through node-llama-cpp, in turns. */
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { EngineOptions, NativeAddon, NativeBench, WeightFormat } from '../../native/addon-types.js';
import { resolveOptions } from '../../scheduler/options.js';
import { type Agreement, AgreementSum } from '../agreement.js';
import type { tensorTypes } from '../gguf.js';
import { writeModelGguf } from '../model-gguf.js';
import { writeRandomModel } from '../random-model.js';
import type { BenchModel } from '../run-engine.js';
import { poolTokens, rowsOf, type Workload } from '../workloads.js';
import { type Clock, timed } from './clock.js';
import type { Peer, PeerModel } from './peer.js';
import type { AgreementRow, CompareRow, Spread } from './report.js';

/** Number formats here, and the nearest ones of GGUF files. */
export const peerWeights = { int8: 'Q8_0', bf16: 'BF16', fp32: 'F32' } as const satisfies Record<
  WeightFormat,
  keyof typeof tensorTypes
>;

export interface CompareOptions {
  models: readonly BenchModel[];
  dtypes: readonly WeightFormat[];
  workloads: readonly Workload[];
  isa: EngineOptions['isa'];
  threads: number;
  /** Turns of each engine on every workload. */
  rounds: number;
  /** Seconds of a turn. */
  seconds: number;
  clock: Clock;
  /** Where weights are kept. */
  cache: string;
}

/** Tokens of the texts whose logits are compared. */
const agreementTokens = 64;

/** Tokens without meaning, of which both engines' logits are compared; timed passes of this engine take others. */
export function tokensOf(count: number, vocabSize: number): Int32Array {
  // llama.cpp may treat the first few (unknown, begin, end) in its own way.
  const special = 3;
  return Int32Array.from({ length: count }, (_, i) => special + ((i * 7919 + 13) % (vocabSize - special)));
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] as number;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] as number) + upper) / 2;
}

const spread = (values: readonly number[]): Spread => ({
  median: median(values),
  least: Math.min(...values),
  most: Math.max(...values),
});

/**
 * Passes of one awaited call of this engine: a decode comes as the generation loop of a service makes them, several iterations a call. The peer has one
 * decode a call.
 */
const passesOf = ({ phase }: Workload): number => (phase === 'decode' ? resolveOptions({}).maxIterations : 1);

/** Median seconds of the passes that fit into a turn; the first is warm-up. */
async function turn(pass: () => Promise<number>, seconds: number): Promise<number> {
  await pass();
  const times: number[] = [];
  for (const end = performance.now() + seconds * 1e3; performance.now() < end || times.length < 3; )
    times.push(await pass());
  return median(times);
}

/** Runs everything; `update` is called after every workload. */
export async function runCompare(
  addon: NativeAddon,
  peer: Peer,
  options: CompareOptions,
  update: (done: number, total: number) => void,
): Promise<{ isa: string; rows: CompareRow[]; agreement: AgreementRow[] }> {
  let isa = '';
  const rows: CompareRow[] = [];
  const agreement: AgreementRow[] = [];
  const total = options.models.length * options.dtypes.length * options.workloads.length;
  update(0, total);
  for (const model of options.models)
    for (const dtype of options.dtypes) {
      const { directory, gguf } = weights(model, dtype, options.cache);
      const { workloads, threads } = options;
      const sequences = Math.max(...workloads.map(({ batch }) => batch));
      const tokens = Math.max(...workloads.map(({ context }) => context)) + 1;
      const other = await peer.open(gguf, threads, sequences, tokens);
      try {
        const close = await agreementOf(addon, other, model, directory, dtype, options);
        agreement.push({ shape: model.shape.name, dtype, peer_weights: peerWeights[dtype], ...close });
        const own = await addon.openBench({
          modelDir: directory,
          isa: options.isa,
          dtype,
          threads,
          maxTokens: Math.max(...workloads.map(poolTokens)),
          maxRows: Math.max(...workloads.map(rowsOf)),
        });
        isa = own.isa;
        for (const workload of workloads) {
          rows.push(await compareOn(own, other, model, dtype, workload, options));
          update(rows.length, total);
        }
        own.close();
      } finally {
        await other.close();
      }
    }
  return { isa, rows, agreement };
}

/** The weights as each side reads them, made when they are not there. */
function weights(
  { shape, directory }: BenchModel,
  dtype: WeightFormat,
  cache: string,
): { directory: string; gguf: string } {
  mkdirSync(cache, { recursive: true });
  const found = directory ?? writeRandomModel(shape, join(cache, shape.name));
  const gguf = join(cache, `${shape.name}-${peerWeights[dtype]}.gguf`);
  if (directory !== undefined || !existsSync(gguf)) writeModelGguf(found, gguf, peerWeights[dtype]);
  return { directory: found, gguf };
}

async function compareOn(
  own: NativeBench,
  other: PeerModel,
  model: BenchModel,
  dtype: WeightFormat,
  workload: Workload,
  { rounds, seconds, clock }: CompareOptions,
): Promise<CompareRow> {
  const tokens = tokensOf(Math.max(workload.context, 1024), model.shape.vocabSize);
  const otherPass = await other.ready(workload, tokens, clock);
  const passes = passesOf(workload);
  const ownPass = async (): Promise<number> =>
    (await timed(clock, () => own.run({ ...workload, passes }))) / passes;
  const ownTimes: number[] = [];
  const otherTimes: number[] = [];
  for (let round = 0; round < rounds; ++round) {
    ownTimes.push(await turn(ownPass, seconds));
    otherTimes.push(await turn(otherPass, seconds));
  }
  const speeds = (times: readonly number[]): number[] => times.map((time) => rowsOf(workload) / time);
  return {
    shape: model.shape.name,
    ...workload,
    threads: own.threads,
    dtype,
    peer_weights: peerWeights[dtype],
    tokens_per_s: spread(speeds(ownTimes)),
    peer_tokens_per_s: spread(speeds(otherTimes)),
    ratio: spread(ownTimes.map((time, round) => (otherTimes[round] as number) / time)),
    rounds,
  };
}

/** Both engines' logits for the same tokens: they must compute the same function up to the rounding of the weights. */
async function agreementOf(
  addon: NativeAddon,
  other: PeerModel,
  { shape }: BenchModel,
  modelDir: string,
  dtype: WeightFormat,
  { isa, threads }: CompareOptions,
): Promise<Agreement> {
  const tokens = tokensOf(agreementTokens, shape.vocabSize);
  const engine = await addon.loadEngine({
    modelDir,
    device: 'cpu',
    isa,
    dtype,
    threads,
    pages: 16,
    pageTokens: 16,
    maxRows: agreementTokens,
    maxSequences: 1,
    hostCacheBytes: 0,
    drafts: 'off',
  });
  const sum = new AgreementSum();
  try {
    sum.add(engine.logits(tokens), await other.logits(tokens, shape.vocabSize), shape.vocabSize);
  } finally {
    await engine.dispose();
  }
  return sum.result();
}
