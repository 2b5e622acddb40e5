import { describe, expect, it } from 'vitest';
import type { Action } from '../../../src/debugger/action.js';
import { encodeDelta } from '../../../src/debugger/language/encode.js';
import { parseProgram } from '../../../src/debugger/program.js';
import { ForetraceError } from '../../../src/errors.js';
import type { EvaluationData, Transition } from '../../../src/eval/cases.js';
import { stepsTable } from '../../../src/eval/report.js';
import { evaluateSteps } from '../../../src/eval/steps.js';
import { ScriptedService } from '../../support/scripted-service.js';
import { codeOf } from '../../support/service-world.js';
import { stateAt as state } from '../../support/states.js';

const source = 'def add(a, b):\n    total = a + b\n    return total\n';
const call = 'add(1, 2)';
const program = parseProgram(source, call);
const start = state('call', 1, { a: '1', b: '2' });
const second = state('line', 2, { a: '1', b: '2' });
const third = state('line', 3, { a: '1', b: '2', total: '3' });
const end = state('return', 3, { a: '1', b: '2', total: '3' }, '3');
const action = (kind: Action['kind'], ...lines: number[]): Action => ({ kind, lines });

const transitions: Transition[] = [
  { action: action('step_into'), before: start, after: second, horizon: 1 },
  { action: action('breakpoint', 3), before: second, after: third, horizon: 1 },
  { action: action('continue'), before: start, after: end, horizon: 3 },
];
const deltaOf = ({ before, after }: Transition): number[] => encodeDelta(program, before, after, 1);
const access = (service: ScriptedService, maxContext = 512) => ({
  service,
  modelDigest: 'm',
  maxContext,
  maxAnswerTokens: 64,
});

describe('eval steps', () => {
  it('adds up by action and horizon, beside the rule', async () => {
    const service = new ScriptedService();
    service.script.push(...transitions.map(deltaOf));
    const data: EvaluationData = {
      cases: [
        { id: '1', source, call, transitions },
        { id: '2', source: 'def', call, transitions: transitions.slice(0, 2) },
      ],
      leftOut: new Map([['does not run', 4]]),
    };
    const progress: string[] = [];
    const report = await evaluateSteps(access(service), data, {
      concurrency: 1,
      onProgress: (done, total) => progress.push(`${done}/${total}`),
    });
    expect(report).toMatchObject({
      n: 3,
      left_out: 6,
      left_out_reasons: { 'does not run': 4, invalid_python: 2 },
      cases: 2,
      programs: 2,
    });
    expect(progress).toEqual(['1/5', '2/5', '3/5', '5/5']);
    expect(Object.keys(report.actions)).toEqual(['step_into', 'breakpoint', 'continue']);
    expect(report.actions.continue).toEqual({
      n: 1,
      exact: 1,
      event: 1,
      line: 1,
      locals: 1,
      changed: 1,
      changed_n: 2,
    });
    expect(report.baseline.actions.step_into).toMatchObject({ n: 1, exact: 1 });
    expect(report.baseline.actions.breakpoint).toMatchObject({
      n: 1,
      exact: 0,
      event: 1,
      line: 1,
      locals: 0,
    });
    expect(report.horizon).toEqual([
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

  it('leaves out single questions that do not fit, and goes on', async () => {
    const service = new ScriptedService();
    const [first, next] = transitions as [Transition, Transition];
    const long = {
      ...next,
      before: state('line', 2, { a: `'${'x'.repeat(250)}'`, b: `'${'y'.repeat(250)}'` }),
    };
    service.script.push(deltaOf(first), deltaOf(first));
    const data = {
      cases: [{ id: '1', source, call, transitions: [first, long, first] }],
      leftOut: new Map(),
    };
    const report = await evaluateSteps(access(service, 200), data, { concurrency: 4 });
    expect(report).toMatchObject({ n: 2, left_out: 1, left_out_reasons: { context_too_long: 1 } });
  });

  it('fails when the engine does', async () => {
    const service = new ScriptedService();
    service.script.push(new ForetraceError('engine_closed', 'gone'));
    const data = { cases: [{ id: '1', source, call, transitions }], leftOut: new Map() };
    expect(await codeOf(evaluateSteps(access(service), data, { concurrency: 2 }))).toBe('engine_closed');
  });
});
