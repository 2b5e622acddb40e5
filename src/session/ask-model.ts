/** One question to the model: prompt and grammar in, decoded state or value out. The only place where debugger and scheduler meet. */
import { type Action, isReverse } from '../debugger/action.js';
import { expectedStep } from '../debugger/expected-step.js';
import { frozenNames } from '../debugger/frozen.js';
import { tellsGots } from '../debugger/gots.js';
import { withHiddenParts } from '../debugger/hidden-parts.js';
import { withHolders } from '../debugger/holders.js';
import { DeltaDecoder } from '../debugger/language/decode.js';
import { AnswerDecoder, type DecodedAnswer, isAnswerProblem } from '../debugger/language/decode-answer.js';
import { type DecodedDelta, type DecodedPart, isDecodeProblem } from '../debugger/language/decoded.js';
import { encodeAsked, encodeEvaluation, encodePrompt } from '../debugger/language/encode.js';
import type { EncodedExpression } from '../debugger/language/expression.js';
import type { ProgramGrammar } from '../debugger/language/grammar.js';
import type { LeftHandler } from '../debugger/language/known-parts.js';
import { literalText } from '../debugger/language/told.js';
import { expressionWorkings, questionFor, stepWorkings } from '../debugger/language/workings.js';
import { leftBehind } from '../debugger/left-behind.js';
import { leftHandlers } from '../debugger/left-handlers.js';
import type { Program } from '../debugger/program.js';
import { sharedVariables } from '../debugger/shared-variables.js';
import { currentFrame, type DebuggerState } from '../debugger/state.js';
import { toldAnswer } from '../debugger/told-answer.js';
import { waitingNames } from '../debugger/waiting.js';
import { ForetraceError } from '../errors.js';
import type { GenerationResult } from '../scheduler/request.js';
import { type Cost, noCost, sumOf, unasked } from './cost.js';
import { unaskable } from './dialect.js';
import { fittingPrompt } from './fitting-prompt.js';
import { settledCaller, settledLine } from './settle.js';
import { settledBranch } from './settle-branch.js';
import { settledComprehension } from './settle-comprehension.js';
import { settledComprehensionCalls } from './settle-comprehension-calls.js';
import { settledGenerator } from './settle-generator.js';
import { settledLibrary } from './settle-library.js';
import { settledMatch } from './settle-match.js';
import { settledMissing } from './settle-missing.js';
import { settledRaise } from './settle-raise.js';
import { settledSorted } from './settle-sorted.js';
import { settledStatement } from './settle-statement.js';
import { settledTakings } from './settle-takings.js';
import { settledTally } from './settle-tally.js';
import { settledWalrus } from './settle-walrus.js';
import { settledWithin } from './settle-within.js';
import { settledYieldFrom } from './settle-yield-from.js';
import {
  type AskOptions,
  answerLogProbability,
  assertFits,
  fits,
  type ModelAccess,
  type Prompt,
  submitQuestion,
} from './submit-question.js';
import { takeTurn } from './turn.js';
import { linesBefore, noLines } from './undo.js';
import { type WorkedOut, workOut } from './work-out.js';
import { workedLine } from './worked-line.js';

export type { ModelAccess } from './submit-question.js';

export interface Question extends AskOptions {
  readonly program: Program;
  readonly grammar: ProgramGrammar;
  /** null: before the entry's call. */
  readonly state: DebuggerState | null;
  readonly action: Action;
  readonly onPart?: (part: DecodedPart) => void;
}

export interface ModelReply {
  readonly delta: DecodedDelta;
  /** Of the whole answer, what was worked out for it included: the product over all tokens but those that stand where something is told. */
  readonly probability: number;
  readonly result: AnswerResult;
}

/** `derived`: all of it was told, and nothing was asked. */
type AnswerResult = Omit<GenerationResult, 'origin'> & {
  readonly origin: GenerationResult['origin'] | 'derived';
};

/**
 * Asks the model for the state `action` leads to, unless all of it is told (known-without-a-model.md).
 * @throws ForetraceError context_too_long, hidden_arguments, cancelled, overloaded, draining, out_of_pages, internal
 */
export async function askModel(access: ModelAccess, question: Question): Promise<ModelReply> {
  if (access.dialect) return access.dialect.ask(access, question);
  const { program, state, action, onPart } = question;
  const plain = fittingPrompt(access, state, (shown) => encodePrompt(program, shown, action));
  if (plain.length > mostContexts * access.maxContext) assertFits(access, plain.length);
  const reading = access.showsWorkings ? workedLine(access, question) : undefined;
  // What is read at once is asked about at once.
  const read = reading instanceof Promise ? await reading : reading;
  const workings = access.showsWorkings ? stepWorkings(program, state, action, read?.code) : undefined;
  const worked = workings
    ? await workOut(access, question, workings)
    : read && { ...unasked, code: read.code };
  const left = leftBehind(program, state, action);
  const settled =
    (await settledGenerator(access, question)) ??
    (await settledYieldFrom(access, question)) ??
    (await settledComprehensionCalls(access, question)) ??
    (await settledCaller(access, question, left, worked?.code)) ??
    settledRaise(access, question, worked?.code) ??
    (await settledSorted(access, question, worked?.code)) ??
    (await settledStatement(access, question)) ??
    (await settledTakings(access, question, worked?.code)) ??
    (await settledLibrary(access, question, worked?.code)) ??
    (await settledTally(access, question, worked?.code)) ??
    (await settledMissing(access, question, worked?.code)) ??
    (await settledComprehension(access, question, worked?.code)) ??
    (await settledWithin(access, question)) ??
    (await settledMatch(access, question)) ??
    (await settledWalrus(access, question)) ??
    settledLine(question, worked?.code);
  const branch = await settledBranch(access, question);
  const next = branch.next ?? settled.next;
  const isAsked = isReverse(action.kind) && settled.heads === undefined;
  const undone = isAsked ? await linesBefore(access, question) : noLines;
  const grammar = question.grammar.forQuestion(state, action, {
    ended: settled.ended,
    callee: settled.entered?.line,
    next,
    ways: undone.ways,
  });
  const handled = leftHandlers(program, state, action);
  const expected = expectedStep(program, state, action, { ...settled, next, left, handled });
  const known = {
    frozen: settled.frozen ?? keptNames(question, handled),
    waiting: waitingNames(program, state, action),
    shared: sharedVariables(program, state, action, settled.entered, left),
    results: settled.results,
    left,
    heads: settled.heads ?? undone.lines,
    handled,
    again: settled.again,
    tellsGots: tellsGots(state, action),
  };
  const paid = [read ?? unasked, worked ?? unasked, settled, branch, undone];
  const before = paid.reduce((sum, { logProbability }) => sum + logProbability, 0);
  const cost = paid.reduce((sum, part) => sumOf(sum, part.cost), noCost);
  const decoder = new DeltaDecoder(program, state, known, before);
  const take = (token: number, logProbability: number): void => {
    const parts = decoder.push(token, logProbability);
    if (onPart) for (const part of parts) onPart(part);
  };
  const told = access.answersTold ? toldAnswer(program, state, grammar, known, expected) : undefined;
  if (told) {
    await takeTurn(question);
    for (const token of told) take(token, 0);
  }
  const result: AnswerResult = told
    ? { ...nothingAsked, origin: originOf(cost) }
    : await submitQuestion(
        access,
        { ...promptOf(access, question, plain, worked), grammar, expected },
        question,
        take,
      );
  const delta = decoder.finish();
  if (isDecodeProblem(delta)) throw malformed(delta.message);
  const followed = withHiddenParts(program, state, action, delta.state);
  const after = withHolders(program, state, action, followed);
  const stated = { ...delta, state: after };
  const { line } = currentFrame(delta.state);
  const worth = before + (undone.ofLine.get(line) ?? 0) - decoder.passedOver;
  // What was passed over may weigh so much that neither side can be a number by itself, and sums of logarithms are rounded.
  const probability = Math.exp(Math.min(0, answerLogProbability(result) + worth));
  return { delta: stated, probability, result: withCost(result, cost) };
}

/** Names that keep their values, whatever the step leads to. handled: the `except ... as` around the frame. */
function keptNames(
  { program, state, action }: Question,
  handled: readonly LeftHandler[],
): ReadonlySet<string> {
  const kept = frozenNames(program, state, action);
  const names = handled.map(({ name }) => name);
  // The inner one of two that bind the same name may be left alone.
  return new Set([...kept].filter((name) => names.indexOf(name) === names.lastIndexOf(name)));
}

/** The prompt with what was worked out, if that fits. */
function promptOf(
  access: ModelAccess,
  { program, state, action }: Question,
  plain: Int32Array,
  worked: WorkedOut | undefined,
): Pick<Prompt, 'tokens' | 'programTokens'> {
  const shown = worked
    ? fittingPrompt(access, state, (cut) => encodePrompt(program, cut, action, worked.code))
    : plain;
  return { tokens: fits(access, shown.length) ? shown : plain, programTokens: program.tokens.length };
}

export interface ValueQuestion extends AskOptions {
  readonly program: Program;
  readonly grammar: ProgramGrammar;
  readonly state: DebuggerState;
  readonly expression: EncodedExpression;
}

export interface ValueReply {
  readonly answer: DecodedAnswer;
  readonly result: GenerationResult;
}

/**
 * Asks the model for the value of an expression in a state.
 * @throws ForetraceError context_too_long, cancelled, overloaded, draining, out_of_pages, internal
 */
export async function askValue(access: ModelAccess, question: ValueQuestion): Promise<ValueReply> {
  const { program, state, expression } = question;
  if (access.dialect) throw unaskable(expression.text, access.dialect);
  const plain = fittingPrompt(access, state, (shown) =>
    encodeEvaluation(program, shown as DebuggerState, expression.tokens),
  );
  assertFits(access, plain.length);
  const workings = access.showsWorkings ? expressionWorkings(program, state, expression.tokens) : undefined;
  const worked = workings && (await workOut(access, question, workings));
  const told = worked && literalText(program, worked.code);
  if (worked && told !== undefined) return toldReply(told, worked);
  const asked = worked && questionFor(program, currentFrame(state), worked.code);
  const shown = asked ? encodeAsked(program, state, asked) : plain;
  const tokens = fits(access, shown.length) ? shown : plain;
  const prompt = {
    tokens,
    programTokens: program.tokens.length,
    grammar: question.grammar.forEvaluation(),
  };
  const decoder = new AnswerDecoder(program);
  const result = await submitQuestion(access, prompt, question, (token, logProbability) =>
    decoder.push(token, logProbability),
  );
  const answer = decoder.finish();
  if (isAnswerProblem(answer)) {
    throw malformed(`token ${answer.position}: expected ${answer.expected}, got ${answer.actual}`);
  }
  const probability = answer.probability * Math.exp(worked?.logProbability ?? 0);
  return { answer: { ...answer, probability }, result: withCost(result, worked?.cost ?? noCost) };
}

/** What was worked out to the end needs no further question. */
const toldReply = (text: string, { logProbability, cost }: WorkedOut): ValueReply => ({
  answer: { outcome: 'value', text, probability: Math.exp(logProbability) },
  result: { ...nothingAsked, origin: 'model', ...cost },
});

/** What becomes of a question that was not asked. */
const nothingAsked = {
  tokens: new Int32Array(),
  logProbabilities: new Float32Array(),
  forced: new Uint8Array(),
  finish: 'finished',
  ...noCost,
} as const;

/** Where an answer comes from that is told once all of this was paid. */
function originOf({ counts }: Cost): AnswerResult['origin'] {
  if (counts.new > 0) return 'model';
  return counts.cached > 0 ? 'cache' : 'derived';
}

/** The result with what was paid before it. */
const withCost = <Result extends Cost>(result: Result, before: Cost): Result => ({
  ...result,
  ...sumOf(before, result),
});

/** Prompts that are longer by this are refused at once: what is told of them is not worth the grammar that it takes. */
const mostContexts = 4;

const malformed = (why: string): ForetraceError =>
  new ForetraceError('internal', `the grammar let a malformed answer pass: ${why}`);
