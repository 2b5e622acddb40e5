/** `foretrace mcp`: tools for coding agents, over standard input and output. */
import { once } from 'node:events';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { Command } from 'commander';
import { createMcpServer } from '../mcp/server.js';
import { Sessions } from '../mcp/sessions.js';
import { addConnectionOptions, type ConnectionFlags, SharedConnection } from './connection.js';
import { addEngineOptions, type EngineFlags } from './engine-options.js';
import { stopSignal } from './listening.js';
import { readSource } from './source-file.js';
import { packageVersion } from './version.js';

export function mcpCommand(): Command {
  const command = new Command('mcp').description('serve the Model Context Protocol to a coding agent');
  return addConnectionOptions(addEngineOptions(command)).action(mcp);
}

/** Until the agent closes its end, or the process is told to end. */
async function mcp(flags: EngineFlags & ConnectionFlags): Promise<void> {
  const connection = new SharedConnection(flags);
  const sessions = new Sessions(connection.client);
  const version = packageVersion();
  const ended = Promise.race([once(process.stdin, 'close'), once(process.stdin, 'end'), stopSignal()]);
  const served = serveStdio(() => createMcpServer({ sessions, version, readSource }), {
    onerror: ({ message }) => console.error(`foretrace: ${message}`),
  });
  try {
    await ended;
  } finally {
    await served.close();
    await sessions.endAll();
    await connection.stop();
    process.stdin.destroy();
  }
}
