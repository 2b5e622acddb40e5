/** Prometheus metrics: gauges read from the engine and the scheduler when somebody asks, and counted errors. */
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { PoolStats } from '../native/addon-types.js';

/** Plain figures of the scheduler by metric name; counters end in `_total`. */
export type SchedulerFigures = Readonly<Record<string, number>>;

export interface MetricSources {
  readonly pool: () => PoolStats;
  readonly scheduler: () => SchedulerFigures;
  readonly sessions: () => number;
  readonly connections: () => number;
}

export interface Metrics {
  readonly contentType: string;
  text(): Promise<string>;
  countError(code: string): void;
}

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

export function createMetrics(sources: MetricSources): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const errors = new Counter({
    name: 'foretrace_errors_total',
    help: 'Errors sent to clients, by code',
    labelNames: ['code'],
    registers: [registry],
  });
  const gauge = (name: string, help: string, read: () => number): void => {
    new Gauge({
      name: `foretrace_${name}`,
      help,
      registers: [registry],
      collect() {
        this.set(read());
      },
    });
  };
  gauge('sessions', 'Open sessions', sources.sessions);
  gauge('connections', 'Open WebSocket connections', sources.connections);
  for (const name of Object.keys(sources.pool()) as (keyof PoolStats)[]) {
    gauge(`pool_${snakeCase(name)}`, `KV pool: ${name}`, () => sources.pool()[name]);
  }
  for (const name of Object.keys(sources.scheduler())) {
    gauge(`scheduler_${snakeCase(name)}`, `Scheduler: ${name}`, () => sources.scheduler()[name] ?? 0);
  }
  return {
    contentType: registry.contentType,
    text: () => registry.metrics(),
    countError: (code) => errors.inc({ code }),
  };
}
