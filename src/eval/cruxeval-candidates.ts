/** Several distinct inputs a run may have begun with, the most probable first: by one reverse jump, or by walking back. */
import { grammarOf } from '../debugger/language/grammar.js';
import type { Program } from '../debugger/program.js';
import type { DebuggerState } from '../debugger/state.js';
import { greedy, type Sampling } from '../scheduler/request.js';
import type { ModelAccess } from '../session/ask-model.js';
import { findCandidates } from '../session/candidates.js';
import { isEntryEnd, isReached, lastState, plain, predictorOf, stepsOf, walk } from './cruxeval-predict.js';

export const inputMethods = ['inv_step_call', 'inv_continue', 'walk'] as const;
export type InputMethod = (typeof inputMethods)[number];

export interface Candidate {
  /** The predicted `call` state of the entry. */
  readonly state: DebuggerState;
  /** Of the answer (of a walk: of all its steps), in 0..1. */
  readonly probability: number;
  readonly steps: number;
}

/** Up to `n` distinct candidates for the `call` of the run that ends in `end`, most probable first. */
export type CandidateSource = (
  program: Program,
  end: DebuggerState,
  method: InputMethod,
  n: number,
) => Promise<readonly Candidate[]>;

/** The model's candidates. @param maxSteps steps after which a walk back is given up */
export const candidatesOf =
  (access: ModelAccess, maxSteps: number): CandidateSource =>
  (program, end, method, n) =>
    method === 'walk'
      ? walkedCandidates(access, program, end, { n, maxSteps })
      : jumpCandidates(access, program, end, { n, method });

async function jumpCandidates(
  access: ModelAccess,
  program: Program,
  end: DebuggerState,
  { n, method }: { n: number; method: Exclude<InputMethod, 'walk'> },
): Promise<Candidate[]> {
  const { candidates } = await findCandidates(access, {
    program,
    grammar: grammarOf(program),
    state: end,
    action: plain(method),
    count: n,
    seed: 0,
    check: false,
    client: 'eval',
    priority: 'batch',
    fresh: false,
  });
  return candidates
    .map(({ reply, probability }) => ({ state: reply.delta.state, probability, steps: 1 }))
    .filter(({ state }) => isEntryEnd(state, 'call'));
}

/** Walks made for each candidate that is wanted; a model that is sure walks the same way again and again. */
const walksEach = 2;
/** Seeds of one walk's steps follow one another; those of two walks must not meet. */
const seedStride = 100_003;

/** The greedy walk and then sampled ones at temperature 1, until `n` are distinct or `walksEach * n` have been made. */
async function walkedCandidates(
  access: ModelAccess,
  program: Program,
  end: DebuggerState,
  { n, maxSteps }: { n: number; maxSteps: number },
): Promise<Candidate[]> {
  const predict = predictorOf(access, program);
  const found = new Map<string, Candidate>();
  const most = n === 1 ? 1 : walksEach * n;
  for (let draw = 0; draw < most && found.size < n; draw += 1) {
    const sampling: Sampling = draw === 0 ? greedy : { temperature: 1, topP: 1, seed: draw * seedStride };
    const attempt = await walk(predict, end, { maxSteps, direction: 'reverse', sampling });
    if (!isReached(attempt)) continue;
    const state = lastState(attempt);
    const key = JSON.stringify([...(state.frames[0]?.locals ?? [])]);
    const known = found.get(key);
    if (known && known.probability >= attempt.probability) continue;
    found.set(key, { state, probability: attempt.probability, steps: stepsOf(attempt) });
  }
  return [...found.values()].sort((a, b) => b.probability - a.probability);
}
