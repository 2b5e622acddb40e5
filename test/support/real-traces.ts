/** What programs really do, each run in a process of its own. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { interpreter } from '../../src/cli/python.js';
import { root } from './command.js';

const script = `
import json, sys
from foretrace.trace import TraceError
from foretrace.trace.sandbox import trace
for line in sys.stdin:
    try:
        run = trace(*json.loads(line))
        print(json.dumps([*map(repr, run.events), run.stopped]))
    except TraceError as error:
        print(json.dumps([str(error)]))
`;

/** The events of each run, and behind them why it ended early, or null. */
export function realTraces(programs: readonly (readonly [source: string, call: string])[]): string[][] {
  const input = programs.map((program) => `${JSON.stringify(program)}\n`).join('');
  const env = { ...process.env, PYTHONPATH: join(root, 'python'), PYTHONHASHSEED: '0' };
  const { stdout } = spawnSync(interpreter(), ['-c', script], {
    input,
    env,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}
