/** `bench agents` end to end: the command, its server in a process of its own, real sockets, the models that ship and the untrained one. Shapes and counts, never times. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { PhaseReport } from '../../src/bench/agents/phase.js';
import type { AgentsReport } from '../../src/bench/agents/report.js';
import { command, root, tinyModel } from '../support/command.js';
import { ServiceWorld } from '../support/service-world.js';

const folder = mkdtempSync(join(tmpdir(), 'foretrace-bench-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const shipped = readdirSync(join(root, 'models'))
  .map((name) => join(root, 'models', name))
  .filter((path) => existsSync(join(path, 'config.json')));
const engine = ['--threads', '1', '--pages', '1024'];

async function bench(...args: string[]): Promise<AgentsReport> {
  const { code, out, err } = await command('bench', 'agents', '--json', ...args);
  expect(err).toBe('');
  expect(code).toBe(0);
  return JSON.parse(out) as AgentsReport;
}

const sum = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((total, count) => total + count, 0);

function expectPhase(phase: PhaseReport, turns: number): void {
  expect(phase).toMatchObject({ turns, errors: 0, error_codes: {} });
  expect(phase.turns_per_s).toBeGreaterThan(0);
  for (const latency of [phase.latency_ms, phase.first_event_ms, phase.service_ms]) {
    expect(latency.n).toBe(turns);
    const { p50, p95, p99, max } = latency;
    expect([p50, p95, p99, max]).toEqual([p50, p95, p99, max].toSorted((a, b) => a - b));
    expect(p50).toBeGreaterThan(0);
  }
  expect(sum(phase.origins)).toBe(turns);
  expect(Object.values(phase.by_action).reduce((total, { n }) => total + n, 0)).toBe(turns);
  expect(Object.values(phase.by_origin).reduce((total, { n }) => total + n, 0)).toBe(turns);
  expect(phase.cached_share).toBeGreaterThanOrEqual(0);
  expect(phase.cached_share).toBeLessThanOrEqual(1);
  expect(phase.fairness).toBeGreaterThan(0);
  expect(phase.fairness).toBeLessThanOrEqual(1 + 1e-9);
}

describe('bench agents', () => {
  it('asks cold, then the same questions warm, of the model that ships', async () => {
    const model = shipped[0] as string;
    const report = await bench(
      '--model',
      model,
      ...engine,
      '--agents',
      '4',
      '--turns',
      '5',
      '--warm-rounds',
      '2',
      '--no-ahead',
    );
    expect(report).toMatchObject({ agents: 4, turns: 20, turns_per_agent: 5, errors: 0, seed: 1 });
    const [cold, warm] = report.phases as [PhaseReport, PhaseReport];
    expect(report.phases.map(({ phase }) => phase)).toEqual(['cold', 'warm']);
    expectPhase(cold, 20);
    expectPhase(warm, 40);
    expect(cold.origins.model).toBeGreaterThan(0);
    expect(cold.server?.generated).toBeGreaterThan(0);
    expect(report.generated_tokens_per_s).toBeGreaterThan(0);
    expect(report.origins).toEqual(cold.origins);
    // Nothing is computed for a question that was asked before, and every action is asked twice as often as when it was cold.
    expect(warm.origins.model).toBeUndefined();
    expect((warm.origins.cache ?? 0) + (warm.origins.derived ?? 0)).toBe(40);
    expect(warm.server).toMatchObject({ generated: 0, computed: 0 });
    const asked = (phase: PhaseReport): Record<string, number> =>
      Object.fromEntries(Object.entries(phase.by_action).map(([name, { n }]) => [name, n]));
    expect(asked(warm)).toEqual(
      Object.fromEntries(Object.entries(asked(cold)).map(([name, n]) => [name, 2 * n])),
    );
  });

  it('takes a workload file, asks for computed answers alone, writes files and a load curve', async () => {
    const workload = join(folder, 'mine.json');
    writeFileSync(
      workload,
      JSON.stringify({
        programs: [{ source: 'def f(n):\n    m = n + 1\n    return m\n', call: 'f(1)' }],
        actions: [{ action: 'step_into' }, { action: 'evaluate', expressions: ['n + 2'] }],
        turns_per_session: 3,
      }),
    );
    const out = join(folder, 'out');
    const load = ['--load-curve', '--rates', '20,40', '--load-seconds', '1', '--out', out];
    const asked = ['--agents', '2', '--turns', '4', '--phases', 'cold', '--workload', workload, '--fresh'];
    const report = await bench('--model', tinyModel, ...engine, ...asked, ...load);
    expectPhase(report.phases[0] as PhaseReport, 8);
    const { model = 0, derived = 0, ...others } = report.origins;
    expect([model + derived, others]).toEqual([8, {}]);
    expect(model).toBeGreaterThan(0);
    expect(Object.keys(report.by_action).sort()).toEqual(['evaluate', 'step_into']);
    expect(report.load.map(({ rate, turns }) => [rate, turns])).toEqual([
      [20, 20],
      [40, 40],
    ]);
    expect(JSON.parse(readFileSync(join(out, 'report.json'), 'utf8'))).toEqual(report);
    expect(readFileSync(join(out, 'report.md'), 'utf8')).toContain('| cold | 8 |');
    expect(readFileSync(join(out, 'load.svg'), 'utf8')).toContain('Latency against load');
    expect(readFileSync(join(out, 'load.png')).subarray(1, 4).toString()).toBe('PNG');
  });

  it('sends raw token turns', async () => {
    const sizes = ['--context', '40', '--contexts', '2', '--append', '3', '--generate', '5'];
    const report = await bench(
      '--model',
      tinyModel,
      ...engine,
      '--raw',
      '--agents',
      '3',
      '--turns',
      '4',
      ...sizes,
    );
    const [phase] = report.phases as [PhaseReport];
    expectPhase(phase, 12);
    expect(phase.origins).toEqual({ model: 12 });
    expect(report.workload).toMatchObject({ name: 'raw', context: 40, contexts: 2, append: 3, generate: 5 });
    expect(phase.server?.generated).toBe(60);
    // Two contexts of 40 tokens are computed once each, whoever comes first; tails are never shared.
    expect(phase.cached_share).toBeGreaterThan(0.5);
  });

  it('drives a service that runs already, and counts what it refuses', async () => {
    const world = await ServiceWorld.start({ limits: { maxWalkSteps: 1 } });
    const workload = join(folder, 'walks.json');
    writeFileSync(
      workload,
      JSON.stringify({
        programs: [{ source: 'def f(n):\n    m = n + 1\n    return m\n', call: 'f(1)' }],
        actions: [{ action: 'continue', mode: 'walk' }],
      }),
    );
    const { code, out } = await command(
      ...['bench', 'agents', '--json', '--url', world.url, '--workload', workload],
      ...['--agents', '2', '--turns', '3', '--phases', 'cold'],
    );
    const report = JSON.parse(out) as AgentsReport;
    expect(code).toBe(0);
    expect(report.turns + report.errors).toBe(6);
    expect(report.errors).toBeGreaterThan(0);
    expect(report.error_codes).toEqual({ walk_too_long: report.errors });
    await world.assertNothingLeaked();
    await world.stop();
  });

  it.each([
    [['--phases', 'hot'], 2, 'expected cold, warm or both'],
    [['--rate', '0'], 2, 'expected a number above 0'],
    [['--workload', join(folder, 'nowhere.json')], 1, 'unreadable_file'],
    [['--url', 'http://127.0.0.1:9'], 1, 'disconnected'],
    [['--model', join(folder, 'nothing')], 1, 'disconnected'],
  ])('with %s ends with %d', async (args, expected, message) => {
    const { code, err } = await command('bench', 'agents', ...args);
    expect(code).toBe(expected);
    expect(err).toContain(message);
  });
});
