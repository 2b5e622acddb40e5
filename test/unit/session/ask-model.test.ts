/** What one question asks of the scheduler: its key, and room for its answer. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { Action, ActionKind } from '../../../src/debugger/action.js';
import { encodeAnswer, encodeDelta } from '../../../src/debugger/language/encode.js';
import { compileGrammar } from '../../../src/debugger/language/grammar.js';
import { special } from '../../../src/debugger/language/tokens.js';
import { parseProgram } from '../../../src/debugger/program.js';
import type { DebuggerState, Frame } from '../../../src/debugger/state.js';
import { greedy } from '../../../src/scheduler/request.js';
import { createScheduler } from '../../../src/scheduler/scheduler.js';
import { askModel } from '../../../src/session/ask-model.js';
import { FakeEngine } from '../../support/fake-engine.js';
import { ScriptedService } from '../../support/scripted-service.js';

const recursion = parseProgram('def f(n):\n    f(n)\n    return n\n', 'f(1)');
const frame: Frame = { line: 2, locals: new Map([['n', '1']]), its: [], gots: [] };
const stackOf = (shown: number, hiddenFrames = 0): DebuggerState => ({
  event: 'line',
  frames: new Array<Frame>(shown).fill(frame),
  hiddenFrames,
});
const action = (kind: ActionKind, ...lines: number[]): Action => ({ kind, lines });
const context = { modelDigest: 'm', maxContext: 2048, maxAnswerTokens: 64 };

let service: ScriptedService;
beforeEach(() => {
  service = new ScriptedService();
});

const question = (program: typeof recursion, state: DebuggerState, asked: Action) => ({
  program,
  grammar: compileGrammar(program),
  state,
  action: asked,
  sampling: greedy,
  client: 'me',
  priority: 'interactive' as const,
  fresh: false,
});

/** Key and prompt of a question whose answer is the state itself. */
async function keyOf(program: typeof recursion, state: DebuggerState, asked: Action, sampling = greedy) {
  const depth = state.frames.length + state.hiddenFrames;
  service.script.push(encodeDelta(program, state, state, depth));
  await askModel({ ...context, service }, { ...question(program, state, asked), sampling });
  const { key, prompt } = service.requests.at(-1) ?? {};
  return { key, prompt };
}

it('says what it expects to be answered, of a step and of what is worked out for it, and no two questions differ by that', async () => {
  const program = parseProgram('def f(n):\n    n = 4 + 5\n    return n\n', 'f(1)');
  const before: DebuggerState = { event: 'line', frames: [frame], hiddenFrames: 0 };
  const at = (n: string): DebuggerState => ({
    ...before,
    frames: [{ ...frame, line: 3, locals: new Map([['n', n]]) }],
  });
  const answer = (text: string): number[] => [
    ...encodeAnswer(program, { outcome: 'value', text }),
    special.end,
  ];
  const ask = async (sum: string): Promise<void> => {
    service.script.push(answer(sum), encodeDelta(program, before, at(sum), 1));
    await askModel(
      { ...context, service, showsWorkings: true },
      question(program, before, action('step_over')),
    );
  };
  await ask('9');
  await ask('8');
  const expected = service.requests.map((request) => [...(request.expected ?? [])]);
  const [nine, after, again, afterEight] = expected;
  expect([nine, again]).toEqual([answer('9'), answer('9')]);
  expect(after).toEqual(encodeDelta(program, before, at('9'), 1));
  expect(afterEight).toEqual(encodeDelta(program, before, at('8'), 1));
  const keys = service.requests.map(({ key }) => key);
  expect(keys[2]).toBe(keys[0]);
  service.script.push(encodeDelta(program, before, before, 1));
  await askModel({ ...context, service }, question(program, before, action('continue')));
  expect(service.requests.at(-1)).not.toHaveProperty('expected');
});

describe('the key of a question', () => {
  it('is the same for equal questions', async () => {
    const first = await keyOf(recursion, stackOf(2), action('continue'));
    expect(await keyOf(recursion, stackOf(2), action('continue'))).toEqual(first);
  });

  it('tells sampled answers apart, and not greedy ones by what only a draw needs', async () => {
    const asked = action('continue');
    const keys = new Set<string | undefined>();
    for (const sampling of [
      greedy,
      { temperature: 1, topP: 1, seed: 0 },
      { temperature: 1, topP: 1, seed: 1 },
      { temperature: 1, topP: 0.5, seed: 0 },
      { temperature: 2, topP: 1, seed: 0 },
    ])
      keys.add((await keyOf(recursion, stackOf(2), asked, sampling)).key);
    expect(keys.size).toBe(5);
    const other = { temperature: 0, topP: 0.5, seed: 9 };
    expect(keys).toContain((await keyOf(recursion, stackOf(2), asked, other)).key);
  });

  it('tells stacks apart that differ in frames the prompt does not show', async () => {
    const shallow = await keyOf(recursion, stackOf(24), action('continue'));
    const deep = await keyOf(recursion, stackOf(24, 1), action('continue'));
    expect(deep.prompt).toEqual(shallow.prompt);
    expect(deep.key).not.toBe(shallow.key);
  });

  it('tells programs apart that read alike and show other names', async () => {
    const method = (name: string) =>
      parseProgram(
        `class A:\n    def m(self, ${name}):\n        return ${name}\ndef f(n):\n    return A().m(n)\n`,
        'f(1)',
      );
    const state: DebuggerState = {
      event: 'line',
      frames: [{ line: 5, locals: new Map([['n', '1']]), its: [], gots: [] }],
      hiddenFrames: 0,
    };
    const plain = await keyOf(method('x'), state, action('step_into'));
    const hidden = await keyOf(method('__x'), state, action('step_into'));
    expect(hidden.prompt).toEqual(plain.prompt);
    expect(hidden.key).not.toBe(plain.key);
  });
});

describe('room for the answer', () => {
  const scheduler = () =>
    createScheduler(new FakeEngine({ pages: 256, pageTokens: 16, maxContext: context.maxContext }));

  it.each([
    action('continue'),
    action('inv_continue'),
    action('breakpoint', 3),
  ])('$kind leaves any number of frames', async (asked) => {
    const { delta } = await askModel(
      { ...context, service: scheduler() },
      question(recursion, stackOf(24, 376), asked),
    );
    expect(delta.state.frames.length).toBeGreaterThan(0);
  });

  it('is context_too_long when the frames to leave do not fit', async () => {
    const asked = question(recursion, stackOf(24, 3000), action('continue'));
    await expect(askModel({ ...context, service: scheduler() }, asked)).rejects.toMatchObject({
      code: 'context_too_long',
    });
  });
});
