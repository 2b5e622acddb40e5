import { describe, expect, it } from 'vitest';
import { DeltaDecoder } from '../../../src/debugger/language/decode.js';
import { isDecodeProblem } from '../../../src/debugger/language/decoded.js';
import { encodeDelta } from '../../../src/debugger/language/encode.js';
import { parseProgram } from '../../../src/debugger/program.js';
import type { DebuggerState } from '../../../src/debugger/state.js';
import type { Transition } from '../../../src/eval/cases.js';
import { argumentValues, knownValues } from '../../../src/eval/copying.js';
import { isJump, type Outcome, outcomeOf } from '../../../src/eval/outcome.js';
import { programFacts } from '../../../src/eval/program-facts.js';
import { stateAt as state } from '../../support/states.js';
import {
  action,
  call,
  caseOf,
  end,
  program,
  second,
  source,
  start,
  third,
  transitions,
} from './steps-world.js';

/** The outcome of answering `transition` with `answer`, every token with probability 1/2. */
function outcome(transition: Transition, answer: DebuggerState, tags: string[] = []): Outcome {
  const decoder = new DeltaDecoder(program, transition.before);
  for (const token of encodeDelta(program, transition.before, answer, 1)) decoder.push(token, Math.log(0.5));
  const delta = decoder.finish();
  if (isDecodeProblem(delta)) throw new Error(delta.message);
  return outcomeOf({
    program,
    facts: programFacts(program),
    evaluationCase: caseOf('1', [transition], tags),
    position: 0,
    answer: { ...delta, whole: 0.125 },
    promptTokens: 40,
  });
}

const [, toBreakpoint, toEnd] = transitions as [Transition, Transition, Transition];

describe('an outcome', () => {
  it('of a right answer', () => {
    expect(outcome(toEnd, end, ['short'])).toMatchObject({
      id: '1',
      program: program.digest,
      position: 0,
      horizon: 3,
      model: { exact: true },
      rule: { exact: false, event: true, line: true },
      changes: [
        { type: 'int', isValue: false, model: true, rule: false, argument: false, known: false },
        { type: 'int', isValue: true, model: true, rule: false, argument: false, known: false },
      ],
      event: { probability: 0.5, right: true },
      line: { probability: 0.5, right: true },
      answer: { probability: 0.125, right: true },
      codeLines: 3,
      promptTokens: 40,
      localCount: 2,
      statement: undefined,
      tags: ['short'],
    });
  });

  it('of a wrong answer says of each forecast whether it is right', () => {
    const { model, locals, value, answer } = outcome(
      toBreakpoint,
      state('line', 3, { a: '2', b: '2', total: '3' }),
    );
    expect(model).toMatchObject({ exact: false, event: true, line: true, locals: false });
    expect(locals.map(({ right }) => right)).toEqual([false, true]);
    expect(value).toBeUndefined();
    expect(answer.right).toBe(false);
  });

  it('takes a deleted local for right if it is gone', () => {
    const deletes: Transition = { ...toBreakpoint, after: state('line', 3, { a: '1' }) };
    expect(outcome(deletes, state('line', 3, { a: '1' })).locals.map(({ right }) => right)).toEqual([true]);
    expect(outcome(toBreakpoint, state('line', 3, { a: '1' })).locals.map(({ right }) => right)).toEqual([
      false,
    ]);
  });

  it('knows the statement of a step: run forward, undone backward', () => {
    const steps: [Transition, string | undefined][] = [
      [{ action: action('step_into'), before: start, after: second, horizon: 1, index: 0 }, 'call event'],
      [{ action: action('step_over'), before: second, after: third, horizon: 1, index: 1 }, 'assignment'],
      [{ action: action('step_into'), before: third, after: end, horizon: 1, index: 2 }, 'return'],
      [{ action: action('inv_step_into'), before: end, after: third, horizon: 1, index: 3 }, 'return'],
      [{ action: action('inv_step_over'), before: second, after: start, horizon: 1, index: 1 }, 'call event'],
      [{ action: action('step_return'), before: second, after: end, horizon: 2, index: 1 }, undefined],
    ];
    for (const [step, expected] of steps) expect(outcome(step, step.after).statement).toBe(expected);
  });
});

describe('the copy baselines', () => {
  it('find a returned argument', () => {
    const same = parseProgram(source.replace('return total', 'return a'), call);
    const after = { ...end, value: '1' };
    const probability = { event: 1, line: 1, locals: new Map(), value: 1 };
    const { changes } = outcomeOf({
      program: same,
      facts: programFacts(same),
      evaluationCase: caseOf('1', [{ ...toEnd, before: third, after }]),
      position: 0,
      answer: { state: after, probability, whole: 1 },
      promptTokens: 1,
    });
    expect(changes).toEqual([
      { type: 'int', isValue: true, model: true, rule: false, argument: true, known: true },
    ]);
  });

  const inner = { line: 5, locals: new Map([['x', '7']]), its: [], gots: [] };
  const outer = { line: 9, locals: new Map([['x', '8']]), its: [], gots: ['[]'] };
  const before: DebuggerState = { event: 'return', frames: [outer, inner], hiddenFrames: 0, value: "'v'" };

  it('know all values of all frames', () => {
    expect([...knownValues(before)].sort()).toEqual(["'v'", '7', '8', '[]'].sort());
  });

  it('take the arguments of the frame that is current afterwards', () => {
    expect([...argumentValues(before, before, ['x', 'y'])]).toEqual(['7']);
    expect([...argumentValues(before, { ...before, frames: [outer] }, ['x'])]).toEqual(['8']);
    expect([...argumentValues(before, { ...before, frames: [outer, inner, inner] }, ['x'])]).toEqual([]);
  });
});

it('steps are no jumps, all else is', () => {
  expect((['step_into', 'inv_step_over'] as const).map(isJump)).toEqual([false, false]);
  expect(
    (['step_return', 'breakpoint', 'continue', 'inv_step_call', 'inv_continue'] as const).every(isJump),
  ).toBe(true);
});
