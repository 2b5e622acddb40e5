/** `foretrace mcp`: tools for coding agents, over standard input and output. */
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { Command } from 'commander';
import { ForetraceError } from '../errors.js';
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

/** Tells when it has closed itself: at the end of its input, or where it could not read on. */
class Transport extends StdioServerTransport {
  private end: () => void = () => undefined;
  readonly ended = new Promise<void>((resolve) => {
    this.end = resolve;
  });

  override async close(): Promise<void> {
    await super.close();
    this.end();
  }
}

/** Until the agent closes its end, or the process is told to end. @throws ForetraceError message_too_large */
async function mcp(flags: EngineFlags & ConnectionFlags): Promise<void> {
  const connection = new SharedConnection(flags);
  const sessions = new Sessions(connection.client);
  const version = packageVersion();
  const transport = new Transport();
  let problem: Error | undefined;
  const served = serveStdio(() => createMcpServer({ sessions, version, readSource }), {
    transport,
    onerror: (error) => {
      problem = error;
      console.error(`foretrace: ${error.message}`);
    },
  });
  try {
    const isOver = await Promise.race([transport.ended.then(() => true), stopSignal().then(() => false)]);
    if (isOver && !process.stdin.readableEnded) throw unreadable(problem);
  } finally {
    await served.close();
    await sessions.endAll();
    await connection.stop();
    process.stdin.destroy();
  }
}

const unreadable = (cause: Error | undefined): ForetraceError =>
  new ForetraceError(
    'message_too_large',
    'the agent sent what cannot be read',
    { expected: 'messages of at most 10 MiB, one a line', ...(cause ? { actual: cause.message } : {}) },
    { cause },
  );
