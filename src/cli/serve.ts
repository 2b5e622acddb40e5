/** `foretrace serve`: the service, until SIGTERM or SIGINT. */
import { type AddressInfo, isIPv6 } from 'node:net';
import { Command, Option } from 'commander';
import { shapeNames } from '../bench/model-shape.js';
import { ForetraceError } from '../errors.js';
import { TrajectoryFile } from '../persistence/trajectory-file.js';
import type { ServerApp } from '../server/app.js';
import { answererOf } from '../session/step.js';
import { apiKeysOf } from './api-keys.js';
import { addEngineOptions, type EngineFlags, wholeNumber } from './engine-options.js';
import { HttpAgents } from './http-agents.js';
import { stopSignal, unusableAddress } from './listening.js';
import { type Runtime, serverOver, startRuntime } from './runtime.js';
import { addTuningOptions, type TuningFlags } from './tuning.js';

interface ServeFlags extends EngineFlags, TuningFlags {
  host: string;
  port: number;
  apiKey?: string[];
  grace: number;
  log?: boolean;
  json?: boolean;
  store?: string;
  sessionIdle: number;
  raw?: boolean;
  shape?: string;
}

export function serveCommand(): Command {
  const command = new Command('serve').description('serve a model over WebSocket (protobuf) and HTTP (JSON)');
  return addTuningOptions(addEngineOptions(command))
    .option('--host <host>', 'address to bind to', '127.0.0.1')
    .option('--port <port>', 'port, 0 = any free one', wholeNumber(0), 7331)
    .option('--api-key <key...>', 'let only these keys in (also FORETRACE_API_KEYS, separated by commas)')
    .option('--grace <seconds>', 'time for running requests when stopping', wholeNumber(0), 10)
    .option('--session-idle <seconds>', 'forget sessions that nobody uses for so long', wholeNumber(1), 1800)
    .option('--store <file>', 'keep predicted transitions in this SQLite file and start warm from it')
    .option('--raw', 'take raw token turns too, also with a model that does not speak the trace language')
    .addOption(shapeOption())
    .option('--log', 'log requests as JSON lines')
    .option('--json', 'print the address as JSON')
    .action(serve);
}

/** For load tests without a model: its answers mean nothing. */
export const shapeOption = (): Option =>
  new Option('--shape <name>', 'with --raw: random weights of this shape').choices(shapeNames);

async function serve(flags: ServeFlags): Promise<void> {
  const apiKeys = apiKeysOf(flags.apiKey, process.env.FORETRACE_API_KEYS);
  const raw = flags.raw ?? false;
  const { shape } = flags;
  const runtime = await startRuntime(flags, { raw, ...(shape === undefined ? {} : { shape }) });
  const file = flags.store === undefined ? null : await openStore(flags.store, runtime);
  const limits = { sessionIdleMillis: flags.sessionIdle * 1000 };
  const agents = new HttpAgents();
  const server = await serverOver(runtime, { apiKeys, limits, raw, log: flags.log ?? false, agents });
  const address = await listen(server, flags).catch(async (error) => {
    await file?.close();
    await runtime.close();
    throw error;
  });
  agents.reach(reachable(server));
  const { device, deviceReason, isa, threads, parameters } = runtime.engine.info;
  const facts = { address, device, deviceReason, isa, threads, parameters };
  if (flags.json) console.log(JSON.stringify(facts));
  else {
    const millions = (parameters / 1e6).toFixed(1);
    console.log(
      `foretrace listens on ${address} (${millions}M parameters on ${device}, ${isa}, ${threads} threads)`,
    );
    if (deviceReason) console.log(`foretrace ${deviceReason}`);
  }
  await stopSignal();
  if (!flags.json) console.log('foretrace is draining');
  await server.drain(flags.grace * 1000);
  await agents.end();
  await runtime.close();
  await file?.close();
}

/** The file's transitions are in the store, and what comes from now on will be in the file. @throws ForetraceError unreadable_file */
async function openStore(path: string, runtime: Runtime): Promise<TrajectoryFile> {
  let file: TrajectoryFile | undefined;
  try {
    if (runtime.access.dialect) throw unstorable(runtime.access.dialect.name);
    file = TrajectoryFile.open(path, answererOf(runtime.access));
    file.restore(runtime.trajectory);
    file.follow(runtime.trajectory);
    return file;
  } catch (error) {
    await file?.close();
    await runtime.close();
    throw error;
  }
}

/** A file does not hold the ways that led to states, which such a model's answers depend on. */
const unstorable = (dialect: string): ForetraceError =>
  new ForetraceError('invalid_argument', `transitions of the dialect ${dialect} cannot be kept in a file`, {
    expected: 'no --store',
  });

/** Where this process reaches a server that listens, maybe on all addresses. */
function reachable({ app }: ServerApp): string {
  const { address, port } = app.server.address() as AddressInfo;
  const host = address === '0.0.0.0' ? '127.0.0.1' : address === '::' ? '::1' : address;
  return `http://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

/** @throws ForetraceError unusable_address */
async function listen({ app }: ServerApp, { host, port }: ServeFlags): Promise<string> {
  try {
    return await app.listen({ host, port });
  } catch (cause) {
    throw unusableAddress(host, port, cause);
  }
}
