/** Has the model work out the values of the expressions that a step or a question is made of, before it is asked (docs/trace-language.md, section 9). */
import { blank } from '../debugger/blank.js';
import { type DecimalCall, decimalCall, ofDecimals } from '../debugger/language/decimal-calls.js';
import { AnswerDecoder, isAnswerProblem } from '../debugger/language/decode-answer.js';
import { encodeAnswer, encodeAsked } from '../debugger/language/encode.js';
import { expectedAnswer } from '../debugger/language/expected-answer.js';
import { expressionParts } from '../debugger/language/expression-parts.js';
import { toldIn } from '../debugger/language/frame-literals.js';
import type { ProgramGrammar } from '../debugger/language/grammar.js';
import type { WorkedAnswer, WorkedAnswers } from '../debugger/language/line-values.js';
import type { Workings } from '../debugger/language/line-walk.js';
import type { Working } from '../debugger/language/open-questions.js';
import { special } from '../debugger/language/tokens.js';
import { valueWorkings } from '../debugger/language/workings.js';
import type { Program } from '../debugger/program.js';
import { currentFrame, type DebuggerState } from '../debugger/state.js';
import { ForetraceError } from '../errors.js';
import { withCancellation } from './cancellation.js';
import { type Cost, noCost, type Paid, sumOf, sumOfPaid, unasked } from './cost.js';
import { type AskOptions, fits, type ModelAccess, submitQuestion } from './submit-question.js';

/** What the step or question is asked of, and how. */
export interface WorkedQuestion extends AskOptions {
  readonly program: Program;
  readonly grammar: ProgramGrammar;
  readonly state: DebuggerState | null;
}

/** Code tokens with values in place of what was worked out. */
export interface WorkedOut {
  readonly code: readonly number[];
  /** Of all answers together, those that took no place included. */
  readonly logProbability: number;
  readonly cost: Cost;
}

/** Most questions that are asked together: one step of one client does not fill the queue with the items of a comprehension. */
const mostTogether = 8;
/** Most tokens of one answer: a longer one takes no place. */
const longestAnswer = 160;

/**
 * Works out the line of a step, or the expression of a question, in rounds: what does not wait for another answer is asked together, up to eight. What looks
 * ahead asks one at a time, for the scheduler takes few such requests at once. The first error ends it and stops the other questions.
 * @throws ForetraceError cancelled, deadline_exceeded, overloaded, draining, out_of_pages, internal
 */
export async function workOut(
  access: ModelAccess,
  question: WorkedQuestion,
  workings: (answers: WorkedAnswers) => Workings,
): Promise<WorkedOut> {
  const answers = new Map<string, WorkedAnswer>();
  let [cost, logProbability] = [noCost, 0];
  for (;;) {
    const { code, open } = workings(answers);
    if (open.length === 0) return { code, logProbability, cost };
    const now = open.slice(0, question.priority === 'ahead' ? 1 : mostTogether);
    for (const [index, reply] of (await together(access, question, now)).entries()) {
      answers.set((now[index] as Working).key, reply.answer);
      logProbability += reply.logProbability;
      cost = sumOf(cost, reply.cost);
    }
  }
}

/** Asks several questions at once. */
async function together(
  access: ModelAccess,
  question: WorkedQuestion,
  workings: readonly Working[],
): Promise<Reply[]> {
  const [only, ...others] = workings;
  if (only !== undefined && others.length === 0) return [await ask(access, question, only)];
  return withCancellation(question.signal, (signal) =>
    Promise.all(workings.map((working) => ask(access, { ...question, signal }, working))),
  );
}

/**
 * The code of a line with what is worked out of it; as it is where it needs nothing.
 * @throws ForetraceError as workOut
 */
export const workedCode = async (
  access: ModelAccess,
  question: WorkedQuestion,
  code: readonly number[],
  workings: ((answers: WorkedAnswers) => Workings) | undefined,
): Promise<WorkedOut> => (workings ? workOut(access, question, workings) : { ...unasked, code });

interface Reply {
  /** null where the question does not fit the model. */
  readonly answer: WorkedAnswer;
  readonly logProbability: number;
  readonly cost: Cost;
}

/** A question, and the state that it is asked about: one without names about none in particular, so that its answer serves for all. */
function placed(
  { program, grammar, state }: WorkedQuestion,
  { question, closed }: Working,
): Pick<WorkedQuestion, 'program' | 'grammar' | 'state'> & { readonly asked: readonly number[] } {
  if (closed === undefined) return { program, grammar, state, asked: question };
  return { ...blank(), asked: closed };
}

async function ask(access: ModelAccess, question: WorkedQuestion, working: Working): Promise<Reply> {
  const call = working.closed && decimalCall(working.closed);
  return call ? reckoned(access, question, call) : askWhole(access, question, working);
}

/** What a call with decimals comes to, one question after the other. */
async function reckoned(access: ModelAccess, question: WorkedQuestion, call: DecimalCall): Promise<Reply> {
  const { program, grammar, state } = blank();
  const frame = currentFrame(state);
  let paid: Paid = unasked;
  const value = await ofDecimals(call, async (code) => {
    const workings = valueWorkings(program, frame, code);
    if (workings === undefined) return undefined;
    const worked = await workOut(access, { ...question, program, grammar, state }, workings);
    paid = sumOfPaid(paid, worked);
    const part = expressionParts(worked.code);
    return part && toldIn(program, frame, worked.code, part);
  });
  return { answer: value ? [special.value, ...value] : null, ...paid };
}

async function askWhole(access: ModelAccess, question: WorkedQuestion, working: Working): Promise<Reply> {
  const { sampling, client, priority, fresh, signal, deadline } = question;
  const { program, grammar, state, asked } = placed(question, working);
  const tokens = encodeAsked(program, state, asked);
  if (!fits(access, tokens.length)) return { answer: null, ...unasked };
  const prompt = {
    tokens,
    programTokens: program.tokens.length,
    grammar: grammar.forEvaluation(),
    expected: expectedAnswer(program, asked),
  };
  const decoder = new AnswerDecoder(program);
  const bounds = { ...(signal && { signal }), ...(deadline !== undefined && { deadline }) };
  const maxAnswerTokens = Math.min(access.maxAnswerTokens, longestAnswer);
  const cost = await submitQuestion(
    { ...access, maxAnswerTokens },
    prompt,
    { sampling, client, priority, fresh, ...bounds },
    (token, logProbability) => decoder.push(token, logProbability),
  );
  const answer = decoder.finish();
  if (isAnswerProblem(answer))
    throw new ForetraceError('internal', 'the grammar let a malformed answer pass', {
      expected: answer.expected,
      actual: answer.actual,
    });
  const logProbability = Math.log(answer.probability);
  return { answer: encodeAnswer(question.program, answer), logProbability, cost };
}
