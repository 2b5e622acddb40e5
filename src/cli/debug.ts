/** `foretrace debug`: a pdb-like prompt over the service (its own, in this process, or one at --connect). */
import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { ForetraceClient } from '../client/client.js';
import { ForetraceError } from '../errors.js';
import { DebugPrompt } from './debug-prompt.js';
import { readStart } from './debug-start.js';
import { addEngineOptions, type EngineFlags } from './engine-options.js';
import { serverOver, startRuntime } from './runtime.js';

interface DebugFlags extends EngineFlags {
  call: string;
  script?: string;
  start?: string;
  json?: boolean;
  connect?: string;
  apiKey?: string;
}

export function debugCommand(): Command {
  const command = new Command('debug').description('step through a program without running it');
  return addEngineOptions(command)
    .argument('<file>', 'Python file')
    .requiredOption('--call <expression>', 'the entry: one call expression')
    .option('--start <state>', 'state to start at, as JSON: needed where the entry is written f(...)')
    .option('--script <commands>', 'commands separated by semicolons instead of a prompt')
    .option('--json', 'one JSON object a state, a value or a candidate')
    .option('--connect <url>', 'use a running service, for example http://127.0.0.1:7331')
    .option('--api-key <key>', 'API key of that service')
    .action(debug);
}

function readSource(file: string): string {
  try {
    // As Python reads it: UTF-8 or nothing, without the mark that some editors put first.
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file));
  } catch (cause) {
    throw new ForetraceError(
      'unreadable_file',
      `cannot read ${file}`,
      { expected: 'a Python file in UTF-8', actual: cause instanceof Error ? cause.message : String(cause) },
      { cause },
    );
  }
}

/** A client of `--connect`, or of a service of this process on a free loopback port. */
async function connect(flags: DebugFlags): Promise<{ client: ForetraceClient; stop: () => Promise<void> }> {
  if (flags.connect) {
    const client = await ForetraceClient.connect(flags.connect, flags.apiKey ? { apiKey: flags.apiKey } : {});
    return { client, stop: () => client.close() };
  }
  const runtime = await startRuntime(flags);
  const server = await serverOver(runtime);
  const address = await server.app.listen({ host: '127.0.0.1', port: 0 });
  const client = await ForetraceClient.connect(address);
  const stop = async (): Promise<void> => {
    await client.close();
    await server.drain(0);
    await runtime.close();
  };
  return { client, stop };
}

async function debug(file: string, flags: DebugFlags): Promise<void> {
  const source = readSource(file);
  const start = flags.start === undefined ? {} : { start: readStart(flags.start) };
  const { client, stop } = await connect(flags);
  try {
    const prompt = await DebugPrompt.open(client, {
      source,
      call: flags.call,
      json: flags.json ?? false,
      ...start,
    });
    try {
      if (flags.script === undefined) await prompt.interact();
      else await prompt.runScript(flags.script);
    } finally {
      await prompt.close();
    }
  } finally {
    await stop();
  }
}
