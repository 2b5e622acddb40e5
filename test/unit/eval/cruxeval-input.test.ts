import { describe, expect, it } from 'vitest';
import { encodeDelta } from '../../../src/debugger/language/encode.js';
import { parseProgram } from '../../../src/debugger/program.js';
import type { DebuggerState } from '../../../src/debugger/state.js';
import { type CandidateSource, candidatesOf } from '../../../src/eval/cruxeval-candidates.js';
import type { CheckInputs, CheckRequest } from '../../../src/eval/cruxeval-check.js';
import {
  type InputOptions,
  judgeInputs,
  type Proposal,
  proposeInputs,
  reranked,
} from '../../../src/eval/cruxeval-input.js';
import { inputLine, inputMarkdown } from '../../../src/eval/cruxeval-markdown.js';
import type { CruxProblem } from '../../../src/eval/cruxeval-problems.js';
import { inputReport } from '../../../src/eval/cruxeval-report.js';
import { ScriptedService } from '../../support/scripted-service.js';
import { stateAt as state } from '../../support/states.js';

const code = 'def f(x):\n    if x > 9:\n        return x\n    return x + 1\n';
const problem: CruxProblem = { id: 'p', code, input: '2', output: '3', entry: 'f' };
const call = (x: string) => state('call', 1, { x });
const access = (...script: number[][]) => {
  const service = new ScriptedService();
  service.script.push(...script);
  return { service, modelDigest: 'm', maxContext: 512, maxAnswerTokens: 64 };
};
/** The answer to a question forward from the call with these arguments. */
const forwardTo = (x: string, value: string): number[] => {
  const program = parseProgram(code, `f(${x})`);
  return encodeDelta(program, call(x), state('return', 4, { x }, value), 1);
};
const options = (source: CandidateSource): InputOptions => ({
  methods: ['inv_step_call'],
  candidates: 3,
  forward: ['jump'],
  maxSteps: 9,
  concurrency: 1,
  source,
});
/** From the first return 5 and 2, from the second 2 and a state without arguments. */
const source: CandidateSource = async (program, end, method, n) => {
  expect([program.call, method, n, end.event, end.value]).toEqual([
    'f(...)',
    'inv_step_call',
    3,
    'return',
    '3',
  ]);
  return end.frames[0]?.line === 3
    ? [
        { state: call('5'), probability: 0.5, steps: 1 },
        { state: call('2'), probability: 0.3, steps: 1 },
      ]
    : [
        { state: call('2'), probability: 0.4, steps: 1 },
        { state: state('call', 1, {}), probability: 0.2, steps: 1 },
      ];
};
/** Right are those of `right`; the requests are kept. */
function checker(...right: string[]) {
  const requests: CheckRequest[] = [];
  const check: CheckInputs = async (asked) => {
    requests.push(...asked);
    return asked.map(({ candidates }) => candidates.map((text) => right.includes(text)));
  };
  return { check, requests };
}

describe('the input task', () => {
  it('merges the candidates of all returns, asks them forward, and has them run', async () => {
    const given = access(forwardTo('2', '7'), forwardTo('5', '3'));
    const proposed = await proposeInputs(given, [problem], options(source));
    expect(given.service.requests).toHaveLength(2);
    const { check, requests } = checker('2', '3');
    const batch = await judgeInputs(proposed, check);
    expect(requests).toEqual([{ id: 'p', code, entry: 'f', output: '3', candidates: ['2', '3', '5'] }]);
    const [result] = batch.results;
    expect(result?.methods.inv_step_call).toEqual({
      unbound: 1,
      candidates: [
        { arguments: '2', probability: 0.35, steps: 1, forward: { jump: false }, right: true },
        { arguments: '5', probability: 0.25, steps: 1, forward: { jump: true }, right: false },
      ],
    });
    expect(result?.baseline).toEqual({ output: true });

    const report = inputReport(batch, 'jump', 'inv_step_call', 3);
    expect(report).toMatchObject({
      n: 1,
      task: 'input',
      mode: 'jump',
      pass_at_1: 1,
      candidates: 3,
      methods: {
        inv_step_call: {
          n: 1,
          pass_at: { 1: 1, 2: 1, 3: 1 },
          without_candidate: 0,
          unbound: 1,
          mean_candidates: 2,
          reranked: { jump: { pass_at_1: 0, pass_at: { 1: 0, 2: 1, 3: 1 } } },
        },
      },
      baseline: { output: 1 },
    });
    expect(inputMarkdown(report)).toMatch(/re-ranked by jump +\| +1 \| +0\.0 \| +100\.0 \|/);
    expect(inputLine(result as never, 'inv_step_call')).toMatchObject({
      predicted: '2',
      right: true,
      probability: 0.35,
    });
  });

  it('leaves out problems whose own input is wrong here, and keeps their ids', async () => {
    const plain = { ...options(source), forward: [] };
    const proposed = await proposeInputs(access(), [{ ...problem, id: 'no', code: '(' }, problem], plain);
    const batch = await judgeInputs(proposed, checker('5').check);
    expect(batch.results).toEqual([]);
    expect(batch.leftOut).toEqual([
      { id: 'no', reason: 'invalid_python' },
      { id: 'p', reason: 'own_input_is_wrong_here' },
    ]);
    expect(inputReport(batch, 'jump', 'inv_step_call', 3)).toMatchObject({ n: 0, pass_at_1: 0, left_out: 2 });
  });

  it('takes what cannot be asked forward as not coming back', async () => {
    const odd: CandidateSource = async () =>
      ['<Thing>', "'open", '(', '1'].map((x) => ({ state: call(x), probability: 0.1, steps: 1 }));
    const asked = { ...options(odd), candidates: 4 };
    const proposed = await proposeInputs(access(forwardTo('1', '3')), [problem], asked);
    const { results } = await judgeInputs(proposed, checker('2').check);
    expect(results[0]?.methods.inv_step_call?.candidates.map(({ forward }) => forward.jump)).toEqual([
      false,
      false,
      false,
      true,
    ]);
  });

  it('puts first what comes back, each group in its order', () => {
    const proposal = (text: string, comesBack: boolean): Proposal => ({
      arguments: text,
      probability: 0.1,
      steps: 1,
      forward: { walk: comesBack },
      right: false,
    });
    const found = [proposal('a', false), proposal('b', true), proposal('c', false), proposal('d', true)];
    expect(reranked(found, 'walk').map((one) => one.arguments)).toEqual(['b', 'd', 'a', 'c']);
    expect(reranked(found, 'jump').map((one) => one.arguments)).toEqual(['a', 'b', 'c', 'd']);
  });
});

describe('candidates of the model', () => {
  const program = parseProgram(code, 'f(...)');
  const end = state('return', 4, {}, '3');
  const delta = (before: DebuggerState, after: DebuggerState) => encodeDelta(program, before, after, 1);

  it('of a jump are distinct calls', async () => {
    const given = access(
      delta(end, call('2')),
      delta(end, call('2')),
      delta(end, call('4')),
      ...Array.from({ length: 20 }, () => delta(end, call('2'))),
    );
    const found = await candidatesOf(given, 9)(program, end, 'inv_step_call', 2);
    expect(found.map(({ state: { frames } }) => frames[0]?.locals.get('x')).sort()).toEqual(['2', '4']);
    expect(found.every(({ steps }) => steps === 1)).toBe(true);
  });

  it('of walks back are those that arrive, the most probable first', async () => {
    const line = state('line', 4, {});
    const given = access(
      delta(end, line),
      delta(line, call('2')),
      delta(end, call('20')),
      delta(end, call('2')),
    );
    given.service.probability = 0.99;
    const found = await candidatesOf(given, 9)(program, end, 'walk', 2);
    expect(found).toMatchObject([
      { state: call('20'), steps: 1 },
      { state: call('2'), steps: 2 },
    ]);
    expect(found[0]?.probability).toBeGreaterThan(found[1]?.probability ?? 1);
  });

  it('of walks that never arrive are none', async () => {
    const line = state('line', 4, {});
    const given = access(...Array.from({ length: 3 }, () => delta(end, line)));
    given.service.probability = 0.99;
    given.service.script.splice(1, 0, delta(line, line));
    expect(await candidatesOf(given, 1)(program, end, 'walk', 1)).toEqual([]);
  });
});
