/** Statements on several lines: what their calls enter is known from line to line, whatever the model believes. */
import { describe, expect, it } from 'vitest';
import { parseProgram } from '../../../src/debugger/program.js';
import type { DebuggerState } from '../../../src/debugger/state.js';
import { believedStep } from '../../support/believed-step.js';
import { stateOf as at } from '../../support/scripted-step.js';
import { frameAt } from '../../support/states.js';

const lines = [
  'def g(n, k):',
  '    return n',
  'def f(n):',
  '    x = max(g(n + 1, 2),',
  '            g(n, n - 1),',
  '            len([n]))',
  '    return x',
];
const program = parseProgram(`${lines.join('\n')}\n`, 'f(4)');
const waiting = (line: number, lineBefore: number, gots: readonly string[] = []) => ({
  ...frameAt(line, { n: '4' }, gots),
  lineBefore,
});
const called = (line: number, k: string) => at('call', [waiting(line, 0), frameAt(1, { n: '9', k })]);

const into = (before: DebuggerState, wrong: DebuggerState, answers: readonly string[] = []) =>
  believedStep(program, before, wrong, answers);

describe('a statement on several lines', () => {
  it('enters what a line calls, with what is worked out for it', async () => {
    const first = await into(at('line', [waiting(4, 0)]), called(4, '7'), ['5', '3']);
    expect(first.locals).toEqual({ n: '5', k: '2' });
    expect(first.accepts(at('line', [frameAt(5, { n: '4' })]))).toBe(false);
    const second = await into(at('line', [waiting(5, 4)]), called(5, '7'), ['3', '3']);
    expect(second.locals).toEqual({ n: '4', k: '3' });
  });

  it('enters nothing on a line whose calls have come back, or which calls builtins alone', async () => {
    const behind = at('return', [waiting(4, 0), frameAt(2, { n: '5', k: '2' })], '5');
    const next = at('line', [frameAt(5, { n: '4' })]);
    const { accepts } = await into(behind, next);
    expect([next, called(4, '2')].map(accepts)).toEqual([true, false]);
    const quiet = await into(at('line', [waiting(6, 5)]), at('line', [frameAt(4, { n: '4' })]));
    expect(quiet.accepts(called(6, '2'))).toBe(false);
  });

  it('is left to the model where the line before is not known', async () => {
    const found = await into(at('line', [frameAt(5, { n: '4' })]), called(5, '7'), ['3']);
    expect(found.locals).toEqual({ n: '9', k: '7' });
    expect(found.accepts(at('line', [frameAt(6, { n: '4' })]))).toBe(true);
  });
});
