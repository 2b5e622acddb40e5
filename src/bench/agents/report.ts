/** The report of `bench agents`: its JSON form (DESIGN section 9) and a readable one. Pure. */
import { table } from '../../eval/markdown.js';
import type { LatencyReport, PhaseReport } from './phase.js';

/** Where and over what it was measured. */
export interface RunFacts {
  readonly workload: Readonly<Record<string, unknown>>;
  readonly seed: number;
  readonly turns_per_agent: number;
  readonly machine: { readonly cpu: string; readonly cores: number; readonly node: string };
  /** What the service says of itself. */
  readonly server: Readonly<Record<string, unknown>>;
}

/** The figures of the first phase, then all phases. */
export interface AgentsReport extends Omit<PhaseReport, 'server'>, RunFacts {
  readonly phases: readonly PhaseReport[];
  /** Open-loop points of the load curve, by rising load. */
  readonly load: readonly PhaseReport[];
}

/** @param phases at least one */
export function agentsReport(
  facts: RunFacts,
  phases: readonly PhaseReport[],
  load: readonly PhaseReport[],
): AgentsReport {
  const { server: _, ...first } = phases[0] as PhaseReport;
  return { ...first, ...facts, phases, load };
}

const fixed = (value: number): string => value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0);
const times = ({ n, p50, p95, p99, max }: LatencyReport): string[] => [
  String(n),
  ...[p50, p95, p99, max].map(fixed),
];
const share = (value: number): string => `${(100 * value).toFixed(1)} %`;

function phaseRow(phase: PhaseReport): string[] {
  const { latency_ms, first_event_ms } = phase;
  return [
    phase.phase,
    String(phase.turns),
    fixed(phase.turns_per_s),
    fixed(phase.generated_tokens_per_s),
    ...[latency_ms.p50, latency_ms.p95, latency_ms.p99].map(fixed),
    ...[first_event_ms.p50, first_event_ms.p95].map(fixed),
    phase.cached_share === null ? '' : share(phase.cached_share),
    share(phase.stored_share),
    `${phase.cpu_ms.server === null ? '' : fixed(phase.cpu_ms.server)} + ${fixed(phase.cpu_ms.clients)}`,
    phase.fairness.toFixed(3),
    String(phase.errors),
  ];
}

const phaseHeads = [
  'phase',
  'turns',
  'turns/s',
  'tokens/s',
  'p50 ms',
  'p95 ms',
  'p99 ms',
  'first p50',
  'first p95',
  'prefix cached',
  'from store',
  'cpu ms a turn',
  'fairness',
  'errors',
];

function detail({ phase, by_action, by_origin, open_ms, error_codes }: PhaseReport): string[] {
  const rows = [
    ...Object.entries(by_action).map(([name, latency]) => [name, ...times(latency)]),
    ...Object.entries(by_origin).map(([name, latency]) => [`origin ${name}`, ...times(latency)]),
    ...(open_ms ? [['open session', ...times(open_ms)]] : []),
  ];
  const codes = Object.entries(error_codes).map(([code, count]) => `${count} x ${code}`);
  return [
    '',
    table([phase, 'n', 'p50 ms', 'p95 ms', 'p99 ms', 'max ms'], rows),
    ...(codes.length > 0 ? [`errors: ${codes.join(', ')}`] : []),
  ];
}

/** Tables for the terminal and for report.md. */
export function agentsTable({ phases, load, agents, workload, machine, server, seed }: AgentsReport): string {
  const { device, isa, threads } = server;
  const where = [machine.cpu, `${machine.cores} cores`, ...[device, isa].filter(Boolean).map(String)];
  return [
    `${agents} agents, workload ${String(workload.name)}, seed ${seed}; ${where.join(', ')}${threads ? `, ${threads} threads` : ''}`,
    '',
    table(phaseHeads, [...phases, ...load].map(phaseRow)),
    ...phases.flatMap(detail),
  ].join('\n');
}
