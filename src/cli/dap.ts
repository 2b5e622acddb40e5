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
  const serve = (input: Readable, output: Writable): Promise<void> =>
    new Promise((ended) =>
      new ForetraceAdapter({ connect: connection.client, readSource, ended }).start(input, output),
    );
  try {
    if (flags.port === undefined) await serve(process.stdin, process.stdout);
    else await listen(flags.port, serve);
  } finally {
    await connection.stop();
    process.stdin.destroy();
  }
}

/** Until the process is told to end. @throws ForetraceError unusable_address */
async function listen(
  port: number,
  serve: (input: Readable, output: Writable) => Promise<void>,
): Promise<void> {
  const server = createServer({ noDelay: true }, (socket) => {
    socket.on('error', () => socket.destroy());
    void serve(socket, socket).finally(() => socket.end());
  });
  await new Promise<void>((resolve, reject) => {
    server.on('error', (cause) => reject(unusableAddress(loopback, port, cause)));
    server.listen(port, loopback, resolve);
  });
  console.error(`debug adapter on ${loopback}:${(server.address() as AddressInfo).port}`);
  await stopSignal();
  server.close();
}
