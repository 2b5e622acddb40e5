/** `foretrace eval operations`: what single operations on values come to, by their size. */
import { join } from 'node:path';
import { Command } from 'commander';
import { makeFolder, writeFile } from '../eval/files.js';
import { evaluateOperations, readOperations } from '../eval/operations.js';
import { operationsMarkdown, operationsReport } from '../eval/operations-report.js';
import { addEngineOptions, type EngineFlags, wholeNumber } from './engine-options.js';
import { watched } from './progress.js';
import { startRuntime } from './runtime.js';

interface OperationsFlags extends EngineFlags {
  data: string;
  concurrency: number;
  out?: string;
  json?: boolean;
}

export function operationsCommand(): Command {
  const command = new Command('operations')
    .description('single operations on values of growing size')
    .requiredOption(
      '--data <file>',
      'cases, one JSON object a line: {id, operation, size, locals, expression, value}',
    )
    .option('--concurrency <n>', 'expressions asked for at once', wholeNumber(1), 32)
    .option('--out <dir>', 'write report.json, report.md and results.jsonl there')
    .option('--json', 'print one JSON object');
  return addEngineOptions(command).action(evalOperations);
}

async function evalOperations(flags: OperationsFlags): Promise<void> {
  const cases = readOperations(flags.data);
  if (flags.out) makeFolder(flags.out);
  const runtime = await startRuntime(flags);
  try {
    const run = await watched('predicting', (onProgress) =>
      evaluateOperations(runtime.access, cases, flags.concurrency, onProgress),
    );
    const report = operationsReport(run);
    const markdown = operationsMarkdown(report);
    if (flags.out) {
      writeFile(join(flags.out, 'report.json'), `${JSON.stringify(report, null, 1)}\n`);
      writeFile(join(flags.out, 'report.md'), `${markdown}\n`);
      const lines = run.results.map((result) => JSON.stringify(result));
      writeFile(join(flags.out, 'results.jsonl'), `${lines.join('\n')}\n`);
    }
    console.log(flags.json ? JSON.stringify(report) : markdown);
  } finally {
    await runtime.close();
  }
}
