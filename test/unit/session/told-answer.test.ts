/** Steps of which all is told: they need no question, and whatever the model answered it would be read as the same state. */
import { describe, expect, it } from 'vitest';
import type { ActionKind } from '../../../src/debugger/action.js';
import { grammarOf } from '../../../src/debugger/language/grammar.js';
import { special } from '../../../src/debugger/language/tokens.js';
import { encodeValue } from '../../../src/debugger/language/values.js';
import { type Program, parseProgram } from '../../../src/debugger/program.js';
import type { DebuggerState } from '../../../src/debugger/state.js';
import { askModel, type ModelReply } from '../../../src/session/ask-model.js';
import type { AskOptions } from '../../../src/session/submit-question.js';
import { RandomService } from '../../support/random-service.js';
import { stateOf as at, scriptedStep, stepOf } from '../../support/scripted-step.js';
import { frameAt } from '../../support/states.js';
import { stateAt, trueRuns } from '../../support/true-runs.js';
import { goldenTransitions, stateOf } from '../debugger/golden.js';

interface Asked extends ModelReply {
  /** Questions for the step itself. */
  readonly steps: number;
  /** Questions in all. */
  readonly asked: number;
}

/** A step whose questions are answered at random, those of workings alike whatever `seed` is; undefined where nothing comes after it. */
async function step(
  program: Program,
  state: DebuggerState,
  kind: ActionKind,
  answersTold: boolean,
  seed = 0,
): Promise<Asked | undefined> {
  const { start } = grammarOf(program).forEvaluation();
  const isWorking = (request: { readonly constraint?: { readonly state: number } }): boolean =>
    request.constraint?.state === start.state;
  const service = new RandomService((request) => (isWorking(request) ? 1 : 2 + seed));
  const access = {
    modelDigest: 'm',
    maxContext: 2048,
    maxAnswerTokens: 256,
    showsWorkings: true,
    answersTold,
    service,
  };
  try {
    const reply = await askModel(access, stepOf(program, state, kind));
    const { requests } = service;
    return { ...reply, steps: requests.filter((one) => !isWorking(one)).length, asked: requests.length };
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'past_end') return undefined;
    throw error;
  }
}

const worlds: readonly (readonly [name: string, program: Program, states: readonly DebuggerState[]])[] = [
  ...trueRuns.map(
    ({ name, program, states }) => [name, program, states.filter((_, index) => index % 3 === 0)] as const,
  ),
  ...goldenTransitions().map(({ source, call, cases }, index) => {
    const states = cases.map(({ stack }) => stateOf(stack)).filter(({ frames }) => frames.length > 0);
    return [`golden ${index}`, parseProgram(source, call), states] as const;
  }),
];

describe('an answer of which all is told', () => {
  it('is what any legal answer is read as', async () => {
    const count = { told: 0, asked: 0 };
    for (const [name, program, states] of worlds)
      for (const [index, state] of states.entries())
        for (const kind of ['step_into', 'step_over'] as const) {
          const told = await step(program, state, kind, true);
          if (told === undefined) continue;
          count[told.steps === 0 ? 'told' : 'asked'] += 1;
          if (told.steps > 0) continue;
          for (const seed of [0, 1, 2]) {
            const asked = await step(program, state, kind, false, seed);
            expect(asked?.delta.state, `${name}, state ${index}, ${kind}`).toEqual(told.delta.state);
          }
        }
    expect(count.told).toBeGreaterThan(0.2 * count.asked);
  });

  it('is the next state of the run, where nothing was asked for it', async () => {
    let told = 0;
    for (const run of trueRuns)
      for (const { from, action, to } of run.answers) {
        if (to < 0 || (action.kind !== 'step_into' && action.kind !== 'step_over')) continue;
        const reply = await step(run.program, stateAt(run, from), action.kind, true);
        if (reply?.asked !== 0) continue;
        told += 1;
        expect(reply.delta.state, `${run.name}, state ${from}`).toEqual(stateAt(run, to));
      }
    expect(told).toBeGreaterThan(100);
  });

  const program = parseProgram('def f(x):\n    y = 3\n    y = x + 1\n    return y\n', 'f(2)');
  const line = (number: number, locals: Record<string, string>) => at('line', [frameAt(number, locals)]);

  it('costs nothing, is sure, and is derived', async () => {
    const reply = await step(program, line(4, { x: '2', y: '3' }), 'step_into', true);
    expect(reply?.asked).toBe(0);
    expect(reply?.delta.state).toMatchObject({ event: 'return', value: '3' });
    expect(reply).toMatchObject({
      probability: 1,
      result: { origin: 'derived', counts: { new: 0, cached: 0 } },
    });
    expect(reply?.delta.probability).toEqual({ event: 1, line: 1, locals: new Map(), value: 1 });
  });

  it('is the model’s where some of it was worked out', async () => {
    const three = [special.value, ...encodeValue(program, '3'), special.end];
    const before = line(3, { x: '2', y: '3' });
    const worked = await scriptedStep(program, before, 'step_into', [three], true);
    expect(worked).toMatchObject({
      asked: 1,
      probability: expect.closeTo(0.5 ** three.length),
      result: { origin: 'model' },
    });
    expect(worked.delta.state).toEqual(line(4, { x: '2', y: '3' }));
  });

  it.each<[why: string, text: string, locals: Record<string, string>]>([
    ['a name may be unbound', 'return z', { x: '2' }],
    ['something may be raised', 'x.y = 3', { x: '<C object>' }],
    ['it may be raised by an index', 'y = x[5]', { x: '[1, 2]' }],
    ['what is called is not the program’s', 'y = g(x)', { x: '2' }],
  ])('is asked where %s', async (_, text, locals) => {
    const other = parseProgram(`def f(x):\n    ${text}\n    z = 1\n`, 'f(2)');
    expect((await step(other, line(2, locals), 'step_into', true))?.steps).toBe(1);
  });

  it('is asked for what leads further than one event', async () => {
    expect((await step(program, line(2, { x: '2' }), 'step_return', true))?.steps).toBe(1);
  });

  it('lets others have their turn, and ends where nobody wants it any more, as a question does', async () => {
    const access = { modelDigest: 'm', maxContext: 512, maxAnswerTokens: 64, answersTold: true };
    const service = new RandomService(() => 0);
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 20);
    const question = stepOf(program, line(2, { x: '2' }), 'step_into');
    const ask = (more: Partial<AskOptions>) => askModel({ ...access, service }, { ...question, ...more });
    const goOn = async (): Promise<void> => {
      for (;;) await ask({ signal: controller.signal });
    };
    await expect(goOn()).rejects.toMatchObject({ code: 'cancelled' });
    await expect(ask({ deadline: performance.now() - 1 })).rejects.toMatchObject({
      code: 'deadline_exceeded',
    });
    expect(service.requests).toEqual([]);
  });
});
