/** The value of an expression in a state: read off where it is a local or a literal, else predicted. */
import { encodeExpression } from '../debugger/language/expression.js';
import type { ProgramGrammar } from '../debugger/language/grammar.js';
import { literalText } from '../debugger/language/told.js';
import type { Program } from '../debugger/program.js';
import { currentFrame, type DebuggerState } from '../debugger/state.js';
import type { TokenCounts } from '../scheduler/request.js';
import { askValue } from './ask-model.js';
import { noCost } from './cost.js';
import type { AskOptions, ModelAccess } from './submit-question.js';

/** What an expression came to in a state. It has a value, or it raised an exception. */
export interface Evaluation {
  /** Normalised. */
  readonly expression: string;
  readonly outcome: 'value' | 'exception';
  /** Canonical bounded repr of the value or the exception. */
  readonly text: string;
  /** `derived`: a local, read off the state, or a literal. */
  readonly origin: 'model' | 'cache' | 'derived';
  /** Of the whole answer, given the state, 0..1. */
  readonly probability: number;
  readonly counts: TokenCounts;
  readonly queueMillis: number;
  readonly computeMillis: number;
  readonly preemptions: number;
}

export interface EvaluationQuestion extends AskOptions {
  readonly program: Program;
  readonly grammar: ProgramGrammar;
  readonly state: DebuggerState;
  readonly expression: string;
}

/** @throws ForetraceError invalid_expression, and what askValue throws */
export async function evaluateExpression(
  access: ModelAccess,
  question: EvaluationQuestion,
): Promise<Evaluation> {
  const expression = encodeExpression(question.program, question.expression);
  const { text, name, tokens } = expression;
  const known =
    name === undefined
      ? literalText(question.program, tokens)
      : currentFrame(question.state).locals.get(name);
  if (known !== undefined) {
    return {
      expression: text,
      outcome: 'value',
      text: known,
      origin: 'derived',
      probability: 1,
      ...noCost,
    };
  }
  const { answer, result } = await askValue(access, { ...question, expression });
  return {
    expression: text,
    outcome: answer.outcome,
    text: answer.text,
    origin: result.origin,
    probability: answer.probability,
    counts: result.counts,
    queueMillis: result.queueMillis,
    computeMillis: result.computeMillis,
    preemptions: result.preemptions,
  };
}
