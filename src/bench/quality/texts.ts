/** What the model reads and is to write for a step of a real run. */
import { outcomeOf } from '../../debugger/language/conditions.js';
import { encodeDelta, encodePrompt } from '../../debugger/language/encode.js';
import { parseProgram } from '../../debugger/program.js';
import type { DebuggerState } from '../../debugger/state.js';
import type { EvaluationCase } from '../../eval/cases.js';
import { asShown } from '../../session/fitting-prompt.js';

export interface AnswerText {
  /** What is asked, then the true answer. */
  readonly tokens: Int32Array;
  /** Tokens before the answer. */
  readonly promptTokens: number;
}

/** The texts of a case's steps, one after the other; steps that are no `step_into` are left out. */
export function answerTexts({ source, call, transitions }: EvaluationCase): AnswerText[] {
  const program = parseProgram(source, call);
  return transitions
    .filter(({ action }) => action.kind === 'step_into')
    .map(({ before, after, action }) => {
      const prompt = encodePrompt(program, asShown(before), action);
      const holds = outcomeOf(program, before, after);
      const answer = encodeDelta(program, before, after, sharedFrames(before, after), holds);
      return { tokens: Int32Array.from([...prompt, ...answer]), promptTokens: prompt.length };
    });
}

const depth = (state: DebuggerState): number => state.frames.length + state.hiddenFrames;

/** Frames that one step leaves on the stack: a frame that returns goes, even if the same line enters another. */
function sharedFrames(before: DebuggerState, after: DebuggerState): number {
  const left = before.event === 'return' ? depth(before) - 1 : depth(before);
  return Math.min(left, depth(after));
}
