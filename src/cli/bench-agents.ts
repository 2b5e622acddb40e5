/** `foretrace bench agents`: many clients over real sockets against a service in a process of its own. */
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Command, InvalidArgumentError } from 'commander';
import { writeAgentsReport } from '../bench/agents/files.js';
import type { PhaseReport } from '../bench/agents/phase.js';
import { loadRates, loadTurns, phasePlans } from '../bench/agents/plan.js';
import type { RawWorkload } from '../bench/agents/raw-agent.js';
import { SocketPort } from '../bench/agents/raw-socket.js';
import { agentsReport, agentsTable } from '../bench/agents/report.js';
import {
  type Crew,
  closeCrew,
  debugCrew,
  type LoadTest,
  type PhasePlan,
  rawCrew,
  runPhase,
  socketUrl,
  type Target,
} from '../bench/agents/run.js';
import { startServer } from '../bench/agents/server-process.js';
import { defaultWorkload, readWorkload, type Workload } from '../bench/agents/workload.js';
import { ForetraceError } from '../errors.js';
import { makeFolder } from '../eval/files.js';
import { addEngineOptions, type EngineFlags, wholeNumber } from './engine-options.js';
import { watched } from './progress.js';
import { shapeOption } from './serve.js';
import { addTuningOptions, type TuningFlags } from './tuning.js';

interface AgentsFlags extends EngineFlags, TuningFlags {
  agents: number;
  turns: number;
  phases: string[];
  warmRounds: number;
  rate?: number;
  workload?: string;
  fresh?: boolean;
  seed: number;
  url?: string;
  apiKey?: string;
  loadCurve?: boolean;
  rates?: number[];
  loadSeconds: number;
  out?: string;
  json?: boolean;
  raw?: boolean;
  shape?: string;
  context: number;
  contexts: number;
  append: number;
  generate: number;
}

const phaseNames = ['cold', 'warm'];

export function benchAgentsCommand(): Command {
  const command = new Command('agents')
    .description('many clients at once over real sockets: turns a second, latency, caches, fairness')
    .option('--agents <n>', 'clients', wholeNumber(1), 32)
    .option('--turns <n>', 'turns of each client in a phase', wholeNumber(1), 32)
    .option(
      '--phases <list>',
      'cold (an empty store), warm (the same questions again)',
      phaseList,
      phaseNames,
    )
    .option('--warm-rounds <n>', 'how often the warm phase asks all questions', wholeNumber(1), 8)
    .option('--rate <n>', 'open loop: turns asked a second, all clients together', positive)
    .option('--workload <file>', 'programs and mix of actions (docs/serving.md; default: four examples)')
    .option('--fresh', 'never be answered from the store')
    .option('--seed <n>', 'draws programs, actions, tokens and arrivals', wholeNumber(0), 1)
    .option('--url <url>', 'a service that runs already, e.g. http://127.0.0.1:7331 (default: start one)')
    .option('--api-key <key>', 'its API key')
    .option('--load-curve', 'then an open loop at rising rates, and a plot of latency against load')
    .option(
      '--rates <list>',
      'rates of the load curve (default: parts of what the last phase reached)',
      rateList,
    )
    .option('--load-seconds <n>', 'length of each point of the curve', wholeNumber(1), 5)
    .option('--out <dir>', 'write report.json, report.md and the plot there')
    .option('--json', 'print one JSON object')
    .option('--raw', 'plain token turns, as any serving engine takes them')
    .addOption(shapeOption())
    .option('--context <n>', 'raw: tokens of each shared context', wholeNumber(1), 600)
    .option('--contexts <n>', 'raw: shared contexts', wholeNumber(1), 4)
    .option('--append <n>', 'raw: tokens a client appends', wholeNumber(0), 12)
    .option('--generate <n>', 'raw: tokens to generate', wholeNumber(1), 64);
  return addTuningOptions(addEngineOptions(command)).action(benchAgents);
}

function phaseList(text: string): string[] {
  const names = text.split(',');
  if (names.length > 0 && names.every((name) => phaseNames.includes(name))) return names;
  throw new InvalidArgumentError(`expected ${phaseNames.join(', ')} or both`);
}

function positive(text: string): number {
  const value = Number(text);
  if (!Number.isFinite(value) || value <= 0) throw new InvalidArgumentError('expected a number above 0');
  return value;
}

const rateList = (text: string): number[] => text.split(',').map(positive);

async function benchAgents(flags: AgentsFlags): Promise<void> {
  // What cannot be read or written should not be measured first.
  const workload = flags.workload === undefined ? defaultWorkload() : readWorkload(flags.workload);
  if (flags.out) makeFolder(flags.out);
  const server = flags.url === undefined ? await startServer(script, serveArgs(flags)) : null;
  try {
    const base = server?.base ?? (flags.url as string).replace(/\/+$/, '');
    const target = { base, ...(flags.apiKey === undefined ? {} : { apiKey: flags.apiKey }) };
    const { engine } = await serviceInfo(base);
    const raw = flags.raw ? rawWorkload(flags, engine.vocabSize) : null;
    const { phases, load } = await measure(flags, target, workload, raw);
    const report = agentsReport(
      {
        workload: raw ? { name: flags.shape ? `raw ${flags.shape}` : 'raw', ...raw } : describe(workload),
        seed: flags.seed,
        turns_per_agent: flags.turns,
        machine: { cpu: cpus()[0]?.model ?? 'unknown', cores: cpus().length, node: process.version },
        server: engine,
      },
      phases,
      load,
    );
    if (flags.out) await writeAgentsReport(flags.out, report);
    console.log(flags.json ? JSON.stringify(report) : agentsTable(report));
    if (flags.out && !flags.json) console.log(`\nwritten to ${flags.out}`);
  } finally {
    await server?.stop();
  }
}

const script = fileURLToPath(new URL('../../bin/foretrace.js', import.meta.url));

/** The engine of the service that is started is the one the flags name. */
function serveArgs(flags: AgentsFlags): string[] {
  const { model, shape, rows, stepMillis } = flags;
  return [
    ...(model === undefined ? [] : ['--model', model]),
    ...['--device', flags.device, '--isa', flags.isa, '--dtype', flags.dtype],
    ...['--threads', String(flags.threads), '--pages', String(flags.pages)],
    ...(rows === undefined ? [] : ['--rows', String(rows)]),
    ...(stepMillis === undefined ? [] : ['--step-millis', String(stepMillis)]),
    ...(flags.ahead === false ? ['--no-ahead'] : []),
    ...(flags.drafts ? [] : ['--no-drafts']),
    ...(flags.raw ? ['--raw'] : []),
    ...(shape === undefined ? [] : ['--shape', shape]),
  ];
}

/** @throws ForetraceError disconnected */
async function serviceInfo(
  base: string,
): Promise<{ engine: Record<string, unknown> & { vocabSize: number } }> {
  try {
    const response = await fetch(`${base}/v1/info`);
    return (await response.json()) as Awaited<ReturnType<typeof serviceInfo>>;
  } catch (cause) {
    throw new ForetraceError(
      'disconnected',
      `no service answers at ${base}`,
      { expected: 'a running service', actual: cause instanceof Error ? cause.message : String(cause) },
      { cause },
    );
  }
}

function rawWorkload(flags: AgentsFlags, vocabSize: number): RawWorkload {
  const { context, contexts, append, generate, seed, agents } = flags;
  return { context, contexts: Math.min(contexts, agents), append, generate, seed, vocabSize };
}

const describe = ({ name, programs, turns, turnsPerSession, thinkMillis }: Workload) => ({
  name,
  programs: programs.map((program) => program.name),
  actions: turns.map(({ action, weight, mode }) => ({ action, weight, mode })),
  turns_per_session: turnsPerSession,
  think_ms: thinkMillis,
});

async function measure(
  flags: AgentsFlags,
  target: Target,
  workload: Workload,
  raw: RawWorkload | null,
): Promise<{ phases: PhaseReport[]; load: PhaseReport[] }> {
  const { agents, seed, fresh = false } = flags;
  const thinkMillis = raw ? 0 : workload.thinkMillis;
  const crew = raw
    ? await rawCrew(() => SocketPort.connect(socketUrl(target), target.apiKey), raw, agents)
    : await debugCrew(target, workload, { agents, seed, fresh, cycle: flags.turns });
  try {
    const phases = await runPlans(
      crew,
      target,
      { agents, seed, thinkMillis },
      phasePlans({ ...flags, isRaw: raw !== null }),
    );
    if (!flags.loadCurve) return { phases, load: [] };
    const rates = flags.rates ?? loadRates(phases.at(-1) as PhaseReport);
    const plans = rates.map((rate) => ({
      name: `${rate}/s`,
      turns: loadTurns(rate, flags.loadSeconds, agents),
      rate,
    }));
    return { phases, load: await runPlans(crew, target, { agents, seed }, plans) };
  } finally {
    await closeCrew(crew);
  }
}

async function runPlans(
  crew: Crew,
  target: Target,
  test: LoadTest,
  plans: readonly PhasePlan[],
): Promise<PhaseReport[]> {
  const reports: PhaseReport[] = [];
  for (const plan of plans) {
    const run = (onProgress: (done: number, total: number) => void): Promise<PhaseReport> =>
      runPhase(crew, target.base, { ...test, onProgress }, plan);
    reports.push(await watched(plan.name, run));
  }
  return reports;
}
