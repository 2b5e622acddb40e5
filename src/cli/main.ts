/** `foretrace COMMAND`: reads the command line and hands over; every command is a file of its own. Exit codes: 0 done, 1 failed, 2 usage. */
import { Command, CommanderError } from 'commander';
import { asForetraceError, type ForetraceError } from '../errors.js';
import { benchCommand } from './bench.js';
import { dapCommand } from './dap.js';
import { debugCommand } from './debug.js';
import { evalCommand } from './eval.js';
import { infoCommand } from './info.js';
import { mcpCommand } from './mcp.js';
import { serveCommand } from './serve.js';
import { traceCommand } from './trace.js';
import { packageVersion } from './version.js';

function program(): Command {
  const root = new Command('foretrace')
    .description('A neural debugger: predicts what a debugger would show, without running the program.')
    .version(packageVersion());
  for (const command of [
    serveCommand(),
    debugCommand(),
    dapCommand(),
    mcpCommand(),
    traceCommand(),
    evalCommand(),
    benchCommand(),
    infoCommand(),
  ])
    root.addCommand(command);
  overrideExits(root);
  return root;
}

/** Commands that were added do not take over from their parent that usage errors are thrown. */
function overrideExits(command: Command): void {
  command.exitOverride().showHelpAfterError('(--help tells more)');
  for (const child of command.commands) overrideExits(child);
}

/** A reader that has seen enough (`foretrace ... | head`) is no error; an output that takes no more (a full disk) is one. */
function endWhereNothingCanBeWritten({ code, message }: NodeJS.ErrnoException): never {
  if (code === 'EPIPE') process.exit(0);
  console.error(`foretrace: unreadable_file: standard output cannot be written: ${message}`);
  process.exit(1);
}

function report({ code, message, details, cause, stack }: ForetraceError, json: boolean): void {
  if (json) {
    console.error(JSON.stringify({ error: { code, message, ...details } }));
    return;
  }
  const { expected, actual, line, column } = details;
  const place =
    line === undefined ? '' : ` (line ${line}${column === undefined ? '' : `, column ${column}`})`;
  console.error(`foretrace: ${code}: ${message}${place}`);
  if (expected) console.error(`  expected: ${expected}`);
  if (actual) console.error(`  actual:   ${actual}`);
  if (code === 'internal') console.error(cause instanceof Error ? cause.stack : stack);
}

/** Runs the command line and returns the exit code. */
export async function main(args: readonly string[]): Promise<number> {
  process.stdout.off('error', endWhereNothingCanBeWritten).on('error', endWhereNothingCanBeWritten);
  try {
    await program().parseAsync(args, { from: 'user' });
    return Number(process.exitCode ?? 0);
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    report(asForetraceError(error), args.includes('--json'));
    return 1;
  }
}
