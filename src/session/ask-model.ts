/** One question to the model: prompt and grammar in, decoded state out. The only place where debugger and scheduler meet. */
import { createHash } from 'node:crypto';
import type { Action } from '../debugger/action.js';
import {
  type DecodedDelta,
  type DecodedPart,
  DeltaDecoder,
  isDecodeProblem,
} from '../debugger/language/decode.js';
import { encodePrompt } from '../debugger/language/encode.js';
import type { ProgramGrammar, QuestionGrammar } from '../debugger/language/grammar.js';
import { languageVersion } from '../debugger/language/tokens.js';
import type { Program } from '../debugger/program.js';
import type { DebuggerState } from '../debugger/state.js';
import { ForetraceError } from '../errors.js';
import type {
  GeneratedTokens,
  GenerationResult,
  GenerationService,
  Priority,
  Sampling,
} from '../scheduler/request.js';

/** What stays the same for all questions to one model. */
export interface ModelAccess {
  readonly service: GenerationService;
  /** Names the weights in keys. */
  readonly modelDigest: string;
  readonly maxContext: number;
  /** Most tokens of one answer beside those that leave frames; the grammar closes it well formed before. */
  readonly maxAnswerTokens: number;
}

export interface Question {
  readonly program: Program;
  readonly grammar: ProgramGrammar;
  /** null: before the entry's call. */
  readonly state: DebuggerState | null;
  readonly action: Action;
  readonly sampling: Sampling;
  readonly client: string;
  readonly priority: Priority;
  /** Compute even if the answer is stored. */
  readonly fresh: boolean;
  readonly signal?: AbortSignal;
  readonly onPart?: (part: DecodedPart) => void;
}

export interface ModelReply {
  readonly delta: DecodedDelta;
  readonly result: GenerationResult;
}

/** Least tokens an answer may be given beside those that leave frames; less room than this is a context_too_long. */
const smallestAnswer = 32;

/**
 * Asks the model for the state `action` leads to.
 * @throws ForetraceError context_too_long, cancelled, overloaded, draining, out_of_pages, internal
 */
export async function askModel(access: ModelAccess, question: Question): Promise<ModelReply> {
  const { program, state, action, sampling } = question;
  const prompt = encodePrompt(program, state, action);
  const grammar = question.grammar.forQuestion(state, action);
  const { key, data, start } = grammar;
  // Each frame that the automaton may leave takes a token.
  const framesToLeave = start.frames.length;
  const maxNewTokens = Math.min(access.maxAnswerTokens + framesToLeave, access.maxContext - prompt.length);
  if (maxNewTokens < smallestAnswer + framesToLeave) {
    throw new ForetraceError(
      'context_too_long',
      'program, state and action do not fit into the context of the model',
      {
        expected: `at most ${access.maxContext} tokens`,
        actual: `${prompt.length}, and ${smallestAnswer + framesToLeave} for the answer`,
      },
    );
  }
  const decoder = new DeltaDecoder(program, state);
  const result = await access.service.submit({
    client: question.client,
    priority: question.priority,
    prompt,
    sharedTokens: program.tokens.length,
    constraint: { key, data, state: start.state, frames: start.frames },
    sampling,
    maxNewTokens,
    stopToken: -1,
    ...(question.fresh ? {} : { key: questionKey(access, prompt, grammar, sampling, maxNewTokens) }),
    ...(question.signal ? { signal: question.signal } : {}),
    onTokens: (run) => feed(decoder, run, question.onPart),
  });
  const delta = decoder.finish();
  if (isDecodeProblem(delta)) {
    throw new ForetraceError('internal', `the grammar let a malformed answer pass: ${delta.message}`);
  }
  return { delta, result };
}

function feed(decoder: DeltaDecoder, run: GeneratedTokens, onPart: Question['onPart']): void {
  for (let index = 0; index < run.tokens.length; index++) {
    const parts = decoder.push(run.tokens[index] as number, run.logProbabilities[index] as number);
    if (onPart) for (const part of parts) onPart(part);
  }
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
