/** `foretrace eval steps`: accuracy of single predictions on recorded cases. */
import { SingleBar } from 'cli-progress';
import { Command } from 'commander';
import { readCases } from '../eval/cases.js';
import { stepsTable } from '../eval/report.js';
import { evaluateSteps } from '../eval/steps.js';
import { addEngineOptions, type EngineFlags, wholeNumber } from './engine-options.js';
import { interpreter } from './python.js';
import { startRuntime } from './runtime.js';

interface StepsFlags extends EngineFlags {
  data: string;
  concurrency: number;
  json?: boolean;
}

export function evalCommand(): Command {
  const steps = new Command('steps')
    .description('exact match of single predictions, by action, beside the rule-only baseline')
    .requiredOption('--data <file>', 'cases, one JSON object a line: {id, source, call, actions, states}')
    .option('--concurrency <n>', 'programs asked about at once', wholeNumber(1), 32)
    .option('--json', 'print one JSON object');
  return new Command('eval')
    .description('measure a model')
    .addCommand(addEngineOptions(steps).action(evalSteps));
}

async function evalSteps(flags: StepsFlags): Promise<void> {
  const data = await readCases(flags.data, interpreter());
  const runtime = await startRuntime(flags);
  const bar = process.stderr.isTTY
    ? new SingleBar({ format: 'predicting [{bar}] {value}/{total} {eta_formatted}', stream: process.stderr })
    : null;
  try {
    bar?.start(0, 0);
    const report = await evaluateSteps(runtime.access, data, {
      concurrency: flags.concurrency,
      onProgress: (done, total) => {
        bar?.setTotal(total);
        bar?.update(done);
      },
    });
    bar?.stop();
    console.log(flags.json ? JSON.stringify(report) : stepsTable(report));
  } finally {
    bar?.stop();
    await runtime.close();
  }
}
