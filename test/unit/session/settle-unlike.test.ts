/** Objects that look like literals: what is done with them enters their methods. */
import { describe, expect, it } from 'vitest';
import { encodeDelta } from '../../../src/debugger/language/encode.js';
import { parseProgram } from '../../../src/debugger/program.js';
import { settledLine } from '../../../src/session/settle.js';
import { settledUnlike } from '../../../src/session/settle-unlike.js';
import { stateOf as at, scriptedStep, stepOf } from '../../support/scripted-step.js';
import { frameAt } from '../../support/states.js';

const program = parseProgram(
  [
    'class Chain:',
    '    def __repr__(self):',
    "        return '1'",
    'def f(n):',
    '    chain = Chain()',
    '    str(chain)',
    '    m = n',
    '    m = str(n)',
    '    return m',
    '',
  ].join('\n'),
  'f(2)',
);

const stepFrom = (line: number, names: Record<string, string> = {}) =>
  stepOf(program, at('line', [frameAt(line, { n: '2', chain: '1', ...names })]), 'step_into');

describe('an object that is written like a number', () => {
  it('has its method entered where a text is made of it', async () => {
    const step = stepFrom(6);
    const wrong = at('line', [frameAt(7, { n: '2', chain: '1' })]);
    const script = [encodeDelta(program, step.state, wrong, 1)];
    const { delta, probability } = await scriptedStep(program, step.state, 'step_into', script, true);
    expect(delta.state).toMatchObject({ event: 'call', frames: [{ line: 6 }, { line: 2 }] });
    expect(probability).toBe(1);
  });

  it('is surely handed on, and but likely a number where something is done with it', () => {
    const sureness = (step: ReturnType<typeof stepFrom>): number => {
      const settled = settledLine(step);
      const { ended, logProbability } = settledUnlike(step, settled);
      expect([ended, settled.ended]).toEqual(['passes', 'passes']);
      return Math.exp(logProbability);
    };
    expect(sureness(stepFrom(7))).toBe(1);
    expect(sureness(stepFrom(8, { m: '2' }))).toBeCloseTo(0.987, 3);
  });
});
