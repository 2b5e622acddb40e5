/** The service a command works with: one that runs already, or its own in this process. */
import type { Command } from 'commander';
import { type ClientOptions, ForetraceClient } from '../client/client.js';
import type { EngineFlags } from './engine-options.js';
import { serverOver, startRuntime } from './runtime.js';

export interface ConnectionFlags {
  connect?: string;
  apiKey?: string;
}

export interface Connection {
  readonly client: ForetraceClient;
  readonly stop: () => Promise<void>;
}

export const addConnectionOptions = (command: Command): Command =>
  command
    .option('--connect <url>', 'use a running service, for example http://127.0.0.1:7331')
    .option('--api-key <key>', 'API key of that service');

/** Who has a service to himself may think for as long as he likes; timers take no more. */
const forever = 2 ** 31 - 1;
const unhurried = { connectionIdleMillis: forever, sessionIdleMillis: forever };

/** A client of `--connect`, or of a service of this process on a free loopback port. */
export async function connect(
  flags: EngineFlags & ConnectionFlags,
  options: ClientOptions = {},
): Promise<Connection> {
  if (flags.connect) {
    const key = flags.apiKey ? { apiKey: flags.apiKey } : {};
    const client = await ForetraceClient.connect(flags.connect, { ...options, ...key });
    return { client, stop: () => client.close() };
  }
  const runtime = await startRuntime(flags);
  const server = await serverOver(runtime, { limits: unhurried });
  const address = await server.app.listen({ host: '127.0.0.1', port: 0 });
  const client = await ForetraceClient.connect(address, options);
  const stop = async (): Promise<void> => {
    await client.close();
    await server.drain(0);
    await runtime.close();
  };
  return { client, stop };
}

/** A connection that is made when it is first needed, and once however many need it. */
export class SharedConnection {
  private connection: Promise<Connection> | null = null;

  constructor(private readonly flags: EngineFlags & ConnectionFlags) {}

  readonly client = async (): Promise<ForetraceClient> => {
    this.connection ??= connect(this.flags, { reconnect: true });
    try {
      return (await this.connection).client;
    } catch (error) {
      this.connection = null; // the next one who needs it tries again
      throw error;
    }
  };

  async stop(): Promise<void> {
    await (await this.connection?.catch(() => null))?.stop();
  }
}
