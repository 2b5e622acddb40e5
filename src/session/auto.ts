/** The answer that is most likely right (docs/trajectory-store.md): read off what is stored, else found by whichever way measured better. */
import { type Action, isReverse } from '../debugger/action.js';
import type { DecodedPart } from '../debugger/language/decoded.js';
import { derive } from '../trajectory/index.js';
import { chooseMode } from './accuracy.js';
import { type Answer, derivedAnswer, type NewAnswer } from './answer.js';
import { sureEnough } from './ask-checked.js';
import { showParts } from './held-parts.js';
import { rerun } from './rerun.js';
import { type Spent, spentTogether } from './spent.js';
import { jump, leadsNowhere, type Reach, type Traveller, walk } from './ways.js';

/** @throws ForetraceError what a prediction throws */
export async function auto(
  traveller: Traveller,
  before: Answer,
  action: Action,
  { maxSteps, fresh }: Reach,
): Promise<NewAnswer> {
  const derived = fresh ? null : derivedFrom(traveller, before, action);
  if (derived !== null) return derived;
  const { mode, expectedHorizon } = chooseMode(traveller.accuracy, before.state, action, maxSteps);
  const likely = isReverse(action.kind)
    ? await back(traveller, before, action, mode, maxSteps)
    : mode === 'walk'
      ? await walkOrJump(traveller, before, action, maxSteps)
      : await jump(traveller, before, action);
  return { ...likely, expectedHorizon };
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

async function walkOrJump(
  traveller: Traveller,
  before: Answer,
  action: Action,
  maxSteps: number,
): Promise<NewAnswer> {
  try {
    return await walk(traveller, before, action, maxSteps);
  } catch (error) {
    if (!leadsNowhere(error)) throw error;
    traveller.forget();
    return jump(traveller, before, action);
  }
}

/** A sure jump costs least. Running again comes before a walk, which shows states that might have to be taken back. */
async function back(
  traveller: Traveller,
  before: Answer,
  action: Action,
  mode: 'jump' | 'walk',
  maxSteps: number,
): Promise<NewAnswer> {
  const parts: DecodedPart[] = [];
  const jumped = await jump(traveller, before, action, (part) => parts.push(part));
  const stands = (spent: Spent): NewAnswer => {
    showParts(parts, traveller.onPart);
    return { ...jumped, ...spent };
  };
  if (jumped.whole >= sureEnough) return stands(jumped);
  const call = action.kind === 'inv_step_call' ? jumped.state : undefined;
  const { found, spent } = await rerun(traveller, before.state, action, maxSteps, call);
  const sofar = spentTogether(jumped, spent);
  if (found !== null) return { ...derivedAnswer(traveller.program, before, action, found), ...sofar };
  if (mode === 'jump') return stands(sofar);
  const walked = await walkOrJump(traveller, before, action, maxSteps);
  return { ...walked, ...spentTogether(walked, sofar) };
}
