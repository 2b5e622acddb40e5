/** One question about one state, answered by the trajectory store or else by the model, whose answer is then stored. */
import type { Action } from '../debugger/action.js';
import { languageVersion } from '../debugger/language/tokens.js';
import type { Program } from '../debugger/program.js';
import type { DebuggerState } from '../debugger/state.js';
import type { Sampling } from '../scheduler/request.js';
import {
  type AnswererIdentity,
  directionOf,
  isSingle,
  singleStep,
  type Transition,
  type World,
  worldKey,
} from '../trajectory/index.js';
import { askChecked } from './ask-checked.js';
import type { ModelReply, Question } from './ask-model.js';
import { type Cost, noCost } from './cost.js';
import type { ModelAccess } from './submit-question.js';

export interface StepReply extends Cost {
  readonly transition: Transition;
  /** `derived`: told by the program and the state alone. */
  readonly origin: ModelReply['result']['origin'];
}

/** Who answers, as far as it has a say in the answers. */
export const answererOf = (access: ModelAccess): AnswererIdentity => ({
  model: access.modelDigest,
  dialect: access.dialect?.name ?? 'foretrace',
  language: access.dialect?.version ?? languageVersion,
  setting: JSON.stringify([
    access.setting ?? '',
    access.maxContext,
    access.maxAnswerTokens,
    ...(access.showsWorkings ? ['workings'] : []),
    ...(access.answersTold ? ['told'] : []),
  ]),
});

/** The stored answers that belong to a program under these conditions; null where nothing is stored. */
export function worldOf(access: ModelAccess, program: Program, sampling: Sampling): World | null {
  const { trajectory: store } = access;
  if (store === undefined) return null;
  return { store, key: worldKey(answererOf(access), program.digest, sampling), program };
}

/** The action as it is asked: where it moves by one event, that is one question by whatever name. */
const sameStep = (state: DebuggerState | null, action: Action): Action =>
  state && isSingle(state, action) ? singleStep(directionOf(action)) : action;

/** @throws ForetraceError what askModel throws */
export async function askStep(
  access: ModelAccess,
  world: World | null,
  question: Question,
): Promise<StepReply> {
  const { state, fresh } = question;
  const action = sameStep(state, question.action);
  const stored = fresh ? undefined : world?.store.get(world.key, state, action, world.program);
  // A stored answer comes at once and whole: its parts would tell nothing earlier.
  if (stored !== undefined) return { transition: stored, origin: 'cache', ...noCost };
  const reply = await askChecked(access, { ...question, action, isKept: world === null });
  const { counts, queueMillis, computeMillis, preemptions, origin } = reply.result;
  const transition = transitionOf(reply);
  world?.store.put(world.key, state, action, transition);
  return { transition, origin, counts, queueMillis, computeMillis, preemptions };
}

/** The model's answer as the store keeps it. */
export const transitionOf = ({ delta, probability }: ModelReply): Transition => ({
  state: delta.state,
  probability: delta.probability,
  whole: probability,
});
