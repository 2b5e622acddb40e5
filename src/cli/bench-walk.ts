/** `foretrace bench walk`: steps of a walk with and without drafts, and what JavaScript costs beside the engine. */
import { cpus } from 'node:os';
import { Command } from 'commander';
import { readWorkload } from '../bench/agents/workload.js';
import { examplePrograms, workloadPrograms } from '../bench/walk/programs.js';
import { walkLines } from '../bench/walk/report.js';
import { runWalkBench, type WalkEngine } from '../bench/walk/run.js';
import type { SchedulerOptions } from '../scheduler/index.js';
import { addReportOptions, numberList, publishReport, type ReportFlags } from './bench-options.js';
import { addEngineOptions, type EngineFlags, wholeNumber } from './engine-options.js';
import { watched } from './progress.js';
import { startRuntime } from './runtime.js';

interface Flags extends EngineFlags, ReportFlags {
  clients: number[];
  rounds: number;
  walks: number;
  maxSteps: number;
  cold?: boolean;
  generate: number;
  seed: number;
  workload?: string;
}

export function benchWalkCommand(): Command {
  const command = new Command('walk')
    .description('latency of the steps of a walk, with and without drafts, and the share of JavaScript')
    .option('--clients <list>', 'clients that walk at once', numberList(1), [1, 32])
    .option('--rounds <n>', 'rounds with new arguments, each with drafts and without', wholeNumber(1), 5)
    .option('--walks <n>', 'walks in a round, all clients together', wholeNumber(1), 12)
    .option('--max-steps <n>', 'most steps of a walk', wholeNumber(1), 32)
    .option('--cold', 'new engines in every round: no past answers, empty caches')
    .option(
      '--generate <n>',
      'tokens each sequence generates for the share of JavaScript',
      wholeNumber(1),
      128,
    )
    .option('--seed <n>', 'draws the arguments', wholeNumber(0), 1)
    .option('--workload <file>', 'programs (docs/serving.md; default: the examples, with random arguments)');
  return addEngineOptions(addReportOptions(command, 'bench/results/walk.json')).action(benchWalk);
}

async function benchWalk(flags: Flags): Promise<void> {
  const { workload, clients, rounds, walks, maxSteps, generate, seed, cold = false } = flags;
  const programs = workload === undefined ? examplePrograms() : workloadPrograms(readWorkload(workload));
  let engine: Record<string, unknown> = {};
  // Passes as the service makes them: how many rows they may have is measured, once, for two measurements may differ by more than drafts give.
  let tuning: SchedulerOptions | undefined;
  const open = async (drafts: boolean): Promise<WalkEngine> => {
    const runtime = await startRuntime({ ...flags, drafts, rows: 0 }, { tuning });
    const { engine: native, scheduler, access, close } = runtime;
    tuning = runtime.tuning;
    engine = { ...native.info };
    return { access, vocabSize: native.info.vocabSize, stats: () => scheduler.stats(), close };
  };
  const options = { programs, clients, rounds, walks, maxSteps, generate, seed, cold, open };
  const results = await watched('walking', (update) => runWalkBench(options, update));
  const report = {
    machine: { cpu: cpus()[0]?.model ?? 'unknown', cores: cpus().length, node: process.version },
    engine,
    rounds,
    ...results,
  };
  publishReport(flags, report, walkLines);
}
