/** Measures forward passes of models against the limits of the machine. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type {
  EngineOptions,
  MachineLimits,
  NativeAddon,
  NativeBench,
  WeightFormat,
} from '../native/addon-types.js';
import { type EngineReport, engineRow, machineRow } from './engine-report.js';
import { configOf, kvBytesPerToken, type ModelShape } from './model-shape.js';
import { lastPosition, poolTokens, rowsOf, type Workload } from './workloads.js';

/** What is measured: a directory, or random weights of a shape. */
export interface BenchModel {
  shape: ModelShape;
  directory?: string;
}

export interface EngineBenchOptions {
  models: readonly BenchModel[];
  dtypes: readonly WeightFormat[];
  threads: readonly number[];
  isa: EngineOptions['isa'];
  workloads: readonly Workload[];
  /** Seconds for every measurement. */
  seconds: number;
  /** Most bytes of the KV pool; workloads that need more are left out. */
  poolBytes: number;
}

type Results = Pick<EngineReport, 'machine' | 'machines' | 'rows' | 'left_out'>;

/** Calls `work` with a directory that holds nothing but the config of a shape. */
async function withConfig<Result>(
  shape: ModelShape,
  work: (directory: string) => Promise<Result>,
): Promise<Result> {
  const directory = mkdtempSync(join(tmpdir(), 'foretrace-shape-'));
  try {
    writeFileSync(join(directory, 'config.json'), JSON.stringify(configOf(shape)));
    return await work(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Why a workload cannot be measured on this model, or null. */
function obstacle(
  workload: Workload,
  shape: ModelShape,
  dtype: WeightFormat,
  poolBytes: number,
): string | null {
  const tokens = lastPosition(workload) + 1;
  if (tokens > shape.maxContext) return `the model has a context of ${shape.maxContext} tokens`;
  const needed = poolTokens(workload) * kvBytesPerToken(shape, dtype);
  if (needed <= poolBytes) return null;
  return `keys and values need ${(needed / 2 ** 30).toFixed(1)} GiB, more than --pool allows`;
}

/** One run over everything; `update` is called before and after every measurement. */
export async function runEngineBench(
  addon: NativeAddon,
  options: EngineBenchOptions,
  update: (done: number, total: number) => void,
): Promise<Results> {
  const { models, dtypes, threads, workloads } = options;
  const total = threads.length * (1 + models.length * dtypes.length * workloads.length);
  let done = 0;
  const advance = (steps: number): void => {
    done += steps;
    update(done, total);
  };
  advance(0);
  const results: Results = { machine: undefined as never, machines: [], rows: [], left_out: [] };
  for (const count of threads) {
    const limits = await addon.measureMachine({ isa: options.isa, threads: count });
    results.machines.push(machineRow(limits, dtypes));
    advance(1);
    for (const model of models)
      for (const dtype of dtypes) await measureModel(addon, options, model, dtype, limits, results, advance);
  }
  results.machine = results.machines[0] as EngineReport['machine'];
  return results;
}

async function measureModel(
  addon: NativeAddon,
  options: EngineBenchOptions,
  model: BenchModel,
  dtype: WeightFormat,
  limits: MachineLimits,
  results: Results,
  advance: (steps: number) => void,
): Promise<void> {
  const { shape } = model;
  const possible: Workload[] = [];
  for (const workload of options.workloads) {
    const why = obstacle(workload, shape, dtype, options.poolBytes);
    if (why === null) possible.push(workload);
    else results.left_out.push({ shape: shape.name, dtype, workload, why });
  }
  advance(options.workloads.length - possible.length);
  if (possible.length === 0) return;
  const bench = await openModel(addon, options, model, dtype, limits.threads, possible);
  try {
    for (const workload of possible) {
      const found = await bench.measure({ ...workload, seconds: options.seconds });
      results.rows.push(engineRow(shape.name, dtype, workload, found, limits));
      advance(1);
    }
  } finally {
    bench.close();
  }
}

function openModel(
  addon: NativeAddon,
  { isa }: EngineBenchOptions,
  { shape, directory }: BenchModel,
  dtype: WeightFormat,
  threads: number,
  workloads: readonly Workload[],
): Promise<NativeBench> {
  const open = (modelDir: string, seed?: number): Promise<NativeBench> =>
    addon.openBench({
      modelDir,
      isa,
      dtype,
      threads,
      maxTokens: Math.max(...workloads.map(poolTokens)),
      maxRows: Math.max(...workloads.map(rowsOf)),
      ...(seed === undefined ? {} : { randomWeightsSeed: seed }),
    });
  return directory === undefined ? withConfig(shape, (config) => open(config, 1)) : open(directory);
}
