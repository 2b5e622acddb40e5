/** Prometheus metrics: figures read from the engine and the scheduler when somebody asks, and counted errors. */
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { PoolStats } from '../native/addon-types.js';

/** Plain figures of the scheduler by metric name; counters end in `_total`. */
export type SchedulerFigures = Readonly<Record<string, number>>;

export interface MetricSources {
  readonly pool: () => PoolStats;
  readonly scheduler: () => SchedulerFigures;
  readonly trajectory: () => SchedulerFigures;
  /** Answers to actions by origin. */
  readonly answers: () => Readonly<Record<string, number>>;
  readonly sessions: () => number;
  /** Estimated bytes of all sessions. */
  readonly sessionBytes: () => number;
  readonly connections: () => number;
}

export interface Metrics {
  readonly contentType: string;
  text(): Promise<string>;
  countError(code: string): void;
}

/** Figures of the pool that only grow. */
const poolCounters: ReadonlySet<string> = new Set([
  'evictions',
  'copiedTokens',
  'mergedPages',
  'storedPages',
  'restoredPages',
  'droppedPages',
] satisfies (keyof PoolStats)[]);
const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** All figures of one moment by metric name. */
function readFigures(sources: MetricSources): Map<string, number> {
  const figures = new Map([
    ['sessions', sources.sessions()],
    ['session_bytes', sources.sessionBytes()],
    ['connections', sources.connections()],
  ]);
  for (const [name, value] of Object.entries(sources.pool())) {
    figures.set(`pool_${snakeCase(name)}${poolCounters.has(name) ? '_total' : ''}`, value);
  }
  for (const [name, value] of Object.entries(sources.scheduler()))
    figures.set(`scheduler_${snakeCase(name)}`, value);
  for (const [name, value] of Object.entries(sources.trajectory())) figures.set(`trajectory_${name}`, value);
  const answers = Object.entries(sources.answers());
  const all = answers.reduce((sum, [, count]) => sum + count, 0);
  for (const [origin, count] of answers) {
    figures.set(`answers_${origin}_total`, count);
    figures.set(`answers_${origin}_share`, all === 0 ? 0 : count / all);
  }
  return figures;
}

/** A metric that is set from outside before each reading. */
function settable(registry: Registry, name: string): (value: number) => void {
  const options = { name: `foretrace_${name}`, help: name.replaceAll('_', ' '), registers: [registry] };
  if (!name.endsWith('_total')) {
    const gauge = new Gauge(options);
    return (value) => gauge.set(value);
  }
  const counter = new Counter(options);
  return (value) => {
    counter.reset();
    counter.inc(value);
  };
}

export function createMetrics(sources: MetricSources): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const errors = new Counter({
    name: 'foretrace_errors_total',
    help: 'Errors sent to clients, by code',
    labelNames: ['code'],
    registers: [registry],
  });
  const setters = new Map(
    [...readFigures(sources).keys()].map((name) => [name, settable(registry, name)] as const),
  );
  return {
    contentType: registry.contentType,
    text: () => {
      for (const [name, value] of readFigures(sources)) setters.get(name)?.(value);
      return registry.metrics();
    },
    countError: (code) => errors.inc({ code }),
  };
}
