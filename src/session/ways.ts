/** The two ways to a distant state: one prediction (a jump), or one for each event on the way (a walk). */
import { type Action, isReverse } from '../debugger/action.js';
import type { DecodedPart } from '../debugger/language/decoded.js';
import { checkAction } from '../debugger/navigate.js';
import type { Program } from '../debugger/program.js';
import type { DebuggerState } from '../debugger/state.js';
import { type ErrorCode, ForetraceError } from '../errors.js';
import { Goal, type History, singleStep, stateKey, type World } from '../trajectory/index.js';
import type { AccuracyTable } from './accuracy.js';
import { type Answer, alongWay, type NewAnswer, steppedAnswer } from './answer.js';
import type { Dialect } from './dialect.js';
import { type OnPart, showParts } from './held-parts.js';
import type { RaiseWatch } from './raise-watch.js';
import { nothingSpent, spentOn, spentTogether } from './spent.js';
import type { StepReply } from './step.js';

/** What a session lends for answering one action. */
export interface Traveller {
  readonly program: Program;
  readonly world: World | null;
  readonly accuracy: AccuracyTable;
  readonly history: History;
  /** Of a model that predicts the next event alone. */
  readonly dialect?: Dialect | undefined;
  /** One prediction, new or stored; a new one comes in parts first. */
  step(state: DebuggerState | null, action: Action, onPart?: OnPart): Promise<StepReply>;
  /** Shows a part of the answer. */
  readonly onPart?: OnPart | undefined;
  /** Takes an intermediate state into the session and shows it. */
  pass(answer: NewAnswer): Answer;
  /** Takes back what was passed: the walk came to nothing. */
  forget(): void;
}

/** How far an answer may be looked for, and whether among what is stored. */
export interface Reach {
  /** Most events a walk may take. */
  readonly maxSteps: number;
  /** Do not answer from what is stored. */
  readonly fresh: boolean;
}

export type Mode = 'jump' | 'walk' | 'auto';

export interface Route extends Reach {
  readonly mode: Mode;
  /** Walk, and stop where an exception is raised before what the action looks for; forward only. */
  readonly stopAtExceptions?: boolean;
}

/** @throws ForetraceError what a prediction throws */
export async function jump(
  traveller: Traveller,
  before: Answer,
  action: Action,
  onPart = traveller.onPart,
): Promise<NewAnswer> {
  const reply = await traveller.step(before.state, action, onPart);
  return steppedAnswer(traveller.program, before, action, reply);
}

/**
 * @param watch ends the walk before the action does, where it sees something
 * @throws ForetraceError walk_too_long, and what a prediction throws
 */
export async function walk(
  traveller: Traveller,
  before: Answer,
  action: Action,
  maxSteps: number,
  watch?: RaiseWatch,
): Promise<NewAnswer> {
  const { program } = traveller;
  const goal = new Goal(program, before.state, action);
  const single = singleStep(isReverse(action.kind) ? 'reverse' : 'forward');
  const seen = new Set([stateKey(before.state)]);
  const firstParts: DecodedPart[] = [];
  let at: Answer = before;
  let way = 1;
  let spent = nothingSpent;
  for (let horizon = 1; ; horizon += 1) {
    checkAction(program, at.state, single);
    const hold: OnPart | undefined = horizon === 1 ? (part) => firstParts.push(part) : undefined;
    const reply = await traveller.step(at.state, single, hold);
    const { transition, origin } = reply;
    spent = spentTogether(spent, spentOn(reply));
    const isSeen = watch?.sees(transition.state) === true;
    const verdict = isSeen ? 'hit' : goal.judge(transition.state);
    if (verdict === 'hit') {
      if (horizon === 1) showParts(firstParts, traveller.onPart);
      return {
        ...steppedAnswer(program, before, action, reply),
        ...spent,
        ...(horizon === 1
          ? {}
          : { probability: alongWay(before.state, transition.state, transition.probability, way) }),
        whole: way * transition.whole,
        origin: horizon === 1 ? origin : spent.steps.model > 0 ? 'model' : 'derived',
        horizon,
        mode: 'walk',
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

/** What ends a way of many predictions while a single one may yet answer; `hidden_arguments`: the way would begin at the entry. */
const vain: ReadonlySet<ErrorCode> = new Set(['walk_too_long', 'context_too_long', 'hidden_arguments']);

export const leadsNowhere = (error: unknown): boolean =>
  error instanceof ForetraceError && vain.has(error.code);
