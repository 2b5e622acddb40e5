/** `foretrace bench compare`: this engine against llama.cpp on the same weights, pass by pass. */
import { join } from 'node:path';
import { Command, Option } from 'commander';
import { type Clock, clocks } from '../bench/compare/clock.js';
import { defaultCache, installPeer, peerVersion } from '../bench/compare/install.js';
import { Peer } from '../bench/compare/peer.js';
import { compareLines, readableRows } from '../bench/compare/report.js';
import { runCompare } from '../bench/compare/run.js';
import { workloadsOf } from '../bench/workloads.js';
import { ForetraceError } from '../errors.js';
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
import { isaNames, wholeNumber } from './engine-options.js';
import { watched } from './progress.js';

interface Flags extends ReportFlags {
  model?: string;
  shape?: string[];
  dtype: WeightFormat[];
  isa: EngineOptions['isa'];
  threads: number;
  batch: number[];
  context: number[];
  prefill: number[];
  rounds: number;
  seconds: number;
  clock: Clock;
  cache: string;
  install: boolean;
}

export function benchCompareCommand(): Command {
  const command = new Command('compare').description(
    `forward passes of this engine and of node-llama-cpp ${peerVersion}, in turns, on the same weights`,
  );
  addModelOptions(command)
    .option('--dtype <list>', 'number formats; against int8 stands Q8_0', dtypeList, [
      'int8',
      'bf16',
    ] as WeightFormat[])
    .addOption(
      new Option('--isa <set>', 'CPU instruction set of this engine').choices(isaNames).default('auto'),
    )
    .option('--threads <n>', 'threads of each engine', wholeNumber(1), 2)
    .option('--batch <list>', 'sequences that decode together', numberList(1), [1, 32])
    .option('--context <list>', 'tokens of a sequence that decodes', numberList(1), [512])
    .option('--prefill <list>', 'tokens of a prefill, at most 512', numberList(1), [512])
    .option('--rounds <n>', 'turns of each engine on every workload', wholeNumber(1), 5)
    .option('--seconds <n>', 'time of a turn', positiveNumber, 0.4)
    .addOption(
      new Option('--clock <clock>', 'wall, or processor time, which others on the machine disturb less')
        .choices(clocks)
        .default('wall'),
    )
    .option('--cache <dir>', 'where weights and the peer are kept', defaultCache())
    .option('--install', `fetch node-llama-cpp ${peerVersion} with npm and stop`)
    .action(benchCompare);
  return addReportOptions(command, 'bench/results/compare.json');
}

async function benchCompare(flags: Flags): Promise<void> {
  if (flags.clock === 'cpu' && flags.threads > 1) {
    throw new ForetraceError('invalid_argument', '--clock cpu goes with one thread', {
      expected: '--threads 1',
      actual: `--threads ${flags.threads}`,
    });
  }
  const folder = installPeer(flags.cache);
  if (flags.install) return console.log(`node-llama-cpp ${peerVersion} is in ${folder}`);
  const addon = loadAddon();
  const peer = await Peer.load(folder, peerVersion, flags.threads);
  // Sequences with prefixes of their own are left to `bench engine`: here all begin with the same tokens.
  const workloads = workloadsOf(flags).filter(({ batch, shared }) => batch === 1 || shared);
  const options = { ...flags, models: benchModels(flags), dtypes: flags.dtype, workloads };
  options.cache = join(flags.cache, 'models');
  const { rows, agreement, isa } = await watched('comparing', (update) =>
    runCompare(addon, peer, options, update),
  );
  await peer.dispose();
  const results = {
    isa,
    threads: flags.threads,
    clock: flags.clock,
    peer: { ...peer.facts, flash_attention: true as const },
    rows: readableRows(rows),
    agreement,
  };
  publishReport(flags, results, compareLines);
}
