/** `foretrace dap`: a debug adapter for editors, over standard input and output or on a port. */
import { type AddressInfo, createServer } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { Command } from 'commander';
import { ForetraceAdapter } from '../dap/adapter.js';
import { addConnectionOptions, type ConnectionFlags, SharedConnection } from './connection.js';
import { addEngineOptions, type EngineFlags, wholeNumber } from './engine-options.js';
import { stopSignal, unusableAddress } from './listening.js';
import { readSource } from './source-file.js';

/** The protocol knows no keys: only this machine may connect. */
const loopback = '127.0.0.1';

interface DapFlags extends EngineFlags, ConnectionFlags {
  port?: number;
}

export function dapCommand(): Command {
  const command = new Command('dap').description('serve the Debug Adapter Protocol to an editor');
  return addConnectionOptions(addEngineOptions(command))
    .option(
      '--port <n>',
      `take clients on this port of ${loopback} (0: a free one) instead of standard input and output`,
      wholeNumber(0),
    )
    .action(dap);
}

async function dap(flags: DapFlags): Promise<void> {
  const connection = new SharedConnection(flags);
  const clients = new Clients(connection);
  try {
    if (flags.port === undefined)
      await Promise.race([clients.serve(process.stdin, process.stdout), stopSignal()]);
    else await listen(flags.port, clients);
    await clients.end();
  } finally {
    await connection.stop();
    process.stdin.destroy();
  }
}

/** The clients that are served now: each has an adapter of its own. */
class Clients {
  private readonly served = new Map<ForetraceAdapter, Promise<void>>();

  constructor(private readonly connection: SharedConnection) {}

  /** Until the client has gone or has let its program go. */
  serve(input: Readable, output: Writable): Promise<void> {
    let ended = (): void => {};
    const served = new Promise<void>((resolve) => {
      ended = resolve;
    });
    const { client: connect } = this.connection;
    const adapter = new ForetraceAdapter({ connect, readSource, ended });
    this.served.set(adapter, served);
    adapter.start(input, output);
    return served.finally(() => this.served.delete(adapter));
  }

  /** Gives back the sessions of those that are still there. */
  async end(): Promise<void> {
    for (const adapter of this.served.keys()) adapter.shutdown();
    await Promise.all(this.served.values());
  }
}

/** Until the process is told to end. @throws ForetraceError unusable_address */
async function listen(port: number, clients: Clients): Promise<void> {
  const server = createServer({ noDelay: true }, (socket) => {
    socket.on('error', () => socket.destroy());
    void clients.serve(socket, socket).finally(() => socket.destroySoon());
  });
  await new Promise<void>((resolve, reject) => {
    server.on('error', reject);
    server.listen(port, loopback, resolve); // throws where the port is no number of a port
  }).catch((cause: unknown) => {
    throw unusableAddress(loopback, port, cause);
  });
  console.error(`debug adapter on ${loopback}:${(server.address() as AddressInfo).port}`);
  await stopSignal();
  server.close();
}
