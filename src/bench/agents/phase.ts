/** What one phase of a run measured, in the form it is printed in. Pure. */
import type { Failure, RunResult, Sample } from './driver.js';
import { jainIndex, type Percentiles, percentilesOf } from './statistics.js';

/** Percentiles in milliseconds. */
export interface LatencyReport extends Percentiles {}

/** Counters of the server over the phase; null where it does not tell them. */
export interface ServerTokens {
  /** Prompt tokens found in the prefix cache. */
  readonly cached: number;
  /** Prompt tokens computed. */
  readonly computed: number;
  readonly generated: number;
  readonly forced: number;
  /** Requests answered by the computation of an equal one. */
  readonly joined: number;
  readonly preemptions: number;
  readonly steps: number;
  readonly rows: number;
  /** Seconds of all its processors. */
  readonly cpu: number;
}

export interface PhaseReport {
  readonly phase: string;
  readonly agents: number;
  readonly turns: number;
  readonly seconds: number;
  readonly turns_per_s: number;
  readonly generated_tokens_per_s: number;
  /** From the question (in the open loop from when it was meant to be asked) to the whole answer. */
  readonly latency_ms: LatencyReport;
  readonly first_event_ms: LatencyReport;
  /** Open loop: from when the question was really asked. */
  readonly service_ms: LatencyReport;
  readonly open_ms: LatencyReport | null;
  readonly by_action: Readonly<Record<string, LatencyReport>>;
  readonly by_origin: Readonly<Record<string, LatencyReport>>;
  readonly origins: Readonly<Record<string, number>>;
  /** Share of prompt tokens that were not computed; 1 where nothing was, null where the server does not tell. */
  readonly cached_share: number | null;
  /** Share of answers that no computation of their own was needed for. */
  readonly stored_share: number;
  readonly server: ServerTokens | null;
  /** Processor time for each turn, milliseconds: of the service, and of the clients together. */
  readonly cpu_ms: { readonly server: number | null; readonly clients: number };
  /** Jain's index of the agents' speeds: turns for each second of waiting. */
  readonly fairness: number;
  readonly rate: number | null;
  readonly errors: number;
  readonly error_codes: Readonly<Record<string, number>>;
}

export interface PhaseFacts {
  readonly phase: string;
  readonly agents: number;
  readonly rate?: number;
  readonly openMillis?: readonly number[];
  /** Processor time of this process. */
  readonly clientCpuMillis: number;
  readonly server: ServerTokens | null;
}

export function phaseReport(
  { samples, failures, seconds }: RunResult,
  { phase, agents, rate, openMillis, clientCpuMillis, server }: PhaseFacts,
): PhaseReport {
  const told = samples.reduce((sum, { generated = 0 }) => sum + generated, 0);
  const prompt = server === null ? 0 : server.cached + server.computed;
  const stored = samples.filter(({ origin }) => origin !== 'model').length;
  const perTurn = (millis: number): number => millis / Math.max(1, samples.length);
  const perSecond = (count: number): number => (seconds > 0 ? count / seconds : 0);
  return {
    phase,
    agents,
    turns: samples.length,
    seconds,
    turns_per_s: perSecond(samples.length),
    generated_tokens_per_s: perSecond(told > 0 ? told : (server?.generated ?? 0)),
    latency_ms: percentilesOf(samples.map(({ millis }) => millis)),
    first_event_ms: percentilesOf(samples.map(({ firstMillis }) => firstMillis)),
    service_ms: percentilesOf(samples.map(({ serviceMillis }) => serviceMillis)),
    open_ms: openMillis && openMillis.length > 0 ? percentilesOf(openMillis) : null,
    by_action: latencyBy(samples, ({ kind }) => kind),
    by_origin: latencyBy(samples, ({ origin }) => origin),
    origins: countBy(samples, ({ origin }) => origin),
    cached_share: server === null ? null : prompt === 0 ? 1 : server.cached / prompt,
    stored_share: samples.length === 0 ? 0 : stored / samples.length,
    server,
    cpu_ms: {
      server: server === null ? null : perTurn(server.cpu * 1000),
      clients: perTurn(clientCpuMillis),
    },
    fairness: fairnessOf(samples, failures, agents),
    rate: rate ?? null,
    errors: failures.length,
    error_codes: countBy(failures, ({ code }) => code),
  };
}

function groupBy<Item>(items: readonly Item[], nameOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const name = nameOf(item);
    const group = groups.get(name);
    if (group) group.push(item);
    else groups.set(name, [item]);
  }
  return new Map([...groups].sort(([a], [b]) => a.localeCompare(b)));
}

const latencyBy = (
  samples: readonly Sample[],
  nameOf: (sample: Sample) => string,
): Record<string, LatencyReport> =>
  Object.fromEntries(
    [...groupBy(samples, nameOf)].map(([name, group]) => [
      name,
      percentilesOf(group.map(({ millis }) => millis)),
    ]),
  );

const countBy = <Item>(items: readonly Item[], nameOf: (item: Item) => string): Record<string, number> =>
  Object.fromEntries([...groupBy(items, nameOf)].map(([name, group]) => [name, group.length]));

function fairnessOf(samples: readonly Sample[], failures: readonly Failure[], agents: number): number {
  if (samples.length === 0 && failures.length === 0) return 1;
  const turns = new Float64Array(agents);
  const waited = new Float64Array(agents);
  for (const { agent, millis } of samples) {
    turns[agent] = (turns[agent] as number) + 1;
    waited[agent] = (waited[agent] as number) + millis;
  }
  return jainIndex(
    Array.from(turns, (count, agent) => (count === 0 ? 0 : count / (waited[agent] as number))),
  );
}
