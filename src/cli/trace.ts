/** `foretrace trace`: a real run, for comparison. The tracer is Python's; this only hands over. */
import { Command } from 'commander';
import { wholeNumber } from './engine-options.js';
import { runPython } from './python.js';

interface TraceFlags {
  call: string;
  json?: boolean;
  maxEvents?: number;
  timeout?: number;
}

/** What the tracer takes. */
const most = 999_999_999;

export function traceCommand(): Command {
  return new Command('trace')
    .description('run a program for real and print its events')
    .argument('<file>', 'Python file')
    .requiredOption('--call <expression>', 'the entry: one call expression')
    .option('--json', 'one JSON event a line')
    .option('--max-events <n>', 'stop after this many events', wholeNumber(1, most))
    .option('--timeout <seconds>', 'stop after this time', wholeNumber(1, most))
    .action(trace);
}

async function trace(file: string, flags: TraceFlags): Promise<void> {
  // So that neither the call nor the file is taken for an option there.
  const args = ['trace', `--call=${flags.call}`];
  if (flags.json) args.push('--json');
  if (flags.maxEvents !== undefined) args.push('--max-events', String(flags.maxEvents));
  if (flags.timeout !== undefined) args.push('--timeout', String(flags.timeout));
  args.push('--', file);
  process.exitCode = await runPython(args);
}
