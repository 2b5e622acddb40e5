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

/** A progress bar on standard error, in a terminal only. */
class Progress {
  private readonly bar: SingleBar | null;

  constructor(what: string) {
    const format = `${what} [{bar}] {value}/{total} {eta_formatted}`;
    this.bar = process.stderr.isTTY ? new SingleBar({ format, stream: process.stderr }) : null;
    this.bar?.start(0, 0);
  }

  readonly update = (done: number, total: number): void => {
    this.bar?.setTotal(total);
    this.bar?.update(done);
  };

  stop(): void {
    this.bar?.stop();
  }
}

async function watched<Result>(
  what: string,
  work: (update: Progress['update']) => Promise<Result>,
): Promise<Result> {
  const progress = new Progress(what);
  try {
    return await work(progress.update);
  } finally {
    progress.stop();
  }
}

async function evalSteps(flags: StepsFlags): Promise<void> {
  const data = await watched('running programs', (onProgress) =>
    readCases(flags.data, interpreter(), onProgress),
  );
  const runtime = await startRuntime(flags);
  try {
    const report = await watched('predicting', (onProgress) =>
      evaluateSteps(runtime.access, data, { concurrency: flags.concurrency, onProgress }),
    );
    console.log(flags.json ? JSON.stringify(report) : stepsTable(report));
  } finally {
    await runtime.close();
  }
}
