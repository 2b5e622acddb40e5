#!/usr/bin/env node
/**
 * The raw workload of `foretrace bench agents --raw` against this service and against other engines, in one run, on the same weights: int8 here, Q8_0
 * there. `npm install --prefix bench/peers`, then `node bench/peers/agents.mjs --help`.
 */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Command, Option } from 'commander';
import { agentsReport, agentsTable } from '../../dist/bench/agents/report.js';
import { closeCrew, rawCrew, runPhase } from '../../dist/bench/agents/run.js';
import { writeModelGguf } from '../../dist/bench/model-gguf.js';
import { namedShape, shapeNames, shapeOfDirectory } from '../../dist/bench/model-shape.js';
import { writeRandomModel } from '../../dist/bench/random-model.js';
import { llamaServerAt, startLlamaServer } from './llama-server.mjs';
import { openNodeLlamaCpp } from './node-llama-cpp.mjs';

const script = fileURLToPath(new URL('../../bin/foretrace.js', import.meta.url));
const here = fileURLToPath(new URL('.', import.meta.url));
const number = (text) => Number.parseInt(text, 10);

const command = new Command('agents.mjs')
  .description('plain token turns of many agents: this service and its peers, on the same weights')
  .addOption(new Option('--shape <name>', 'random weights of this shape').choices(shapeNames).default('S30'))
  .option('--model <dir>', 'or the weights of this directory')
  .option('--cache <dir>', 'where weights and their conversion are kept', join(tmpdir(), 'foretrace-peers'))
  .option('--agents <n>', 'agents', number, 32)
  .option('--turns <n>', 'turns of each', number, 4)
  .option('--peer-turns <n>', 'turns of each against the peers (default: as many)', number)
  .option('--context <n>', 'tokens of each shared context', number, 600)
  .option('--contexts <n>', 'shared contexts', number, 4)
  .option('--append <n>', 'tokens an agent appends', number, 12)
  .option('--generate <n>', 'tokens to generate', number, 64)
  .option('--threads <n>', 'threads of each engine', number, 2)
  .option('--parallel <n>', 'sequences of the peer', number, 16)
  .option('--seed <n>', 'draws the tokens', number, 1)
  .option('--node-llama-cpp <folder>', 'folder that node-llama-cpp is installed in', here)
  .option('--no-node-llama-cpp', 'compare with llama-server alone')
  .option('--llama-server <binary>', 'a llama-server to start')
  .option('--llama-server-url <url>', 'a llama-server that runs, with the same weights')
  .option('--out <file>', 'write the reports as JSON')
  .option('--json', 'print JSON');

/** What the service itself does: its server and its agents are processes of their own. */
async function ours(flags, model) {
  const args = [
    ...['bench', 'agents', '--raw', '--json', '--model', model, '--dtype', 'int8'],
    ...['agents', 'turns', 'context', 'contexts', 'append', 'generate', 'threads', 'seed'].flatMap((name) => [
      `--${name}`,
      String(flags[name]),
    ]),
  ];
  const { stdout } = await promisify(execFile)(process.execPath, [script, ...args], { maxBuffer: 1 << 26 });
  return { ...JSON.parse(stdout), engine: { name: 'foretrace', weights: 'int8', threads: flags.threads } };
}

/** One peer under the same agents. */
async function theirs(flags, peer, vocabSize) {
  const { agents, context, contexts, append, generate, seed } = flags;
  const workload = { context, contexts: Math.min(contexts, agents), append, generate, seed, vocabSize };
  const turns = flags.peerTurns ?? flags.turns;
  try {
    const crew = await rawCrew(peer.connect, workload, agents);
    const phase = await runPhase(crew, null, { agents, seed }, { name: 'raw', turns });
    await closeCrew(crew);
    const machine = { cpu: cpus()[0]?.model ?? 'unknown', cores: cpus().length, node: process.version };
    const facts = {
      workload: { name: 'raw', ...workload },
      seed,
      turns_per_agent: turns,
      machine,
      server: {},
    };
    return { ...agentsReport(facts, [phase], []), engine: peer.facts };
  } finally {
    await peer.close();
  }
}

async function peersOf(flags, gguf) {
  const { threads, parallel, context, append, generate } = flags;
  // llama.cpp rounds contexts up to 256 tokens.
  const contextSize = Math.ceil((context + append + generate + 1) / 256) * 256;
  const common = { gguf, parallel, threads, contextSize };
  return [
    flags.nodeLlamaCpp && (() => openNodeLlamaCpp({ folder: flags.nodeLlamaCpp, ...common })),
    flags.llamaServer && (() => startLlamaServer({ binary: flags.llamaServer, ...common })),
    flags.llamaServerUrl && (async () => llamaServerAt(flags.llamaServerUrl)),
  ].filter(Boolean);
}

/** The weights as this service reads them, and as its peers do. */
function weights({ shape, model, cache }) {
  const directory = model ?? writeRandomModel(namedShape(shape), join(cache, shape));
  const gguf = join(cache, `${model ? shapeOfDirectory(model).name : shape}-Q8_0.gguf`);
  mkdirSync(cache, { recursive: true });
  if (!existsSync(gguf)) writeModelGguf(directory, gguf, 'Q8_0');
  return { directory, gguf };
}

async function main(flags) {
  const { directory, gguf } = weights(flags);
  const { vocabSize } = shapeOfDirectory(directory);
  const reports = [await ours(flags, directory)];
  for (const open of await peersOf(flags, gguf)) reports.push(await theirs(flags, await open(), vocabSize));
  const [own, ...others] = reports;
  const ratios = Object.fromEntries(
    others.map((other) => [other.engine.name, own.turns_per_s / other.turns_per_s]),
  );
  const result = { shape: flags.model ? shapeOfDirectory(directory).name : flags.shape, ratios, reports };
  if (flags.out) {
    mkdirSync(dirname(resolve(flags.out)), { recursive: true });
    writeFileSync(flags.out, `${JSON.stringify(result, null, 2)}\n`);
  }
  if (flags.json) return console.log(JSON.stringify(result));
  for (const report of reports) console.log(`${report.engine.name}: ${agentsTable(report)}\n`);
  for (const [name, ratio] of Object.entries(ratios)) {
    console.log(`${result.shape}: ${ratio.toFixed(1)} times the turns a second of ${name}`);
  }
}

await main(command.parse().opts());
process.exit(0);
