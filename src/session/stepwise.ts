/** How an action is answered by a model that predicts the next event alone (dialect.ts): by walking, and going back by running again. */
import { type Action, isReverse } from '../debugger/action.js';
import { derive } from '../trajectory/index.js';
import { type Answer, derivedAnswer, type NewAnswer } from './answer.js';
import { type Dialect, unanswerable } from './dialect.js';
import { rerunFromEntry } from './rerun.js';
import { jump, type Route, type Traveller, walk } from './ways.js';

/** @throws ForetraceError invalid_action for what cannot be told, and what a prediction throws */
export async function stepwise(
  traveller: Traveller,
  dialect: Dialect,
  before: Answer,
  action: Action,
  { mode, maxSteps, fresh }: Route,
): Promise<NewAnswer> {
  const { program, world, history } = traveller;
  const isNext = action.kind === 'step_into';
  if (isNext || mode === 'jump') {
    if (dialect.answers(before.state, action)) return jump(traveller, before, action);
    throw unanswerable(action, dialect);
  }
  const derived = fresh || mode === 'walk' ? null : derive(program, world, before.state, action, history);
  if (derived !== null) return derivedAnswer(program, before, action, derived);
  if (!isReverse(action.kind)) return walk(traveller, before, action, maxSteps);
  // A state that no way has led to lies on no run from the entry that could be told to be its own.
  if (before.state.trail === undefined) throw unanswerable(action, dialect);
  const { found, spent } = await rerunFromEntry(traveller, before.state, action, maxSteps);
  if (found === null) throw unanswerable(action, dialect);
  return { ...derivedAnswer(program, before, action, found), ...spent };
}
