/** One question about one state, by whatever name it is asked. */
import { expect, it } from 'vitest';
import type { ActionKind } from '../../../src/debugger/action.js';
import { encodeDelta } from '../../../src/debugger/language/encode.js';
import { grammarOf } from '../../../src/debugger/language/grammar.js';
import { special } from '../../../src/debugger/language/tokens.js';
import { parseProgram } from '../../../src/debugger/program.js';
import type { DebuggerState } from '../../../src/debugger/state.js';
import { greedy } from '../../../src/scheduler/request.js';
import { askStep } from '../../../src/session/step.js';
import { ScriptedService } from '../../support/scripted-service.js';
import { frameAt } from '../../support/states.js';

const program = parseProgram(
  'def g(x):\n    y = x + 1\n    return y\ndef f(a):\n    b = g(a)\n    return b\n',
  'f(3)',
);
const within = (event: 'line' | 'return' | 'call', line: number, value?: string): DebuggerState => ({
  event,
  frames: [frameAt(5, { a: '3' }), frameAt(line, event === 'call' ? { x: '3' } : { x: '3', y: '4' })],
  hiddenFrames: 0,
  ...(value === undefined ? {} : { value }),
});
const inCaller = (line: number, names: Record<string, string>): DebuggerState => ({
  event: 'line',
  frames: [frameAt(line, names)],
  hiddenFrames: 0,
});

/** The prompt of a step whose answer is `after`. */
async function promptOf(
  state: DebuggerState,
  kind: ActionKind,
  after: DebuggerState,
): Promise<Int32Array | undefined> {
  const service = new ScriptedService();
  // What is unsure would be checked by another question.
  service.probability = 1;
  service.script.push(encodeDelta(program, state, after, 1));
  const access = { service, modelDigest: 'm', maxContext: 512, maxAnswerTokens: 64 };
  const action = { kind, lines: [] };
  const question = { program, grammar: grammarOf(program), state, action, sampling: greedy } as const;
  const asked = { ...question, client: 'me', priority: 'interactive', fresh: false } as const;
  await askStep(access, null, asked);
  return service.requests[0]?.prompt;
}

it.each<[ActionKind, ActionKind, DebuggerState, DebuggerState]>([
  ['step_over', 'step_into', within('return', 3, '4'), inCaller(6, { a: '3', b: '4' })],
  ['step_return', 'step_into', within('return', 3, '4'), inCaller(6, { a: '3', b: '4' })],
  ['inv_step_over', 'inv_step_into', within('call', 1), inCaller(5, { a: '3' })],
  ['inv_step_call', 'inv_step_into', within('call', 1), inCaller(5, { a: '3' })],
])('%s at the border of a frame is %s', async (kind, same, state, after) => {
  expect(await promptOf(state, kind, after)).toEqual(await promptOf(state, same, after));
});

it('within a frame they are different questions', async () => {
  const [state, after] = [within('line', 3), within('return', 3, '4')];
  const prompts = [await promptOf(state, 'step_over', after), await promptOf(state, 'step_into', after)];
  expect(prompts[0]).not.toEqual(prompts[1]);
  expect(prompts[0]?.includes(special.keyframe)).toBe(true);
});
