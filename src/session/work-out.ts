/** Has the model work out the values of the expressions that a step or a question is made of, before it is asked (docs/trace-language.md, section 9). */
import { AnswerDecoder, isAnswerProblem } from '../debugger/language/decode-answer.js';
import { encodeAnswer, encodeAsked } from '../debugger/language/encode.js';
import type { ProgramGrammar } from '../debugger/language/grammar.js';
import type { WorkedAnswer, WorkedAnswers, Working, Workings } from '../debugger/language/workings.js';
import type { Program } from '../debugger/program.js';
import type { DebuggerState } from '../debugger/state.js';
import { ForetraceError } from '../errors.js';
import { type AskOptions, assertFits, type ModelAccess, submitQuestion } from './submit-question.js';

/** What the step or question is asked of, and how. */
export interface WorkedQuestion extends AskOptions {
  readonly program: Program;
  readonly grammar: ProgramGrammar;
  readonly state: DebuggerState | null;
}

/**
 * The code tokens of the line or expression with values in place of what was worked out: asks for what is open until nothing is, all that can be asked at once
 * together.
 * @throws ForetraceError cancelled, deadline_exceeded, overloaded, draining, out_of_pages, internal
 */
export async function workOut(
  access: ModelAccess,
  question: WorkedQuestion,
  workings: (answers: WorkedAnswers) => Workings,
): Promise<readonly number[]> {
  const answers = new Map<string, WorkedAnswer>();
  for (;;) {
    const { code, open } = workings(answers);
    if (open.length === 0) return code;
    const found = await Promise.all(open.map((working) => ask(access, question, working)));
    for (const [index, { key }] of open.entries()) answers.set(key, found[index] ?? null);
  }
}

/** The model's answer to one question; null where it cannot be used, or the question does not fit the model. */
async function ask(access: ModelAccess, question: WorkedQuestion, working: Working): Promise<WorkedAnswer> {
  const { program, grammar, state, sampling, client, priority, fresh, signal, deadline } = question;
  const tokens = encodeAsked(program, state, working.question);
  try {
    assertFits(access, tokens.length);
  } catch (error) {
    if (error instanceof ForetraceError && error.code === 'context_too_long') return null;
    throw error;
  }
  const prompt = { tokens, programTokens: program.tokens.length, grammar: grammar.forEvaluation() };
  const decoder = new AnswerDecoder(program);
  const limits = { ...(signal ? { signal } : {}), ...(deadline === undefined ? {} : { deadline }) };
  await submitQuestion(
    access,
    prompt,
    { sampling, client, priority, fresh, ...limits },
    (token, logProbability) => decoder.push(token, logProbability),
  );
  const answer = decoder.finish();
  if (isAnswerProblem(answer))
    throw new ForetraceError('internal', 'the grammar let a malformed answer pass', {
      expected: answer.expected,
      actual: answer.actual,
    });
  return encodeAnswer(program, answer);
}
