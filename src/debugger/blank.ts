/** Where closed questions are asked (language/closed.ts): a program that does nothing, in a state without names. All of them share one beginning of their prompts. */
import { grammarOf, type ProgramGrammar } from './language/grammar.js';
import { type Program, parseProgram } from './program.js';
import type { DebuggerState } from './state.js';

interface Blank {
  readonly program: Program;
  readonly grammar: ProgramGrammar;
  readonly state: DebuggerState;
}

let made: Blank | undefined;

/** Read when it is first needed: most commands ask nothing. */
export function blank(): Blank {
  made ??= read();
  return made;
}

function read(): Blank {
  const program = parseProgram('def f():\n    return 0\n', 'f()');
  const frame = { line: 2, locals: new Map(), its: [], gots: [] };
  return { program, grammar: grammarOf(program), state: { event: 'line', frames: [frame], hiddenFrames: 0 } };
}
