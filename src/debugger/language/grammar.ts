/**
 * Compiles a program to the automaton of its possible answers. What an answer may be follows from the action (DESIGN, section 4):
 *
 * | action | from | frames left | lands in |
 * | --- | --- | --- | --- |
 * | step_into | call, line, exception | none | line, exception, return of the same frame; `call` of a frame it enters |
 * | step_over | call, line, exception | none | line, exception, return of the same frame |
 * | step_return | call, line, exception | none | return of the same frame |
 * | these three | return | one | as step_into from its caller |
 * | inv_step_into | line, return, exception | none | call, line, exception of the same frame; `return` of a frame it called |
 * | inv_step_over | line, return, exception | none | call, line, exception of the same frame |
 * | inv_step_call | line, return, exception | none | call of the same frame |
 * | these three | call | one | as inv_step_into from its caller |
 * | continue, inv_continue | any | all but the outermost | return, call of the outermost |
 * | breakpoint | any | any (from return: at least one) | one of the lines, frames entered or not; else return of the outermost |
 * | inv_breakpoint | any | any (from call: at least one) | one of the lines, frames entered or not; else call of the outermost |
 *
 * Single steps are held to the control flow of the program besides (step-constraints.ts).
 *
 * A generator leaves the stack when it yields and comes back by `call`, as a frame that is entered. Where the entry may make several calls one
 * after another (a class with __new__, a builtin with callbacks), the outermost frame may be left too.
 */
import { LRUCache } from 'lru-cache';
import { type Action, takesLines } from '../action.js';
import type { Program } from '../program.js';
import type { DebuggerState } from '../state.js';
import type { GrammarData } from './automaton.js';
import { BreakpointGrammar } from './breakpoint-grammar.js';
import { type Direction, directionOf, type GrammarOptions, type GrammarStart } from './question-automaton.js';
import type { Known } from './step-constraints.js';
import { StepGrammar } from './step-grammar.js';

export type { GrammarData } from './automaton.js';
export type { GrammarOptions, GrammarStart } from './question-automaton.js';
export type { Ended, Known } from './step-constraints.js';

const defaultGrammarOptions: GrammarOptions = { valueTokens: 176, enteredFrames: 8 };

/** A grammar for one question. Equal keys have equal data. */
export interface QuestionGrammar {
  readonly key: string;
  readonly data: GrammarData;
  readonly start: GrammarStart;
}

/**
 * The grammars of one program: one of the actions forward without lines (and of expressions), one of those back, and one for each breakpoint set. What was not
 * used for long is compiled again.
 */
export interface ProgramGrammar {
  /**
   * The grammar and start of a question. `null`: before the entry. `known`: what is known of a single step besides. Throws past_end, past_start,
   * invalid_action.
   */
  forQuestion(state: DebuggerState | null, action: Action, known?: Known): QuestionGrammar;
  /** The grammar and start of the answer to an expression. */
  forEvaluation(): QuestionGrammar;
}

/** Compiles a program's grammars. The work is done on first use. */
export const compileGrammar = (program: Program, options: Partial<GrammarOptions> = {}): ProgramGrammar =>
  new Grammars(program, { ...defaultGrammarOptions, ...options });

const compiled = new WeakMap<Program, ProgramGrammar>();

/** The grammars of a program with default options, compiled once for all who hold the same Program. */
export function grammarOf(program: Program): ProgramGrammar {
  const known = compiled.get(program) ?? compileGrammar(program);
  compiled.set(program, known);
  return known;
}

/** Automata of all programs, at most so many bytes: a program has one for each direction of its steps and for each set of breakpoints it is asked about. */
const keptBytes = 128 * 1024 * 1024;
const automata = new LRUCache<string, StepGrammar | BreakpointGrammar>({
  maxSize: keptBytes,
  sizeCalculation: ({ bytes }) => bytes,
});

/** The automaton kept under `key`, or a new one. */
function kept<Grammar extends StepGrammar | BreakpointGrammar>(key: string, build: () => Grammar): Grammar {
  const known = automata.get(key);
  if (known !== undefined) return known as Grammar;
  const grammar = build();
  automata.set(key, grammar);
  return grammar;
}

class Grammars implements ProgramGrammar {
  private readonly prefix: string;

  constructor(
    private readonly program: Program,
    private readonly options: GrammarOptions,
  ) {
    const { textDigest, hasSeveralCalls, hidesArguments } = program;
    this.prefix = [
      textDigest,
      hasSeveralCalls,
      hidesArguments,
      options.valueTokens,
      options.enteredFrames,
    ].join(':');
  }

  private steps(direction: Direction): { readonly key: string; readonly grammar: StepGrammar } {
    const key = `${this.prefix}:${direction}`;
    return { key, grammar: kept(key, () => new StepGrammar(this.program, this.options, direction)) };
  }

  forEvaluation(): QuestionGrammar {
    const { key, grammar } = this.steps('forward');
    return { key, data: grammar.data, start: { state: grammar.evaluation, frames: new Int32Array(0) } };
  }

  forQuestion(state: DebuggerState | null, action: Action, known?: Known): QuestionGrammar {
    if (!takesLines(action.kind)) {
      const { key, grammar } = this.steps(directionOf(action));
      return { key, data: grammar.data, start: grammar.start(state, action, known) };
    }
    const key = `${this.prefix}:${action.kind}:${action.lines.join()}`;
    const grammar = kept(key, () => new BreakpointGrammar(this.program, this.options, action));
    return { key, data: grammar.data, start: grammar.start(state) };
  }
}
