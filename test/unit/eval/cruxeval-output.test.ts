import { describe, expect, it } from 'vitest';
import { encodeDelta } from '../../../src/debugger/language/encode.js';
import { parseProgram } from '../../../src/debugger/program.js';
import type { DebuggerState } from '../../../src/debugger/state.js';
import { ForetraceError } from '../../../src/errors.js';
import { outputLine, outputMarkdown } from '../../../src/eval/cruxeval-markdown.js';
import {
  evaluateOutput,
  jumpKinds,
  mainMethod,
  type OutputOptions,
  voted,
} from '../../../src/eval/cruxeval-output.js';
import type { Attempt } from '../../../src/eval/cruxeval-predict.js';
import type { CruxProblem } from '../../../src/eval/cruxeval-problems.js';
import { outputReport } from '../../../src/eval/cruxeval-report.js';
import { compareWalk, type RealEvent, type RealRuns } from '../../../src/eval/cruxeval-truth.js';
import { ScriptedService } from '../../support/scripted-service.js';
import { codeOf } from '../../support/service-world.js';
import { stateAt as state } from '../../support/states.js';

const code = 'def f(a, b):\n    total = a + b\n    return total\n';
const problem: CruxProblem = { id: 'sum', code, input: '1, 2', output: '3', entry: 'f' };
const program = parseProgram(code, 'f(1, 2)');
const start = state('call', 1, { a: '1', b: '2' });
const second = state('line', 2, { a: '1', b: '2' });
const third = (total: string) => state('line', 3, { a: '1', b: '2', total });
const end = (total: string) => state('return', 3, { a: '1', b: '2', total }, total);
const delta = (before: DebuggerState, after: DebuggerState) => encodeDelta(program, before, after, 1);
const answers = (...states: DebuggerState[]): number[][] =>
  states.slice(1).map((after, index) => delta(states[index] as DebuggerState, after));

function access(...script: (number[] | ForetraceError)[]) {
  const service = new ScriptedService();
  service.script.push(...script);
  return { service, modelDigest: 'm', maxContext: 512, maxAnswerTokens: 64 };
}
const options: OutputOptions = {
  mode: 'auto',
  jumps: jumpKinds,
  maxSteps: 20,
  autoSteps: 3,
  concurrency: 1,
};
/** A walk to 3, jumps to 4 and 3, `continue` to 4. */
const script = () => [
  ...answers(start, second, third('3'), end('3')),
  delta(start, end('4')),
  ...answers(start, third('3'), end('3')),
  delta(start, end('4')),
];
const events: RealEvent[] = [
  { event: 'call', line: 1, depth: 1, locals: { a: '1', b: '2' } },
  { event: 'line', line: 2, depth: 1, locals: { a: '1', b: '2' } },
  { event: 'line', line: 3, depth: 1, locals: { a: '1', b: '2', total: '3' } },
  { event: 'return', line: 3, depth: 1, locals: { a: '1', b: '2', total: '3' }, value: '3' },
];

describe('the output task', () => {
  it('asks every way, judges by value, and combines', async () => {
    const truth: RealRuns = async () => ({ events });
    const given = access(...script());
    const batch = await evaluateOutput(given, [problem], { ...options, truth });
    expect(batch.leftOut).toEqual([]);
    const [result] = batch.results;
    expect(result?.methods).toMatchObject({
      walk: { predicted: '3', right: true, end: 'reached', steps: 3 },
      step_return: { predicted: '4', right: false, steps: 1 },
      breakpoint: { predicted: '3', right: true, steps: 2 },
      continue: { predicted: '4', right: false },
      auto: { predicted: '3', steps: 3 },
      vote: { predicted: '3' },
    });
    const tokens = answers(start, second, third('3'), end('3')).flat().length;
    // The line tells what it returns: `<|value|> 3` is no guess.
    expect(result?.methods.walk?.probability).toBeCloseTo(0.5 ** (tokens - 2), 9);
    expect(result?.truth).toEqual({ length: 3, first_wrong: null, raised: false, value: '3' });
    expect(given.service.requests.every(({ priority }) => priority === 'batch')).toBe(true);

    const report = outputReport(batch, 'auto', 'auto');
    expect(report).toMatchObject({
      n: 1,
      task: 'output',
      mode: 'auto',
      pass_at_1: 1,
      methods: { step_return: { n: 1, pass_at_1: 0, ended: { reached: 1 }, mean_steps: 1 } },
      baseline: { first_argument: 0, any_argument: 0, rule: 0 },
      truth: { n: 1, right_to_return: 1, output_disagrees: 0, median_first_wrong: null },
    });
    expect(report.truth?.by_length[0]).toMatchObject({ from: 1, to: 7, n: 1, right_to_return: 1 });
    expect(outputMarkdown(report)).toMatch(/\| walk +\| +1 \| +100\.0 \|/);
    expect(outputLine(batch.results[0] as never, 'step_return')).toMatchObject({
      id: 'sum',
      predicted: '4',
      right: false,
      steps: 1,
      output: '3',
    });
  });

  it('prefers a jump to a walk that is long or lost', async () => {
    const long = await evaluateOutput(access(...script()), [{ ...problem, output: '4' }], {
      ...options,
      autoSteps: 2,
      jumps: ['step_return'],
    });
    expect(long.results[0]?.methods).toMatchObject({ auto: { predicted: '4', right: true } });
    const lost = [...answers(start, second, third('3'), third('3')), delta(start, end('4'))];
    const { results } = await evaluateOutput(access(...lost), [problem], {
      ...options,
      jumps: ['step_return'],
    });
    expect(results[0]?.methods.walk).toMatchObject({ predicted: null, right: false, end: 'repeated' });
    expect(results[0]?.methods.auto).toMatchObject({ predicted: '4' });
  });

  it('knows what the rules say', async () => {
    const baseline = async (output: string) => {
      const jumps = { ...options, mode: 'jump', jumps: ['continue'] } as const;
      const { results } = await evaluateOutput(
        access(delta(start, end('4'))),
        [{ ...problem, output }],
        jumps,
      );
      return results[0]?.baseline;
    };
    expect(await baseline('1.0')).toEqual({ first_argument: true, any_argument: true, rule: false });
    expect(await baseline('2')).toEqual({ first_argument: false, any_argument: true, rule: false });
    expect(await baseline('None')).toEqual({ first_argument: false, any_argument: false, rule: true });
  });

  it('predicts the start where the arguments have to be computed', async () => {
    const computed = parseProgram(code, 'f(1, len([0, 0]))');
    const entry = encodeDelta(computed, { event: 'call', frames: [], hiddenFrames: 0 }, start, 0);
    const { results } = await evaluateOutput(
      access(entry, encodeDelta(computed, start, end('3'), 1)),
      [{ ...problem, input: '1, len([0, 0])' }],
      { ...options, mode: 'jump', jumps: ['step_return'] },
    );
    expect(results[0]?.methods.step_return).toMatchObject({ right: true });
  });

  it('leaves out what does not fit, in order, and counts it', async () => {
    const problems = [
      { ...problem, id: 'python', code: 'def f(' },
      { ...problem, id: 'entry', entry: 'g' },
      problem,
      { ...problem, id: 'arguments', input: '1' },
      { ...problem, id: 'hidden', input: '...' },
      { ...problem, id: 'long', input: `1, '${'é'.repeat(250)}'` },
    ];
    const seen: string[] = [];
    const batch = await evaluateOutput(access(delta(start, end('3'))), problems, {
      ...options,
      mode: 'jump',
      jumps: ['step_return'],
      onProgress: (done, total) => seen.push(`${done}/${total}`),
    });
    expect(batch.results.map(({ id }) => id)).toEqual(['sum']);
    expect(batch.leftOut).toEqual([
      { id: 'python', reason: 'invalid_python' },
      { id: 'entry', reason: 'invalid_entry' },
      { id: 'arguments', reason: 'invalid_entry' },
      { id: 'hidden', reason: 'hidden_arguments' },
      { id: 'long', reason: 'context_too_long' },
    ]);
    expect(seen.at(-1)).toBe('6/6');
    expect(outputReport(batch, 'jump', 'step_return')).toMatchObject({
      n: 1,
      pass_at_1: 1,
      left_out: 5,
      left_out_reasons: { invalid_entry: 2, hidden_arguments: 1 },
      pass_at_1_of_all: 1 / 6,
    });
  });

  it('fails when the engine does', async () => {
    const closed = access(new ForetraceError('engine_closed', 'gone'));
    expect(await codeOf(evaluateOutput(closed, [problem, problem], options))).toBe('engine_closed');
    expect(closed.service.requests).toHaveLength(1);
  });

  it('counts outputs that no value can hold', async () => {
    const long = { ...problem, output: `'${'a'.repeat(1100)}'` };
    const cut = end(`'${'a'.repeat(1022)}…`);
    const batch = await evaluateOutput(access(delta(start, cut)), [long], {
      ...options,
      mode: 'jump',
      jumps: ['step_return'],
    });
    expect(outputReport(batch, 'jump', 'step_return')).toMatchObject({ pass_at_1: 0, output_too_long: 1 });
  });

  it.each([
    ['jump', ['breakpoint', 'continue'], 'breakpoint'],
    ['walk', jumpKinds, 'walk'],
    ['auto', jumpKinds, 'auto'],
  ] as const)('%s: the main method', (mode, jumps, method) => {
    expect(mainMethod({ mode, jumps })).toBe(method);
  });
});

describe('a vote', () => {
  const attempt = (value: string | null): Attempt => ({
    end: value === null ? 'steps' : 'reached',
    states: [start, value === null ? second : end(value)],
    probability: 1,
  });
  it.each<[(string | null)[], number]>([
    [['1', '2', '2.0'], 1],
    [['1', '2', '3'], 0],
    [[null, null, '3'], 2],
    [['2', '1', '1', '2'], 0],
    [[null, null], 0],
  ])('of %j', (values, winner) => {
    const attempts = values.map(attempt);
    expect(voted(attempts)).toBe(attempts[winner]);
  });
});

describe('a walk beside the real run', () => {
  const walked = [start, second, third('3'), end('3')];
  const compare = (states: DebuggerState[], run = events) => compareWalk(program, states, { events: run });
  const wrongAt = (index: number, change: Partial<RealEvent>) =>
    compare(
      walked,
      events.map((event, at) => (at === index ? { ...event, ...change } : event)),
    );

  it('is right when everything is, and wrong from the first difference', () => {
    expect(compare(walked)).toMatchObject({ length: 3, first_wrong: null });
    const changes: Partial<RealEvent>[] = [
      { event: 'exception' },
      { line: 2 },
      { depth: 2 },
      { locals: { a: '1', b: '2', total: '4' } },
      { locals: { a: '1', b: '2' } },
      { value: '9' },
    ];
    for (const change of changes) expect(wrongAt(2, change)).toMatchObject({ first_wrong: 2 });
    expect(wrongAt(0, { line: 2 })).toMatchObject({ first_wrong: 0 });
  });

  it('is wrong where it ends early', () => {
    expect(compare(walked.slice(0, 2))).toMatchObject({ first_wrong: 2 });
  });

  it('has lines of code: others stand for the one before', () => {
    const text = 'def f():\n    x = """\n    a\n    """\n    return 1\n';
    const multi = parseProgram(text, 'f()');
    const run = { events: [{ event: 'line', line: 3, depth: 1, locals: {} } as const] };
    expect(compareWalk(multi, [state('line', 2, {})], run)).toMatchObject({ first_wrong: null });
  });

  it('knows an exception that nobody caught, and runs that are none', () => {
    const raised: RealEvent[] = [
      { event: 'exception', line: 2, depth: 1, locals: {}, value: 'E()' },
      { event: 'return', line: 2, depth: 1, locals: {}, value: 'None' },
    ];
    expect(compare([], raised)).toMatchObject({ raised: true, first_wrong: 0 });
    expect(compareWalk(program, [], { failed: 'time_limit' })).toEqual({ failed: 'time_limit' });
  });
});
