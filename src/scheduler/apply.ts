/**
 * `apply`: reads what the engine answered. Pure: the blocks that were sent and the response ring in, one update a block out.
 */
import { ForetraceError } from '../errors.js';
import { type SequenceId, StepStatus } from '../native/addon-types.js';
import type { GeneratedTokens } from './request.js';

/** One block as it was sent. */
export interface SentBlock {
  readonly sequence: SequenceId;
  /** Most tokens the sequence may still generate. */
  readonly maxNewTokens: number;
  /** Tokens that were given out before a preemption and are computed again: they must come out the same and are not given out twice. */
  readonly replay: Int32Array;
}

/** The rings after a step. `words` words of `response` are filled. */
export interface StepResponse {
  readonly response: Int32Array;
  readonly logProbabilities: Float32Array;
  readonly words: number;
  /** Why sequences of this step failed, in the engine's words. */
  readonly failure?: string;
}

export interface Update {
  readonly outcome: 'running' | 'finished' | 'length' | 'outOfPages' | 'failed';
  /** Tokens of the sequence computed in this step, known ones first; fewer than asked for if a pass was full. */
  readonly computed: number;
  /** Tokens that were guessed in this step, and how many of the guesses came true. */
  readonly drafted: number;
  readonly accepted: number;
  /** New tokens of the answer; copies, never views of the ring. */
  readonly run: GeneratedTokens | null;
  /** Tokens of this step that had been given out before. */
  readonly replayed: number;
  /** What is wrong with a failed sequence, where it is known. */
  readonly problem: string | null;
  /** Rows of the next pass: the last token and the forced ones before it. */
  readonly generatingRows: number;
}

/** Sequence, status, tokens computed, drafted, accepted, written. */
export const blockHeaderWords = 6;
const forcedFlag = 1;

/**
 * One update for each block, in the order of the blocks.
 * @throws ForetraceError `internal` if the response does not fit the blocks.
 */
export function apply(blocks: readonly SentBlock[], step: StepResponse): Update[] {
  const updates: Update[] = [];
  let word = 0;
  let token = 0;
  for (const block of blocks) {
    const count = checkHeader(block, step, word);
    updates.push(readBlock(block, step, word, token, count));
    word += blockHeaderWords + 2 * count;
    token += count;
  }
  if (word !== step.words) throw malformed('length of the response', `${word} words`, `${step.words}`);
  return updates;
}

function checkHeader(block: SentBlock, step: StepResponse, word: number): number {
  if (word + blockHeaderWords > step.words) {
    throw malformed(
      'length of the response',
      `a block for sequence ${block.sequence}`,
      `${step.words} words`,
    );
  }
  const sequence = step.response[word];
  if (sequence !== block.sequence) throw malformed('sequence of a block', `${block.sequence}`, `${sequence}`);
  const count = step.response[word + 5] as number;
  if (count < 0 || count > block.maxNewTokens || word + blockHeaderWords + 2 * count > step.words) {
    throw malformed('tokens of a block', `0 to ${block.maxNewTokens}`, `${count}`);
  }
  return count;
}

function readBlock(block: SentBlock, step: StepResponse, word: number, first: number, count: number): Update {
  const outcome = outcomeOf(step.response[word + 1] as number);
  const computed = step.response[word + 2] as number;
  const drafted = step.response[word + 3] as number;
  const accepted = step.response[word + 4] as number;
  const replayed = Math.min(count, block.replay.length);
  const fresh = count - replayed;
  const tokens = new Int32Array(fresh);
  const forced = new Uint8Array(fresh);
  let trailingForced = 0;
  for (let index = 0; index < count; index += 1) {
    const at = word + blockHeaderWords + 2 * index;
    const token = step.response[at] as number;
    const isForced = ((step.response[at + 1] as number) & forcedFlag) !== 0;
    trailingForced = isForced ? trailingForced + 1 : 0;
    if (index < replayed) {
      if (token !== block.replay[index]) return diverged(block.replay[index] as number, token);
    } else {
      tokens[index - replayed] = token;
      forced[index - replayed] = isForced ? 1 : 0;
    }
  }
  const logProbabilities = step.logProbabilities.slice(first + replayed, first + count);
  const run = fresh > 0 ? { tokens, logProbabilities, forced } : null;
  const problem = outcome === 'failed' ? (step.failure ?? null) : null;
  const generatingRows = 1 + trailingForced;
  return { outcome, computed, drafted, accepted, run, replayed, problem, generatingRows };
}

/** The same prefix gave another token than before the preemption: the answer would not be one answer. */
function diverged(expected: number, actual: number): Update {
  const problem = `token ${actual} was computed again where ${expected} had been given out`;
  const nothing = { computed: 0, drafted: 0, accepted: 0, run: null, replayed: 0 };
  return { outcome: 'failed', ...nothing, problem, generatingRows: 1 };
}

function outcomeOf(status: number): Update['outcome'] {
  switch (status) {
    case StepStatus.running:
      return 'running';
    case StepStatus.finished:
    case StepStatus.stopped:
      return 'finished';
    case StepStatus.length:
      return 'length';
    case StepStatus.outOfPages:
      return 'outOfPages';
    case StepStatus.failed:
      return 'failed';
    default:
      throw malformed('status of a block', '0 to 5', `${status}`);
  }
}

function malformed(what: string, expected: string, actual: string): ForetraceError {
  return new ForetraceError('internal', `The engine's response is malformed: ${what}`, { expected, actual });
}
