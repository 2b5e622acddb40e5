/** How an action is answered: by one prediction (jump), by one for each event on the way (walk), or by what is stored and likely (auto). */
import { type Action, isReverse } from '../debugger/action.js';
import { checkAction } from '../debugger/navigate.js';
import type { Program } from '../debugger/program.js';
import type { DebuggerState } from '../debugger/state.js';
import { ForetraceError } from '../errors.js';
import { derive, Goal, type History, singleStep, stateKey, type World } from '../trajectory/index.js';
import { type AccuracyTable, chooseMode } from './accuracy.js';
import { type Answer, alongWay, derivedAnswer, type NewAnswer, steppedAnswer } from './answer.js';
import { type Cost, noCost, sumOf } from './cost.js';
import type { StepReply } from './step.js';

export type Mode = 'jump' | 'walk' | 'auto';

export const defaultMaxSteps = 256;

export interface Route {
  readonly mode: Mode;
  /** Most events a walk may take. */
  readonly maxSteps: number;
  /** Do not answer from what is stored. */
  readonly fresh: boolean;
}

/** What a session lends for answering one action. */
export interface Traveller {
  readonly program: Program;
  readonly world: World | null;
  readonly accuracy: AccuracyTable;
  readonly history: History;
  /** One prediction, new or stored. `streams`: its pieces go to whoever watches. */
  step(state: DebuggerState, action: Action, streams: boolean): Promise<StepReply>;
  /** Takes an intermediate state into the session and shows it. */
  pass(answer: NewAnswer): Answer;
  /** Takes back what was passed: the walk came to nothing. */
  forget(): void;
}

/** @throws ForetraceError walk_too_long, and what a prediction throws */
export async function travel(
  traveller: Traveller,
  before: Answer,
  action: Action,
  { mode, maxSteps, fresh }: Route,
): Promise<NewAnswer> {
  if (mode === 'jump') return jump(traveller, before, action);
  if (mode === 'walk') return walk(traveller, before, action, maxSteps);
  const derived = fresh ? null : derivedFrom(traveller, before, action);
  if (derived !== null) return derived;
  const { mode: chosen, expectedHorizon } = chooseMode(traveller.accuracy, before.state, action, maxSteps);
  if (chosen === 'jump') return { ...(await jump(traveller, before, action)), expectedHorizon };
  try {
    return { ...(await walk(traveller, before, action, maxSteps)), expectedHorizon };
  } catch (error) {
    if (!(error instanceof ForetraceError) || error.code !== 'walk_too_long') throw error;
    traveller.forget();
    return { ...(await jump(traveller, before, action)), expectedHorizon };
  }
}

/** A single step forward is a prediction like any other: there is nothing to derive it from that is better. */
function derivedFrom(traveller: Traveller, before: Answer, action: Action): NewAnswer | null {
  const { program, world, history } = traveller;
  if (action.kind === 'step_into') return null;
  const found = derive(program, world, before.state, action, history);
  // A stored step back is the very answer that a jump would give.
  const isItself = action.kind === 'inv_step_into' && found?.proof === 'walk';
  return found === null || isItself ? null : derivedAnswer(program, before, action, found);
}

async function jump(traveller: Traveller, before: Answer, action: Action): Promise<NewAnswer> {
  const reply = await traveller.step(before.state, action, true);
  return steppedAnswer(traveller.program, before, action, reply);
}

async function walk(
  traveller: Traveller,
  before: Answer,
  action: Action,
  maxSteps: number,
): Promise<NewAnswer> {
  const { program } = traveller;
  const goal = new Goal(program, before.state, action);
  const single = singleStep(isReverse(action.kind) ? 'reverse' : 'forward');
  const seen = new Set([stateKey(before.state)]);
  let at: Answer = before;
  let way = 1;
  let cost: Cost = noCost;
  const steps = { model: 0, cache: 0 };
  for (let horizon = 1; ; horizon += 1) {
    checkAction(program, at.state, single);
    const reply = await traveller.step(at.state, single, false);
    const { transition, origin } = reply;
    steps[origin] += 1;
    cost = sumOf(cost, reply);
    const verdict = goal.judge(transition.state);
    if (verdict === 'hit') {
      return {
        ...steppedAnswer(program, before, action, { ...reply, ...cost }),
        ...(horizon === 1
          ? {}
          : { probability: alongWay(before.state, transition.state, transition.probability, way) }),
        origin: horizon === 1 ? origin : steps.model > 0 ? 'model' : 'derived',
        horizon,
        mode: 'walk',
        steps,
        ...(at === before ? {} : { via: at.number }),
      };
    }
    const key = stateKey(transition.state);
    if (verdict === 'lost' || seen.has(key)) throw tooLong(action, `a circle after ${horizon} events`);
    if (horizon >= maxSteps) throw tooLong(action, `not reached after ${horizon} events`, maxSteps);
    seen.add(key);
    way *= transition.whole;
    at = traveller.pass({ ...steppedAnswer(program, at, single, reply), mode: 'walk' });
  }
}

const tooLong = (action: Action, actual: string, maxSteps?: number): ForetraceError =>
  new ForetraceError('walk_too_long', `the walk does not come to what ${action.kind} looks for`, {
    expected: maxSteps === undefined ? 'a walk that ends' : `at most ${maxSteps} events`,
    actual,
  });
