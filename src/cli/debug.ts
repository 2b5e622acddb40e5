/** `foretrace debug`: a pdb-like prompt over the service (its own, in this process, or one at --connect). */
import { Command } from 'commander';
import { readStart } from '../wire/start-state.js';
import { addConnectionOptions, type ConnectionFlags, connect } from './connection.js';
import { DebugPrompt } from './debug-prompt.js';
import { addEngineOptions, type EngineFlags } from './engine-options.js';
import { readSource } from './source-file.js';

interface DebugFlags extends EngineFlags, ConnectionFlags {
  call: string;
  script?: string;
  start?: string;
  json?: boolean;
}

export function debugCommand(): Command {
  const command = new Command('debug').description('step through a program without running it');
  return addConnectionOptions(addEngineOptions(command))
    .argument('<file>', 'Python file')
    .requiredOption('--call <expression>', 'the entry: one call expression')
    .option('--start <state>', 'state to start at, as JSON: needed where the entry is written f(...)')
    .option('--script <commands>', 'commands separated by semicolons instead of a prompt')
    .option('--json', 'one JSON object a state, a value or a candidate')
    .action(debug);
}

async function debug(file: string, flags: DebugFlags): Promise<void> {
  const source = readSource(file);
  const start = flags.start === undefined ? {} : { start: readStart(flags.start) };
  const { client, stop } = await connect(flags, { reconnect: true });
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
