/** A step into what comes next, of which the model believes something. */
import { expect } from 'vitest';
import { encodeDelta } from '../../src/debugger/language/encode.js';
import { special } from '../../src/debugger/language/tokens.js';
import { encodeValue } from '../../src/debugger/language/values.js';
import type { Program } from '../../src/debugger/program.js';
import type { DebuggerState } from '../../src/debugger/state.js';
import { GrammarWalker } from '../../src/native/grammar-walker.js';
import { scriptedStep } from './scripted-step.js';

/** A step that the model believes to lead to `wrong`. answers: of the questions before it; accepts: whether its answer might lead to another state. */
export async function believedStep(
  program: Program,
  before: DebuggerState,
  wrong: DebuggerState,
  answers: readonly string[] = [],
) {
  const script = [
    ...answers.map((value) => [special.value, ...encodeValue(program, value), special.end]),
    encodeDelta(program, before, wrong, 1),
  ];
  const { delta, constraint, asked } = await scriptedStep(program, before, 'step_into', script);
  expect(asked).toBe(script.length);
  const accepts = (after: DebuggerState): boolean => {
    if (constraint === undefined) throw new Error('the step was held to nothing');
    const walker = new GrammarWalker(constraint.data, constraint.state, constraint.frames, 200);
    return encodeDelta(program, before, after, 1).every((token) => walker.accept(token));
  };
  const { frames, value } = delta.state;
  return { locals: Object.fromEntries(frames.at(-1)?.locals ?? []), value, accepts };
}
