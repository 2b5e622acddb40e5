/** Workload files: what is filled in, and what is refused with which words. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { defaultWorkload, readWorkload, workloadOf } from '../../../src/bench/agents/workload.js';
import { parseProgram } from '../../../src/debugger/program.js';
import { ForetraceError } from '../../../src/errors.js';

const folder = mkdtempSync(join(tmpdir(), 'foretrace-workload-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const programs = [{ source: 'def f(n):\n    return n\n', call: 'f(1)' }];
const actions = [{ action: 'step_into' }];

const problem = (json: unknown): string => {
  try {
    workloadOf(json, 'here.json');
  } catch (error) {
    if (error instanceof ForetraceError && error.code === 'unreadable_file')
      return error.details.actual ?? '';
    throw error;
  }
  throw new Error('the workload was taken');
};

describe('a workload', () => {
  it('has defaults for all but programs and actions', () => {
    expect(workloadOf({ programs, actions }, '/some/where/mine.json')).toEqual({
      name: 'mine',
      programs: [{ name: 'program 1', weight: 1, ...programs[0] }],
      turns: [{ action: 'step_into', weight: 1, mode: 'auto', lines: [], expressions: [] }],
      turnsPerSession: 16,
      thinkMillis: 0,
    });
  });

  it('keeps what is given', () => {
    const given = {
      name: 'mix',
      programs: [{ ...programs[0], name: 'identity', weight: 3 }],
      actions: [
        { action: 'breakpoint', weight: 2, mode: 'auto', lines: [2] },
        { action: 'evaluate', expressions: ['n + 1'] },
      ],
      turns_per_session: 4,
      think_ms: 2.5,
    };
    const { name, turns, turnsPerSession, thinkMillis, programs: taken } = workloadOf(given, 'x.json');
    expect({ name, turnsPerSession, thinkMillis }).toEqual({
      name: 'mix',
      turnsPerSession: 4,
      thinkMillis: 2.5,
    });
    expect(taken).toEqual([{ ...programs[0], name: 'identity', weight: 3 }]);
    expect(turns).toEqual([
      { action: 'breakpoint', weight: 2, mode: 'auto', lines: [2], expressions: [] },
      { action: 'evaluate', weight: 1, mode: 'auto', lines: [], expressions: ['n + 1'] },
    ]);
  });

  it('reads programs from files beside it, with the call that an example names', () => {
    writeFileSync(join(folder, 'one.py'), '# Debug: f(2)\ndef f(n):\n    return n\n');
    writeFileSync(join(folder, 'mine.json'), JSON.stringify({ programs: [{ file: 'one.py' }], actions }));
    expect(readWorkload(join(folder, 'mine.json')).programs).toEqual([
      { name: 'one', source: '# Debug: f(2)\ndef f(n):\n    return n\n', call: 'f(2)', weight: 1 },
    ]);
  });

  it.each([
    ['no object', [], '/ must be object'],
    ['no programs', { programs: [], actions }, '/programs must NOT have fewer than 1 items'],
    [
      'an unknown action',
      { programs, actions: [{ action: 'jump' }] },
      '/actions/0/action must be equal to one of',
    ],
    ['an unknown field', { programs, actions, threads: 2 }, 'must NOT have additional properties'],
    [
      'a weight of 0',
      { programs, actions: [{ action: 'step_into', weight: 0 }] },
      '/actions/0/weight must be > 0',
    ],
    [
      'lines where there are none',
      { programs, actions: [{ action: 'step_over', lines: [1] }] },
      'takes no lines',
    ],
    [
      'evaluate without expressions',
      { programs, actions: [{ action: 'evaluate' }] },
      'evaluate has no expressions',
    ],
    ['only steps back', { programs, actions: [{ action: 'inv_continue' }] }, 'all actions are reverse ones'],
    [
      'file and source',
      { programs: [{ ...programs[0], file: 'a.py' }], actions },
      'either a file or a source',
    ],
    ['no call', { programs: [{ source: 'x = 1\n' }], actions }, 'program 1 has no call'],
    ['a missing file', { programs: [{ file: 'nowhere.py', call: 'f()' }], actions }, 'ENOENT'],
    ['two problems', { programs: [], actions: [] }, '; /actions must NOT have fewer than 1 items'],
  ])('with %s is refused', (_what, json, message) => {
    expect(problem(json)).toContain(message);
  });

  it('that is no JSON is refused', () => {
    writeFileSync(join(folder, 'broken.json'), '{');
    expect(() => readWorkload(join(folder, 'broken.json'))).toThrow(ForetraceError);
  });

  it('that is built in has four programs that parse', () => {
    const { programs: built, turns } = defaultWorkload();
    expect(built.map(({ name }) => name)).toEqual([
      'off_by_one',
      'recursion',
      'string_bug',
      'exception_path',
    ]);
    for (const { source, call } of built) expect(parseProgram(source, call).call).toBe(call);
    expect(turns.length).toBeGreaterThan(5);
  });

  it('stands as an example in docs/serving.md', () => {
    const page = fileURLToPath(new URL('../../../docs/serving.md', import.meta.url));
    const json = JSON.parse(/```json\n([^`]+)```/.exec(readFileSync(page, 'utf8'))?.[1] ?? '');
    const { name, programs: shown, turns } = workloadOf(json, page);
    expect(name).toBe('mine');
    expect(shown.map((program) => program.name)).toEqual(['recursion', 'double']);
    expect(turns.map(({ action }) => action)).toEqual([
      'step_into',
      'breakpoint',
      'inv_step_over',
      'evaluate',
    ]);
  });
});
