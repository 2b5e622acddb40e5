/** Where closed questions are asked (language/closed.ts): a program that does nothing, in a state without names. All of them share one beginning of their prompts. */
import { type Program, parseProgram } from './program.js';
import type { DebuggerState } from './state.js';

export const blank: { readonly program: Program; readonly state: DebuggerState } = {
  program: parseProgram('def f():\n    return 0\n', 'f()'),
  state: { event: 'line', frames: [{ line: 2, locals: new Map(), its: [], gots: [] }], hiddenFrames: 0 },
};
