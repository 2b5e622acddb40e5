/**
 * Several answers to one action. Execution is many-to-one: a state has many possible pasts, of which the most probable is only one. The greedy
 * answer and seeded samples are made distinct by the state they decode to, each with the probability of its tokens. The same question gives the
 * same candidates, whatever else runs: the seeds follow from the question's, and the number of draws from the answers alone.
 */
import { createHash } from 'node:crypto';
import type { Action } from '../debugger/action.js';
import type { DecodedPart } from '../debugger/language/decoded.js';
import { grammarOf } from '../debugger/language/grammar.js';
import type { Program } from '../debugger/program.js';
import type { DebuggerState } from '../debugger/state.js';
import { ForetraceError } from '../errors.js';
import { greedy, type Sampling } from '../scheduler/request.js';
import { askModel, type ModelReply, type Question } from './ask-model.js';
import { withCancellation } from './cancellation.js';
import { type Cost, noCost, sumOf } from './cost.js';
import { checkForward, type ForwardCheck } from './forward-check.js';
import { sameState } from './same-state.js';
import type { ModelAccess } from './submit-question.js';

/** Most candidates of one question. */
export const maxCandidates = 16;
/** Samples drawn at most for each candidate wanted. */
const drawsPerCandidate = 4;

export interface Candidate {
  readonly state: DebuggerState;
  /** The whole answer, with the probabilities of its fields. */
  readonly reply: ModelReply;
  /** The answer piece by piece, in order. */
  readonly parts: readonly DecodedPart[];
  /** Of the whole answer: the product over its tokens under the constrained distribution at temperature 1; 0..1. */
  readonly probability: number;
  /** Whether the matching forward action leads back to the known state; null: not checked, or nothing matches. */
  readonly consistent: boolean | null;
  /** Of the forward answers together; null where there were none. */
  readonly forwardProbability: number | null;
}

export interface CandidateSet {
  /** Best first: consistent ones, those not checked, inconsistent ones; in each group the most probable first. At least one. */
  readonly candidates: readonly Candidate[];
  /** Samples drawn beside the greedy answer. */
  readonly draws: number;
  /** Of all answers, the checks included. */
  readonly cost: Cost;
}

/** A question without `sampling`: its first answer is greedy, the others are drawn at temperature 1. */
export interface CandidateQuestion extends Omit<Question, 'sampling' | 'isRepeated' | 'onPart' | 'state'> {
  readonly state: DebuggerState;
  /** Distinct states wanted, 1 to 16; fewer come where the model has no more to say. */
  readonly count: number;
  /** Seeds of all draws follow from it. */
  readonly seed: number;
  /** Whether to predict forward from each candidate of a reverse action and compare with the known state. */
  readonly check: boolean;
  /** The greedy answer with its check, where both are known already: it is a candidate that costs nothing more. */
  readonly greedy?: CheckedAnswer;
}

export interface CheckedAnswer {
  readonly reply: ModelReply;
  readonly parts: readonly DecodedPart[];
  readonly check: ForwardCheck;
}

/** @throws ForetraceError invalid_action for a count out of range, and what askModel throws */
export async function findCandidates(
  access: ModelAccess,
  question: CandidateQuestion,
): Promise<CandidateSet> {
  checkCount(question.count);
  return withCancellation(question.signal, async (signal) => {
    const asked = { ...question, signal };
    const { found, draws, cost } = await draw(access, asked);
    const checks = await Promise.all(
      found.map(({ reply }) => {
        if (reply === question.greedy?.reply) return { ...question.greedy.check, cost: noCost };
        return question.check ? checkForward(access, asked, reply.delta) : unchecked;
      }),
    );
    const candidates = found.map((candidate, index) => {
      const { consistent, forwardProbability } = checks[index] ?? unchecked;
      return { ...candidate, consistent, forwardProbability };
    });
    const checking = checks.reduce((sum, check) => sumOf(sum, check.cost), cost);
    return { candidates: candidates.sort(byRank), draws, cost: checking };
  });
}

/** As `findCandidates`, for whoever has no session: the candidates alone, in batch unless told otherwise. */
export async function candidatesOf(
  access: ModelAccess,
  program: Program,
  state: DebuggerState,
  action: Action,
  count: number,
  options: Partial<Pick<CandidateQuestion, 'seed' | 'check' | 'client' | 'priority' | 'signal'>> = {},
): Promise<readonly Candidate[]> {
  const grammar = grammarOf(program);
  const defaults = { seed: 0, check: false, client: 'candidates', priority: 'batch', fresh: false } as const;
  const asked = { ...defaults, ...options, program, grammar, state, action, count };
  return (await findCandidates(access, asked)).candidates;
}

const unchecked: ForwardCheck = { consistent: null, forwardProbability: null, cost: noCost };

/** @throws ForetraceError invalid_action unless `count` is from 1 to 16, or to `most` where that is less */
export function checkCount(count: number, most = maxCandidates): void {
  const limit = Math.min(most, maxCandidates);
  if (Number.isInteger(count) && count >= 1 && count <= limit) return;
  throw new ForetraceError('invalid_action', 'the number of candidates is out of range', {
    expected: `1 to ${limit}`,
    actual: String(count),
  });
}

type Found = Pick<Candidate, 'state' | 'reply' | 'parts' | 'probability'>;

/** The greedy answer and as many samples as there are candidates wanted at once; then more of them while distinct ones are missing. */
async function draw(
  access: ModelAccess,
  question: CandidateQuestion,
): Promise<{ found: Found[]; draws: number; cost: Cost }> {
  const most = question.count === 1 ? 0 : drawsPerCandidate * question.count;
  const first = question.greedy;
  const found: Found[] = first ? [foundIn(first)] : [];
  let draws = 0;
  let cost = noCost;
  let wave: Sampling[] = first ? [] : [greedy];
  for (;;) {
    const drawn = Math.min(most - draws, question.count - (draws === 0 ? 1 : 0));
    for (let index = 0; index < drawn; index += 1) wave.push(samplingOf(question.seed, draws + index));
    draws += drawn;
    const isRepeated = wave.length > 1;
    const answers = await Promise.all(
      wave.map(async (sampling) => {
        const parts: DecodedPart[] = [];
        const onPart = (part: DecodedPart): unknown => parts.push(part);
        return { parts, reply: await askModel(access, { ...question, sampling, isRepeated, onPart }) };
      }),
    );
    for (const answer of answers) {
      cost = sumOf(cost, answer.reply.result);
      keep(found, foundIn(answer));
    }
    if (found.length >= question.count || draws >= most) break;
    wave = [];
  }
  return { found: found.sort(byRank).slice(0, question.count), draws, cost };
}

const foundIn = ({ reply, parts }: Pick<CheckedAnswer, 'reply' | 'parts'>): Found => ({
  state: reply.delta.state,
  reply,
  parts,
  probability: reply.probability,
});

/** Of equal states the more probable answer stays: one state can be written in several ways. */
function keep(found: Found[], candidate: Found): void {
  const index = found.findIndex(({ state }) => sameState(state, candidate.state));
  if (index < 0) found.push(candidate);
  else if (candidate.probability > (found[index] as Found).probability) found[index] = candidate;
}

const rankOf = ({ consistent = null }: Partial<Candidate>): number =>
  consistent === null ? 1 : consistent ? 0 : 2;
/** Array.sort is stable: of equals the one that was drawn first comes first. */
const byRank = (a: Found & Partial<Candidate>, b: Found & Partial<Candidate>): number =>
  rankOf(a) - rankOf(b) || b.probability - a.probability;

function samplingOf(seed: number, index: number): Sampling {
  const hash = createHash('sha256').update(`candidate ${seed} ${index}`).digest();
  return { temperature: 1, topP: 1, seed: hash.readUInt32LE(0) };
}
