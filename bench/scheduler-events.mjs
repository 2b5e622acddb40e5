#!/usr/bin/env node
/**
 * Random events against the scheduler over the fake engine, invariants checked after each: as many as one likes.
 *
 *   node bench/scheduler-events.mjs --events 1000000 --seed 1
 *
 * Prints one JSON object: what happened how often, and the seconds it took. Exit code 1 and the seed of the failing world if an invariant does not hold.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: { events: { type: 'string', default: '1000000' }, seed: { type: 'string', default: '1' } },
});
for (const [name, text] of Object.entries(values)) {
  if (/^[1-9]\d*$/.test(text)) continue;
  console.error(`--${name}: expected a whole number from 1, got ${text}`);
  process.exit(2);
}

const root = fileURLToPath(new URL('..', import.meta.url));
const directory = mkdtempSync(join(tmpdir(), 'foretrace-events-'));
const report = join(directory, 'report.json');
try {
  const run = spawnSync(
    process.execPath,
    [join(root, 'node_modules/vitest/vitest.mjs'), 'run', 'test/unit/scheduler/events.test.ts'],
    {
      cwd: root,
      stdio: ['ignore', 'ignore', 'pipe'],
      encoding: 'utf8',
      env: {
        ...process.env,
        FORETRACE_EVENTS: values.events,
        FORETRACE_SEED: values.seed,
        FORETRACE_EVENTS_REPORT: report,
      },
    },
  );
  if (run.status !== 0) {
    console.error(run.stderr);
    process.exitCode = 1;
  } else console.log(readFileSync(report, 'utf8'));
} finally {
  rmSync(directory, { recursive: true, force: true });
}
