#!/usr/bin/env node
/**
 * A client beside one that sends fifty times as much: latency of its questions alone and then beside the other, over real sockets against a service of its
 * own process, each client a process of its own too.
 *
 *   node bench/two-clients.mjs --turns 200 --agents 50
 *
 * Prints one JSON object: percentiles of the small client alone and beside the large one, their ratio, and how much the large one got answered.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    turns: { type: 'string', default: '200' },
    agents: { type: 'string', default: '50' },
    'step-millis': { type: 'string', default: '10' },
  },
});
for (const [name, text] of Object.entries(values)) {
  if (/^[1-9]\d*$/.test(text)) continue;
  console.error(`--${name}: expected a whole number from 1, got ${text}`);
  process.exit(2);
}

const script = fileURLToPath(new URL('../bin/foretrace.js', import.meta.url));
const children = [];
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

function start(...args) {
  const child = spawn(process.execPath, [script, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  return child;
}

async function outputOf(child) {
  let text = '';
  child.stdout.on('data', (chunk) => {
    text += chunk;
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`a client ended with ${code}`);
  return text;
}

const client = (address, key, agents, turns) =>
  start(
    ...['bench', 'agents', '--url', address, '--api-key', key, '--agents', agents],
    ...['--turns', turns, '--phases', 'cold', '--fresh', '--json'],
  );

async function counters(address) {
  const text = await (await fetch(`${address}/metrics`)).text();
  return Object.fromEntries(
    [...text.matchAll(/^foretrace_(\w+) (\S+)$/gm)].map(([, name, value]) => [name, Number(value)]),
  );
}

const server = start(
  ...['serve', '--host', '127.0.0.1', '--port', '0', '--json', '--step-millis', values['step-millis']],
  ...['--api-key', 'small', 'large'],
);
const [line] = await once(createInterface({ input: server.stdout }), 'line');
const { address } = JSON.parse(line);

const alone = JSON.parse(await outputOf(client(address, 'small', '1', values.turns)));
const large = client(address, 'large', values.agents, '1000000');
large.stdout.resume();
await sleep(4000);
const before = await counters(address);
const beside = JSON.parse(await outputOf(client(address, 'small', '1', values.turns)));
const after = await counters(address);
large.kill('SIGKILL');
const answered = after.scheduler_requests_model_total - before.scheduler_requests_model_total;
const figures = ({ latency_ms, first_event_ms, turns_per_s, errors }) => ({
  latency_ms,
  first_event_ms,
  turns_per_s,
  errors,
});
const ratio = (name) => beside.latency_ms[name] / alone.latency_ms[name];
console.log(
  JSON.stringify(
    {
      agents: Number(values.agents),
      row_budget: after.scheduler_row_budget,
      alone: figures(alone),
      beside: figures(beside),
      ratio: { p50: ratio('p50'), p95: ratio('p95') },
      large_predictions_per_small_turn: (answered - Number(values.turns)) / Number(values.turns),
    },
    null,
    2,
  ),
);
process.exit(0);
