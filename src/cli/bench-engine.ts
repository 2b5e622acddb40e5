/** `foretrace bench engine`: prefill and decode of one model, as shares of what this machine can do. */
import { Command, Option } from 'commander';
import { engineLines } from '../bench/engine-report.js';
import { runEngineBench } from '../bench/run-engine.js';
import { workloadsOf } from '../bench/workloads.js';
import type { EngineOptions, WeightFormat } from '../native/addon-types.js';
import { loadAddon } from '../native/load.js';
import {
  addModelOptions,
  addReportOptions,
  benchModels,
  dtypeList,
  numberList,
  positiveNumber,
  publishReport,
  type ReportFlags,
} from './bench-options.js';
import { isaNames } from './engine-options.js';
import { watched } from './progress.js';

interface Flags extends ReportFlags {
  model?: string;
  shape?: string[];
  dtype: WeightFormat[];
  isa: EngineOptions['isa'];
  threads: number[];
  batch: number[];
  context: number[];
  prefill: number[];
  seconds: number;
  pool: number;
}

export function benchEngineCommand(): Command {
  const command = new Command('engine').description(
    'prefill and decode speed of the engine on the CPU, as a share of what this machine can do',
  );
  addModelOptions(command)
    .option('--dtype <list>', 'number formats of the weights', dtypeList, ['bf16', 'int8'] as WeightFormat[])
    .addOption(new Option('--isa <set>', 'CPU instruction set').choices(isaNames).default('auto'))
    .option('--threads <list>', 'threads of the CPU backend, 0 = one a core', numberList(0), [0])
    .option('--batch <list>', 'sequences that decode together', numberList(1), [1, 4, 8, 16, 32, 64])
    .option('--context <list>', 'tokens of a sequence that decodes', numberList(1), [512])
    .option('--prefill <list>', 'tokens of a prefill', numberList(1), [512])
    .option('--seconds <n>', 'time for every measurement', positiveNumber, 0.5)
    .option('--pool <GiB>', 'most memory for keys and values', positiveNumber, 4)
    .action(benchEngine);
  return addReportOptions(command, 'bench/results/engine.json');
}

async function benchEngine(flags: Flags): Promise<void> {
  const options = {
    models: benchModels(flags),
    dtypes: flags.dtype,
    threads: flags.threads,
    isa: flags.isa,
    workloads: workloadsOf(flags),
    seconds: flags.seconds,
    poolBytes: flags.pool * 2 ** 30,
  };
  const results = await watched('measuring', (update) => runEngineBench(loadAddon(), options, update));
  publishReport(flags, results, engineLines);
}
