import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { interpreter } from '../../src/cli/python.js';
import { isReverse, takesLines } from '../../src/debugger/action.js';
import { cameFrom } from '../../src/debugger/came-from.js';
import { withCounters } from '../../src/debugger/counters.js';
import { frozenNames } from '../../src/debugger/frozen.js';
import { outcomeOf } from '../../src/debugger/language/conditions.js';
import { encodeDelta } from '../../src/debugger/language/encode.js';
import { compileGrammar } from '../../src/debugger/language/grammar.js';
import { parseProgram } from '../../src/debugger/program.js';
import { depth } from '../../src/debugger/state.js';
import { readCases } from '../../src/eval/cases.js';
import { GrammarWalker } from '../../src/native/grammar-walker.js';
import { root } from '../support/command.js';

const steps = new Set(['step_into', 'step_over', 'inv_step_into', 'inv_step_over']);

it('allows every step that CPython takes in generated programs, counts its loops and keeps what cannot change', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'foretrace-flow-'));
  try {
    const file = join(directory, 'cases.jsonl');
    const args = ['-m', 'foretrace', 'corpus', 'eval', '--programs', '60', '--seed', '2', '--out', file];
    const made = spawnSync(interpreter(), args, { cwd: `${root}python`, encoding: 'utf8' });
    expect(made.stderr).toBe('');
    const { cases } = await readCases(file, interpreter());
    let asked = 0;
    for (const { source, call, transitions } of cases) {
      const program = parseProgram(source, call);
      const grammar = compileGrammar(program);
      for (const { action, before, after } of transitions) {
        if (takesLines(action.kind) || !steps.has(action.kind)) continue;
        const isLeft = before.event === (isReverse(action.kind) ? 'call' : 'return');
        const holds = action.kind === 'step_into' ? outcomeOf(program, before, after) : undefined;
        const delta = encodeDelta(program, before, after, depth(before) - Number(isLeft), holds);
        const { data, start } = grammar.forQuestion(before, action, {
          ways: cameFrom(program, before, action),
        });
        const walker = new GrammarWalker(data, start.state, start.frames, delta.length + 200);
        const refused = delta.findIndex((token) => !walker.accept(token));
        expect
          .soft({ refused, action, before, after, source: refused < 0 ? '' : source })
          .toMatchObject({ refused: -1 });
        const forgotten = after.frames.map((frame) => ({ ...frame, its: frame.its.map(() => 7) }));
        const found = withCounters(program, before, action, { ...after, frames: forgotten });
        const level = depth(before) - Number(isLeft) - 1;
        if (!isReverse(action.kind) && level >= 0)
          expect.soft(found.frames[level]?.its).toEqual(after.frames[level]?.its);
        const [old, now] = [before, after].map(({ frames }) => frames[level]?.locals);
        const changed = [...frozenNames(program, before, action)].filter(
          (name) => old?.get(name) !== now?.get(name),
        );
        if (now !== undefined) expect.soft({ changed, action, before, after }).toMatchObject({ changed: [] });
        asked += 1;
      }
    }
    expect(asked).toBeGreaterThan(200);
  } finally {
    rmSync(directory, { recursive: true });
  }
}, 120_000);
