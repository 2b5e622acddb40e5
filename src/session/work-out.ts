/** Has the model work out the values of the expressions that a step or a question is made of, before it is asked (docs/trace-language.md, section 9). */
import { AnswerDecoder, isAnswerProblem } from '../debugger/language/decode-answer.js';
import { encodeAnswer, encodeAsked } from '../debugger/language/encode.js';
import type { ProgramGrammar } from '../debugger/language/grammar.js';
import type { WorkedAnswer, WorkedAnswers, Workings } from '../debugger/language/workings.js';
import type { Program } from '../debugger/program.js';
import type { DebuggerState } from '../debugger/state.js';
import { ForetraceError } from '../errors.js';
import { type Cost, noCost, sumOf } from './cost.js';
import { type AskOptions, fits, type ModelAccess, submitQuestion } from './submit-question.js';

/** What the step or question is asked of, and how. */
export interface WorkedQuestion extends AskOptions {
  readonly program: Program;
  readonly grammar: ProgramGrammar;
  readonly state: DebuggerState | null;
}

/** Code tokens with values in place of what was worked out, and what the answers have cost. */
export interface WorkedOut {
  readonly code: readonly number[];
  readonly cost: Cost;
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
): Promise<WorkedOut> {
  const answers = new Map<string, WorkedAnswer>();
  let cost = noCost;
  for (;;) {
    const { code, open } = workings(answers);
    if (open.length === 0) return { code, cost };
    const replies = await Promise.all(
      open.map(async ({ key, question: asked }) => ({ key, ...(await ask(access, question, asked)) })),
    );
    for (const { key, answer } of replies) answers.set(key, answer);
    cost = replies.reduce((sum, reply) => sumOf(sum, reply.cost), cost);
  }
}

interface Reply {
  /** null where it cannot be used, or the question does not fit the model. */
  readonly answer: WorkedAnswer;
  readonly cost: Cost;
}

async function ask(access: ModelAccess, question: WorkedQuestion, asked: readonly number[]): Promise<Reply> {
  const { program, grammar, state, sampling, client, priority, fresh, signal, deadline } = question;
  const tokens = encodeAsked(program, state, asked);
  if (!fits(access, tokens.length)) return { answer: null, cost: noCost };
  const prompt = { tokens, programTokens: program.tokens.length, grammar: grammar.forEvaluation() };
  const decoder = new AnswerDecoder(program);
  const limits = { ...(signal ? { signal } : {}), ...(deadline === undefined ? {} : { deadline }) };
  const cost = await submitQuestion(
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
  return { answer: encodeAnswer(program, answer), cost };
}
