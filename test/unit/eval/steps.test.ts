import { describe, expect, it } from 'vitest';
import { ForetraceError } from '../../../src/errors.js';
import type { EvaluationData, Transition } from '../../../src/eval/cases.js';
import { stepsTable } from '../../../src/eval/report.js';
import type { ValidityQuestion } from '../../../src/eval/reverse.js';
import { evaluateSteps } from '../../../src/eval/steps.js';
import { stepsReport } from '../../../src/eval/steps-report.js';
import { ScriptedService } from '../../support/scripted-service.js';
import { codeOf } from '../../support/service-world.js';
import { stateAt as state } from '../../support/states.js';
import {
  access,
  action,
  call,
  caseOf,
  deltaOf,
  end,
  second,
  source,
  start,
  subject,
  third,
  transitions,
} from './steps-world.js';

describe('eval steps', () => {
  it('adds up by action and horizon, beside the rule', async () => {
    const service = new ScriptedService();
    service.script.push(...transitions.map(deltaOf));
    const data: EvaluationData = {
      cases: [caseOf('1', transitions), { ...caseOf('2', transitions.slice(0, 2)), source: 'def' }],
      leftOut: new Map([['does not run', 4]]),
    };
    const progress: string[] = [];
    const result = await evaluateSteps(access(service), data, {
      mode: 'jump',
      concurrency: 1,
      onProgress: (done, total) => progress.push(`${done}/${total}`),
    });
    const report = stepsReport(data, result, { subject, bins: 10, candidates: 1 });
    expect(report).toMatchObject({
      n: 3,
      left_out: 6,
      left_out_reasons: { 'does not run': 4, invalid_python: 2 },
      cases: 2,
      programs: 2,
    });
    expect(progress).toEqual(['1/5', '2/5', '3/5', '5/5']);
    expect(Object.keys(report.actions)).toEqual(['step_into', 'breakpoint', 'continue']);
    expect(report.actions.continue).toMatchObject({
      n: 1,
      exact: 1,
      exact_interval: [expect.closeTo(0.2065, 4), 1],
      event: 1,
      line: 1,
      locals: 1,
      changed: 1,
      changed_n: 2,
      baseline_exact: 0,
      values: { n: 1, model: 1, rule: 0, argument: 0, known: 0 },
    });
    expect(report.baseline.actions.step_into).toMatchObject({ n: 1, exact: 1 });
    expect(report.baseline.actions.breakpoint).toMatchObject({
      n: 1,
      exact: 0,
      event: 1,
      line: 1,
      locals: 0,
    });
    expect(report.horizon).toMatchObject([
      { from: 1, to: 1, n: 1, exact: 1, baseline_exact: 0 },
      { from: 2, to: 3, n: 1, exact: 1, baseline_exact: 0 },
      { from: 4, to: 7, n: 0, exact: 0, baseline_exact: 0 },
      { from: 8, to: 15, n: 0, exact: 0, baseline_exact: 0 },
      { from: 16, to: 31, n: 0, exact: 0, baseline_exact: 0 },
      { from: 32, to: null, n: 0, exact: 0, baseline_exact: 0 },
    ]);
    expect(stepsTable(report)).toContain('3 transitions in 2 cases of 2 programs, 6 left out');
    expect(stepsTable(report)).toMatch(/breakpoint\s+1\s+100\.0/);
  });

  it('asks by walking, and a walk that comes to nothing is wrong and sure of nothing', async () => {
    const service = new ScriptedService();
    const [first, , toEnd] = transitions as [Transition, Transition, Transition];
    const further = { ...first, before: second, after: third };
    const over = { ...first, before: third, after: end };
    const stays = { ...first, before: second, after: second };
    service.script.push(...[first, further, over, first, stays].map(deltaOf));
    const data = { cases: [caseOf('1', [toEnd, toEnd])], leftOut: new Map() };
    const { outcomes } = await evaluateSteps(access(service), data, { mode: 'walk', concurrency: 1 });
    expect(outcomes.map(({ model, answer }) => [model.exact, answer.right])).toEqual([
      [true, true],
      [false, false],
    ]);
    expect(outcomes[0]?.answer.probability).toBeGreaterThan(0);
    expect(outcomes[1]?.answer.probability).toBe(0);
    expect(service.requests).toHaveLength(5);
  });

  it('leaves out single questions that do not fit, and goes on', async () => {
    const service = new ScriptedService();
    const [first, next] = transitions as [Transition, Transition];
    const long = {
      ...next,
      before: state('line', 2, { a: `'${'x'.repeat(250)}'`, b: `'${'y'.repeat(250)}'` }),
    };
    service.script.push(deltaOf(first), deltaOf(first));
    const data = {
      cases: [caseOf('1', [first, long, first])],
      leftOut: new Map(),
    };
    const { outcomes, leftOut } = await evaluateSteps(access(service, 200), data, {
      mode: 'jump',
      concurrency: 4,
    });
    expect(outcomes.map(({ position }) => position)).toEqual([0, 2]);
    expect([...leftOut]).toEqual([['context_too_long', 1]]);
  });

  it('fails when the engine does', async () => {
    const service = new ScriptedService();
    service.script.push(new ForetraceError('engine_closed', 'gone'));
    const data = { cases: [caseOf('1', transitions)], leftOut: new Map() };
    expect(await codeOf(evaluateSteps(access(service), data, { mode: 'jump', concurrency: 2 }))).toBe(
      'engine_closed',
    );
  });

  it('asks reverse questions for candidates as well, and has them checked', async () => {
    const service = new ScriptedService();
    service.probability = 0.99;
    const back: Transition = {
      action: action('inv_step_into'),
      before: second,
      after: start,
      horizon: 1,
      index: 1,
    };
    service.script.push(deltaOf(transitions[0] as Transition), deltaOf(back));
    const data = { cases: [caseOf('1', [transitions[0] as Transition, back])], leftOut: new Map() };
    const wrong = state('call', 1, { a: '1', b: '3' });
    const asked: unknown[] = [];
    const candidates = {
      n: 2,
      source: async (_program: unknown, before: unknown, { kind }: { kind: string }, n: number) => {
        asked.push([before, kind, n]);
        return [
          { state: wrong, probability: 0.5 },
          { state: start, probability: 0.25 },
        ];
      },
      check: async (question: ValidityQuestion) => {
        asked.push(question);
        return [false, true];
      },
    };
    const result = await evaluateSteps(access(service), data, { mode: 'jump', concurrency: 1, candidates });
    expect(asked).toEqual([
      [second, 'inv_step_into', 2],
      { source, call, index: 1, action: action('inv_step_into'), candidates: [wrong, start] },
    ]);
    const report = stepsReport(data, result, { subject, bins: 10, candidates: 2 });
    expect(report.reverse).toMatchObject({
      asked: 2,
      all: { n: 1, exact_at_1: 0, exact_at_n: 1, decided_n: 1, valid_top: 0, valid_any: 1, valid_mass: 0.25 },
      actions: { inv_step_into: { n: 1 } },
    });
    expect(stepsTable(report)).toContain('reverse, 2 candidates: exact@1 0.0, exact@2 100.0');
  });
});
