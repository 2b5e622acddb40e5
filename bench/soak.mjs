#!/usr/bin/env node
/**
 * Mixed load through the scheduler, sessions and engine of the shipped model for a long time: memory must stay flat.
 *
 *   node bench/soak.mjs [--minutes 10] [--clients 12] [--seed 1] [--no-drafts] [--out bench/results/soak.json]
 *
 * The clients debug the examples, each call with arguments that were never asked about: single steps, jumps, walks, steps back, several candidates at a
 * temperature, expressions, edits, forks, questions of low priority, questions that are cancelled while they are computed, questions with a deadline, and
 * plain token sequences without a grammar. The stores of answers are small, so that they are full soon and stay full. Ten times a minute garbage is
 * collected and a line says how much memory is resident. The first third of the time is for warming up; the median of what is resident in the last third may
 * then exceed that of the middle third by 2 % and 4 MiB at most. Every minute the load pauses, and nothing may be in use then: no page, no sequence.
 *
 * Prints a line for each sample and a last line that says how it ended, writes everything as JSON, and exits with 1 if memory grew, a page was lost or an
 * answer failed that should not have. Needs `npm run build`.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Random } from '../dist/bench/agents/random.js';
import { examplePrograms } from '../dist/bench/walk/programs.js';
import { shippedModel } from '../dist/cli/engine-options.js';
import { parseProgram } from '../dist/debugger/program.js';
import { loadEngine } from '../dist/native/engine.js';
import { createScheduler } from '../dist/scheduler/index.js';
import { DebugSession } from '../dist/session/debug-session.js';
import { StateStore } from '../dist/trajectory/index.js';

const { values: flags } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    clients: { type: 'string', default: '12' },
    seed: { type: 'string', default: '1' },
    'no-drafts': { type: 'boolean', default: false },
    out: { type: 'string', default: 'bench/results/soak.json' },
  },
});
const number = (name) => {
  const value = Number(flags[name]);
  if (Number.isFinite(value) && value > 0) return value;
  console.error(`--${name}: expected a number above 0, got ${flags[name]}`);
  process.exit(2);
};
const [minutes, clients, seed] = ['minutes', 'clients', 'seed'].map(number);

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc');

/** What a session or a question may end with here; anything else is a failure. */
const expected = new Set([
  ...['walk_too_long', 'past_end', 'past_start', 'context_too_long', 'cancelled', 'deadline_exceeded'],
  ...['invalid_action', 'invalid_expression', 'invalid_state', 'overloaded', 'hidden_arguments'],
]);

const engine = await loadEngine({
  modelDir: shippedModel(),
  device: 'cpu',
  // So few that all of them are soon touched: memory that is used for the first time looks like growth.
  pages: 384,
  drafts: flags['no-drafts'] ? 'off' : 'auto',
});
const scheduler = createScheduler(engine, { storeBytes: 2 ** 20 });
const access = {
  service: scheduler,
  modelDigest: engine.info.modelDigest,
  maxContext: engine.info.maxContext,
  maxAnswerTokens: 256,
  trajectory: new StateStore(4 * 2 ** 20),
};
const programs = examplePrograms();
const counts = {};
const failures = [];
const count = (name) => {
  counts[name] = (counts[name] ?? 0) + 1;
};

const act = (session, kind, options = {}) => session.act({ kind, lines: [] }, options);
const lineOf = (session, random) => random.pick(session.program.executableLines ?? [1]);

/** What a client does with a session, each by its weight. */
const turns = [
  { weight: 8, name: 'step_into', run: (session) => act(session, 'step_into') },
  { weight: 6, name: 'step_over', run: (session) => act(session, 'step_over', { fresh: true }) },
  { weight: 2, name: 'step_return', run: (session) => act(session, 'step_return') },
  { weight: 2, name: 'inv_step_into', run: (session) => act(session, 'inv_step_into', { fresh: true }) },
  { weight: 2, name: 'walk', run: (session) => act(session, 'continue', { mode: 'walk', maxSteps: 12 }) },
  {
    weight: 2,
    name: 'batch',
    run: (session) => act(session, 'step_over', { priority: 'batch', fresh: true }),
  },
  { weight: 1, name: 'evaluate', run: (session) => session.evaluate('1 + 1') },
  { weight: 1, name: 'candidates', run: candidates },
  { weight: 1, name: 'breakpoint', run: breakpoint },
  { weight: 1, name: 'fork', run: fork },
  { weight: 1, name: 'edit', run: edit },
  { weight: 2, name: 'cancel', run: cancel },
  {
    weight: 1,
    name: 'deadline',
    run: (session) => act(session, 'step_over', { deadline: performance.now() + 5, fresh: true }),
  },
  { weight: 1, name: 'tokens', run: plainTokens },
];

function candidates(session) {
  return session.candidates({ kind: 'step_over', lines: [] }, { count: 3 });
}

function breakpoint(session, random) {
  return session.act({ kind: 'breakpoint', lines: [lineOf(session, random)] }, { fresh: true });
}

async function fork(session, random) {
  const other = session.fork(`fork ${random.below(1e9)}`);
  await Promise.all([act(other, 'step_into', { fresh: true }), act(session, 'step_over', { fresh: true })]);
}

async function edit(session, random) {
  const [name] = session.current.state.frames.at(-1).locals.keys();
  if (name === undefined) return;
  session.edit(0, new Map([[name, `${random.below(100)}`]]));
  await act(session, 'step_over');
}

async function cancel(session, random) {
  const controller = new AbortController();
  const asked = act(session, 'step_over', { signal: controller.signal, fresh: true });
  setTimeout(() => controller.abort(), random.below(6));
  await asked;
}

function plainTokens(_session, random) {
  const tokens = (length) => Int32Array.from({ length }, () => random.below(engine.info.vocabSize));
  return scheduler.submit({
    client: 'plain',
    priority: 'batch',
    prompt: tokens(20 + random.below(200)),
    sharedTokens: 0,
    sampling: { temperature: 0.8, topP: 0.9, seed: random.below(1e6) },
    maxNewTokens: 1 + random.below(60),
    stopToken: 3,
  });
}

async function attempt(name, work) {
  try {
    const result = await work();
    count(name);
    return result;
  } catch (error) {
    count(error.code ?? 'thrown');
    if (!expected.has(error.code)) failures.push(`${name}: ${error.stack}`);
    return null;
  }
}

let stops = false;
let pausing = false;
let working = 0;

async function client(index) {
  const random = new Random(seed, index);
  const sampling = { temperature: index % 3 === 0 ? 0.8 : 0, topP: 0.95, seed: index };
  while (!stops) {
    while (pausing && !stops) await sleep(5);
    const program = random.pick(programs);
    working += 1;
    const session = await attempt('open', () =>
      DebugSession.open(access, parseProgram(program.source, program.call(random)), {
        id: `session ${index}`,
        client: `client ${index}`,
        sampling,
        maxStates: 64,
      }),
    );
    for (let turn = 0; session !== null && turn < 16 && !stops && !pausing; turn += 1) {
      const { name, run } = random.weighted(turns);
      await attempt(name, async () => run(session, random));
    }
    working -= 1;
  }
}

const samples = [];
function sample(began) {
  collectGarbage();
  const { rss, heapUsed, external, arrayBuffers } = process.memoryUsage();
  const { tokens } = scheduler.stats();
  const seconds = (performance.now() - began) / 1000;
  samples.push({ seconds, rss, heapUsed, external, arrayBuffers });
  const mib = (bytes) => (bytes / 2 ** 20).toFixed(1).padStart(7);
  console.log(
    `${seconds.toFixed(0).padStart(5)} s  resident ${mib(rss)} MiB  heap ${mib(heapUsed)} MiB  ` +
      `${tokens.generated} tokens generated, ${tokens.accepted} of ${tokens.drafted} drafted right`,
  );
}

/** Lets everybody end what they are at; then nothing may be held. */
async function rest() {
  pausing = true;
  while (working > 0) await sleep(5);
  while (scheduler.stats().running > 0 || scheduler.stats().queued > 0) await sleep(5);
  const { usedPages, openSequences } = engine.stats();
  if (usedPages > 0 || openSequences > 0)
    failures.push(`at rest: ${usedPages} pages, ${openSequences} sequences`);
  engine.checkInvariants();
  pausing = false;
}

const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;

function verdict() {
  const third = Math.floor(samples.length / 3);
  const middle = median(samples.slice(third, 2 * third).map(({ rss }) => rss));
  const last = median(samples.slice(2 * third).map(({ rss }) => rss));
  const allowed = middle * 1.02 + 4 * 2 ** 20;
  return { middle, last, allowed, flat: third > 0 && last <= allowed };
}

const began = performance.now();
const everybody = Array.from({ length: clients }, (_, index) => client(index));
const everyMillis = Math.min(6_000, (minutes * 60_000) / 30);
for (let next = 1; performance.now() - began < minutes * 60_000; next += 1) {
  await sleep(Math.max(0, next * everyMillis - (performance.now() - began)));
  if (next % 10 === 0) await rest();
  sample(began);
}
await rest();
stops = true;
await Promise.all(everybody);
const memory = verdict();
const { tokens, endings, preemptions } = scheduler.stats();
await scheduler.close();
await engine.dispose();

const report = {
  date: new Date().toISOString(),
  command: `node bench/soak.mjs ${process.argv.slice(2).join(' ')}`.trim(),
  engine: engine.info,
  ...{ minutes, clients, seed, memory, counts, tokens, endings, preemptions, failures, samples },
};
mkdirSync(dirname(flags.out), { recursive: true });
writeFileSync(flags.out, `${JSON.stringify(report, null, 2)}\n`);
const mib = (bytes) => (bytes / 2 ** 20).toFixed(1);
console.log(JSON.stringify(counts));
for (const failure of failures.slice(0, 10)) console.error(failure);
console.log(
  `resident: ${mib(memory.middle)} MiB in the middle third, ${mib(memory.last)} MiB in the last (allowed ${mib(memory.allowed)}): ` +
    `${memory.flat ? 'flat' : 'GREW'}; ${failures.length} failures; written to ${flags.out}`,
);
process.exitCode = memory.flat && failures.length === 0 ? 0 : 1;
