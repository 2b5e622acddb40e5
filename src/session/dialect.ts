/** The seam for models that speak another language than the trace language: they know one question, which event comes next. */
import type { Action } from '../debugger/action.js';
import type { DebuggerState } from '../debugger/state.js';
import { ForetraceError } from '../errors.js';
import type { ModelReply, Question } from './ask-model.js';
import type { ModelAccess } from './submit-question.js';

export interface Dialect {
  readonly name: string;
  /** Of its prompts and answers: those of different versions do not mix. */
  readonly version: number;
  /** Whether the model can answer an action by one prediction. */
  answers(state: DebuggerState | null, action: Action): boolean;
  /**
   * Asks for the state an action that it `answers` leads to.
   * @throws ForetraceError as askModel
   */
  ask(access: ModelAccess, question: Question): Promise<ModelReply>;
}

/** What is said of an action that the model has no prediction for. */
export const unanswerable = ({ kind }: Action, { name }: Dialect): ForetraceError =>
  new ForetraceError('invalid_action', `a model of the dialect ${name} has no such answer`, {
    expected: 'step_into, or another action by walking (mode walk or auto)',
    actual: kind,
  });

/** What is said of an expression: the model knows no questions. */
export const unaskable = (expression: string, { name }: Dialect): ForetraceError =>
  new ForetraceError('invalid_expression', `a model of the dialect ${name} is asked no expressions`, {
    expected: 'the name of a local, or a literal',
    actual: expression,
  });
