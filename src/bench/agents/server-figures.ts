/** The server's own counters, read from its Prometheus text: what answers alone do not tell. */
import type { ServerTokens } from './phase.js';

const counters: Readonly<Record<keyof ServerTokens, string>> = {
  cached: 'foretrace_scheduler_tokens_cached_total',
  computed: 'foretrace_scheduler_tokens_computed_total',
  generated: 'foretrace_scheduler_tokens_generated_total',
  forced: 'foretrace_scheduler_tokens_forced_total',
  joined: 'foretrace_scheduler_joined_total',
  preemptions: 'foretrace_scheduler_preemptions_total',
  steps: 'foretrace_scheduler_steps_total',
  rows: 'foretrace_scheduler_rows_total',
  cpu: 'process_cpu_seconds_total',
};

/** @param base for example `http://127.0.0.1:7331`; null if the service cannot be asked or knows none of the counters */
export async function readFigures(base: string): Promise<ServerTokens | null> {
  try {
    const response = await fetch(`${base}/metrics`);
    return response.ok ? figuresOf(await response.text()) : null;
  } catch {
    return null;
  }
}

/** Null unless all counters are there. */
export function figuresOf(text: string): ServerTokens | null {
  const found = Object.entries(counters).map(([name, metric]) => {
    const value = new RegExp(`^${metric} (\\S+)$`, 'm').exec(text)?.[1];
    return [name, Number(value ?? Number.NaN)] as const;
  });
  return found.every(([, value]) => Number.isFinite(value))
    ? (Object.fromEntries(found) as unknown as ServerTokens)
    : null;
}

/** What happened between two readings. */
export function difference(before: ServerTokens | null, after: ServerTokens | null): ServerTokens | null {
  if (before === null || after === null) return null;
  const names = Object.keys(counters) as (keyof ServerTokens)[];
  return Object.fromEntries(
    names.map((name) => [name, after[name] - before[name]]),
  ) as unknown as ServerTokens;
}
