/** A program as CPython runs it, event by event. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { interpreter } from '../../src/cli/python.js';
import { readCases, type Transition } from '../../src/eval/cases.js';
import { root } from './command.js';

/** The steps of a whole run, each from one event to the next; with `reverse`, from each event to the one before. */
export async function realRun(source: string, call: string, reverse = false): Promise<readonly Transition[]> {
  const directory = mkdtempSync(join(tmpdir(), 'foretrace-run-'));
  try {
    const file = join(directory, 'program.py');
    writeFileSync(file, source);
    const args = [`${root}bin/foretrace.js`, 'trace', file, '--call', call, '--json'];
    const traced = spawnSync(process.execPath, args, { encoding: 'utf8' });
    expect(traced.stderr).toBe('');
    const run = traced.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const states = reverse ? run.toReversed() : run;
    const actions = states.slice(1).map(() => ({ action: reverse ? 'inv_step_into' : 'step_into' }));
    const data = join(directory, 'cases.jsonl');
    writeFileSync(data, `${JSON.stringify({ id: 'run', source, call, actions, states })}\n`);
    const { cases, leftOut } = await readCases(data, interpreter());
    expect([...leftOut]).toEqual([]);
    return cases[0]?.transitions ?? [];
  } finally {
    rmSync(directory, { recursive: true });
  }
}
