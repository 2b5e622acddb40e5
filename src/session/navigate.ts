/** How an action is answered: by one prediction (jump), by one for each event on the way (walk), or by what is most likely right (auto). */
import { type Action, isReverse } from '../debugger/action.js';
import { ForetraceError } from '../errors.js';
import type { Answer, NewAnswer } from './answer.js';
import { auto } from './auto.js';
import { RaiseWatch } from './raise-watch.js';
import { stepwise } from './stepwise.js';
import { jump, type Mode, type Route, type Traveller, walk } from './ways.js';

export type { Mode } from './ways.js';
export const modes: readonly Mode[] = ['jump', 'walk', 'auto'];

export const defaultMode: Mode = 'auto';
export const defaultMaxSteps = 256;

/** @throws ForetraceError invalid_action for a way back that is to stop at exceptions, walk_too_long, and what a prediction throws */
export async function travel(
  traveller: Traveller,
  before: Answer,
  action: Action,
  { mode, maxSteps, fresh, stopAtExceptions = false }: Route,
): Promise<NewAnswer> {
  if (stopAtExceptions) {
    if (isReverse(action.kind)) throw noExceptionsBack(action);
    return walk(traveller, before, action, maxSteps, new RaiseWatch(before.state));
  }
  if (traveller.dialect)
    return stepwise(traveller, traveller.dialect, before, action, { mode, maxSteps, fresh });
  if (mode === 'jump') return jump(traveller, before, action);
  if (mode === 'walk') return walk(traveller, before, action, maxSteps);
  return auto(traveller, before, action, { maxSteps, fresh });
}

const noExceptionsBack = (action: Action): ForetraceError =>
  new ForetraceError('invalid_action', 'going back does not stop at exceptions', {
    expected: 'an action forward',
    actual: action.kind,
  });
