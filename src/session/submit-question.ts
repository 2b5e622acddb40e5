/** A prompt with its grammar, handed to the scheduler: room for the answer, the key it is stored under, its tokens one by one. */
import { createHash } from 'node:crypto';
import type { QuestionGrammar } from '../debugger/language/grammar.js';
import { languageVersion } from '../debugger/language/tokens.js';
import { ForetraceError } from '../errors.js';
import type { GenerationResult, GenerationService, Priority, Sampling } from '../scheduler/request.js';
import type { StateStore } from '../trajectory/index.js';
import type { AccuracyTable } from './accuracy.js';
import type { Dialect } from './dialect.js';
import type { VisitWatcher } from './visit.js';

/** What stays the same for all questions to one model. */
export interface ModelAccess {
  readonly service: GenerationService;
  /** Names the weights in keys. */
  readonly modelDigest: string;
  readonly maxContext: number;
  /** Most tokens of one answer beside those that leave frames; the grammar closes it well formed before. */
  readonly maxAnswerTokens: number;
  /** Predicted transitions by state, shared by all sessions; without it sessions derive from their own past alone. */
  readonly trajectory?: StateStore;
  /** Whatever else has a say in the answers (device, arithmetic, release): answers are stored under it. */
  readonly setting?: string;
  /** Told of the states that sessions come to, to predict what comes next. */
  readonly ahead?: VisitWatcher;
  /** Whether the model expects the values of a line's expressions to be worked out before a step or a question (docs/trace-language.md, section 9). */
  readonly showsWorkings?: boolean;
  /** Whether a step of which all is told is answered without a question (docs/known-without-a-model.md). */
  readonly answersTold?: boolean;
  /** The language that the model speaks in place of the trace language. */
  readonly dialect?: Dialect;
  /** Measured accuracies of the model, by which `auto` decides. */
  readonly accuracy?: AccuracyTable;
}

/** How a question is asked, whatever it is. */
export interface AskOptions {
  readonly sampling: Sampling;
  readonly client: string;
  readonly priority: Priority;
  /** Compute even if the answer is stored. */
  readonly fresh: boolean;
  /** The same prompt is asked several times at once: wait for the first to have it computed. */
  readonly isRepeated?: boolean;
  /** False: the caller stores the answer itself. */
  readonly isKept?: boolean;
  readonly signal?: AbortSignal;
  /** When the answer is of no use any more, on the clock of `performance.now`. */
  readonly deadline?: number;
  /** Told of each prediction that is asked for, and, with a negative count, of those that turned out to be stored. */
  readonly onPrediction?: (count: number) => void;
}

export interface Prompt {
  readonly tokens: Int32Array;
  /** How many of them are the program's. */
  readonly programTokens: number;
  readonly grammar: QuestionGrammar;
  /** The answer that is likely: tokens to draft from. */
  readonly expected?: readonly number[] | undefined;
}

/** Least tokens an answer may be given beside those that leave frames; less room than this is a context_too_long. */
const smallestAnswer = 32;

/** @throws ForetraceError context_too_long, cancelled, deadline_exceeded, overloaded, draining, out_of_pages, internal */
export async function submitQuestion(
  access: ModelAccess,
  { tokens, programTokens, grammar, expected }: Prompt,
  options: AskOptions,
  onToken: (token: number, logProbability: number) => void,
): Promise<GenerationResult> {
  const { key, data, start } = grammar;
  const { sampling } = options;
  const maxNewTokens = roomFor(access, tokens.length, start.frames.length);
  options.onPrediction?.(1);
  const result = await access.service.submit({
    client: options.client,
    priority: options.priority,
    prompt: tokens,
    sharedTokens: options.isRepeated ? tokens.length : programTokens,
    constraint: { key, data, state: start.state, frames: start.frames },
    sampling,
    maxNewTokens,
    stopToken: -1,
    ...(expected ? { expected: Int32Array.from(expected) } : {}),
    ...(options.fresh ? {} : { key: questionKey(access, tokens, grammar, sampling, maxNewTokens) }),
    ...(options.isKept === false ? { isKept: false } : {}),
    ...(options.signal ? { signal: options.signal } : {}),
    ...(options.deadline === undefined ? {} : { deadlineMillis: options.deadline - performance.now() }),
    onTokens: (run) => {
      for (let index = 0; index < run.tokens.length; index += 1)
        onToken(run.tokens[index] as number, run.logProbabilities[index] as number);
    },
  });
  if (result.origin === 'cache') options.onPrediction?.(-1);
  return result;
}

/**
 * Whether any answer fits behind the prompt; asked before its grammar is made, which may be large.
 * @throws ForetraceError context_too_long
 */
export const assertFits = (access: ModelAccess, promptTokens: number): void => {
  roomFor(access, promptTokens, 0);
};

/** Whether any answer fits behind the prompt. */
export const fits = ({ maxAnswerTokens, maxContext }: ModelAccess, promptTokens: number): boolean =>
  Math.min(maxAnswerTokens, maxContext - promptTokens) >= smallestAnswer;

/** Tokens the answer may have: each frame that the automaton may leave takes one beside the others. */
function roomFor(access: ModelAccess, promptTokens: number, framesToLeave: number): number {
  const room = Math.min(access.maxAnswerTokens + framesToLeave, access.maxContext - promptTokens);
  if (room >= smallestAnswer + framesToLeave) return room;
  throw new ForetraceError(
    'context_too_long',
    'program, state and question do not fit into the context of the model',
    {
      expected: `at most ${access.maxContext} tokens`,
      actual: `${promptTokens}, and ${smallestAnswer + framesToLeave} for the answer`,
    },
  );
}

/**
 * Model, prompt, grammar, sampling and bound determine the answer. The prompt alone does not determine the grammar: it shows neither hidden
 * frames nor how a name is spelled, and by its spelling a name may be hidden.
 */
function questionKey(
  access: ModelAccess,
  prompt: Int32Array,
  { key, start }: QuestionGrammar,
  { temperature, topP, seed }: Sampling,
  bound: number,
): string {
  const hash = createHash('sha256');
  const grammar = [key, start.state, [...start.frames]];
  const draw = temperature === 0 ? [] : [temperature, topP, seed];
  hash.update(JSON.stringify([access.modelDigest, languageVersion, grammar, draw, bound]));
  hash.update(new Uint8Array(prompt.buffer, prompt.byteOffset, prompt.byteLength));
  return hash.digest('base64url');
}

/** Log-probability of a whole answer: the sum over its tokens under the constrained distribution. */
export function answerLogProbability({
  logProbabilities,
}: Pick<GenerationResult, 'logProbabilities'>): number {
  let sum = 0;
  for (const logProbability of logProbabilities) sum += logProbability;
  return sum;
}
