/** Runs the phases of a load test against a service that listens. */
import { DebugAgent, type DebugAgentOptions } from './debug-agent.js';
import { type Agent, type DriveOptions, drive } from './driver.js';
import { type PhaseReport, phaseReport } from './phase.js';
import { Random } from './random.js';
import { RawAgent, type RawPort, type RawWorkload } from './raw-agent.js';
import { difference, readFigures } from './server-figures.js';
import type { Workload } from './workload.js';

export interface Target {
  /** For example `http://127.0.0.1:7331`. */
  readonly base: string;
  readonly apiKey?: string;
}

export const socketUrl = ({ base }: Target): string => `${base.replace(/^http/, 'ws')}/v1/socket`;

export interface PhasePlan {
  readonly name: string;
  /** Turns of each agent. */
  readonly turns: number;
  /** Questions a second of all agents together; without it the loop is closed. */
  readonly rate?: number;
}

export interface LoadTest {
  readonly agents: number;
  readonly seed: number;
  readonly thinkMillis?: number;
  readonly onProgress?: (done: number, total: number) => void;
}

/** Agents that are connected, and what they tell beside their turns. */
export interface Crew {
  readonly agents: readonly Agent[];
  /** Times it took to open sessions; emptied by each phase. */
  readonly openMillis: number[];
}

/** @throws ForetraceError disconnected, unauthorized */
export async function debugCrew(
  target: Target,
  workload: Workload,
  { agents, seed, fresh, cycle }: LoadTest & Pick<DebugAgentOptions, 'fresh' | 'cycle'>,
): Promise<Crew> {
  const openMillis: number[] = [];
  const options = {
    url: socketUrl(target),
    ...(target.apiKey === undefined ? {} : { apiKey: target.apiKey }),
    workload,
    seed,
    fresh,
    cycle,
    onOpen: (millis: number) => void openMillis.push(millis),
  };
  const connected = Array.from({ length: agents }, (_, index) => DebugAgent.connect(index, options));
  return { agents: await Promise.all(connected), openMillis };
}

/** Raw agents over whatever ports `connect` makes. */
export async function rawCrew(
  connect: (index: number) => Promise<RawPort>,
  workload: RawWorkload,
  agents: number,
): Promise<Crew> {
  const connected = Array.from({ length: agents }, async (_, index) => {
    return new RawAgent(await connect(index), index, workload);
  });
  return { agents: await Promise.all(connected), openMillis: [] };
}

/** @param base where the counters of the server are; null: it has none that we know */
export async function runPhase(
  crew: Crew,
  base: string | null,
  { agents, seed, thinkMillis = 0, onProgress }: LoadTest,
  { name, turns, rate }: PhasePlan,
): Promise<PhaseReport> {
  const before = base === null ? null : await readFigures(base);
  const cpu = process.cpuUsage();
  let done = 0;
  const options: DriveOptions = {
    turns,
    ...(rate === undefined ? {} : { rate }),
    thinkMillis,
    random: new Random(seed, -1).unit,
    onTurn: () => {
      done += 1;
      onProgress?.(done, agents * turns);
    },
  };
  const result = await drive(crew.agents, options);
  const { user, system } = process.cpuUsage(cpu);
  const after = base === null ? null : await readFigures(base);
  const openMillis = crew.openMillis.splice(0);
  const clientCpuMillis = (user + system) / 1000;
  const facts = { phase: name, agents, openMillis, clientCpuMillis, server: difference(before, after) };
  return phaseReport(result, { ...facts, ...(rate === undefined ? {} : { rate }) });
}

/** Closes all sessions and connections; what is gone already is no error. */
export async function closeCrew({ agents }: Crew): Promise<void> {
  await Promise.all(agents.map((agent) => agent.close().catch(() => undefined)));
}
