/** Answers an action asked of a state that belongs to no session: no past, and nothing stored but what the question itself brings up. */
import type { Action } from '../debugger/action.js';
import { grammarOf } from '../debugger/language/grammar.js';
import type { Program } from '../debugger/program.js';
import type { DebuggerState } from '../debugger/state.js';
import { ForetraceError } from '../errors.js';
import { greedy } from '../scheduler/request.js';
import { StateStore } from '../trajectory/index.js';
import { defaultAccuracy } from './accuracy.js';
import { type Answer, givenAnswer, type NewAnswer } from './answer.js';
import { historyOf } from './history.js';
import { defaultMaxSteps, type Mode, travel } from './navigate.js';
import { askStep, worldOf } from './step.js';
import type { ModelAccess } from './submit-question.js';
import type { Traveller } from './ways.js';

export interface LoneQuestion {
  readonly program: Program;
  readonly state: DebuggerState;
  readonly action: Action;
  readonly mode: Mode;
  readonly client: string;
}

/** Steps of the few walks of one question. */
const storeBytes = 16 * 1024 * 1024;

/** In batch, greedily. A walk that comes to nothing has not moved, and is sure of nothing. @throws ForetraceError what a prediction throws */
export async function travelAlone(
  access: ModelAccess,
  { program, state, action, mode, client }: LoneQuestion,
): Promise<NewAnswer> {
  const own = { ...access, trajectory: new StateStore(storeBytes) };
  const world = worldOf(own, program, greedy);
  const asked = { program, grammar: grammarOf(program), sampling: greedy, client, fresh: false } as const;
  const start: Answer = { ...givenAnswer(program, 0, state), number: 1 };
  const traveller: Traveller = {
    program,
    world,
    accuracy: access.accuracy ?? defaultAccuracy,
    dialect: access.dialect,
    history: historyOf(start, () => undefined),
    step: (from, by) => askStep(own, world, { ...asked, state: from, action: by, priority: 'batch' }),
    pass: (answer) => ({ ...answer, number: 2 }),
    forget: () => {},
  };
  try {
    return await travel(traveller, start, action, { mode, maxSteps: defaultMaxSteps, fresh: false });
  } catch (error) {
    if (!(error instanceof ForetraceError) || error.code !== 'walk_too_long') throw error;
    return { ...start, whole: 0, probability: { event: 0, line: 0, locals: new Map() } };
  }
}
