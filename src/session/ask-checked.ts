/**
 * A question whose answer is checked where it is unsure. Going back a step has no text that tells what came before, but going forward is what the
 * model does best: an answer from which it does not itself come back to the known state gives way to the most probable one from which it does.
 */
import type { DecodedPart } from '../debugger/language/decoded.js';
import { askModel, type ModelReply, type Question } from './ask-model.js';
import { findCandidates } from './candidates.js';
import { type Cost, sumOf } from './cost.js';
import { type CheckedQuestion, checkForward } from './forward-check.js';
import { showParts } from './held-parts.js';
import type { ModelAccess } from './submit-question.js';

/** Answers that are more probable than this stand as they are: of these nearly all that are wrong lead back, too. */
export const sureEnough = 0.9;
/** Distinct states drawn to choose from, the first answer among them. */
const alternatives = 4;

/** An answer and its parts, which wait until it is known to stand. */
interface Parted {
  readonly reply: ModelReply;
  readonly parts: readonly DecodedPart[];
}

/**
 * As `askModel`; a greedy answer to `inv_step_into` or `inv_step_over` is checked, and its parts come when it is known to stand.
 * @throws ForetraceError as askModel
 */
export async function askChecked(access: ModelAccess, question: Question): Promise<ModelReply> {
  if (!isCheckable(question)) return askModel(access, question);
  const { onPart, ...asked } = question;
  const parts: DecodedPart[] = [];
  const reply = await askModel(access, { ...asked, onPart: (part) => parts.push(part) });
  const first = { reply, parts };
  const best = reply.probability < sureEnough ? await bestOf(access, asked, first) : first;
  showParts(best.parts, onPart);
  return best.reply;
}

function isCheckable(question: Question): question is Question & CheckedQuestion {
  const { action, sampling, state } = question;
  const isStep = action.kind === 'inv_step_into' || action.kind === 'inv_step_over';
  return isStep && sampling.temperature === 0 && state !== null;
}

/** `first` with what the checks have cost, unless it does not lead back and another answer does. */
async function bestOf(access: ModelAccess, question: CheckedQuestion, first: Parted): Promise<Parted> {
  const { reply, parts } = first;
  const check = await checkForward(access, question, reply.delta);
  if (check.consistent !== false) return { reply: withCost(reply, check.cost), parts };
  const greedy = { reply, parts, check };
  const drawn = { ...question, count: alternatives, seed: 0, check: true, greedy } as const;
  const found = await findCandidates(access, drawn);
  const [best] = found.candidates;
  const cost = sumOf(check.cost, found.cost);
  if (!best?.consistent) return { reply: withCost(reply, cost), parts };
  const { delta, probability } = best.reply;
  return { reply: withCost({ delta, probability, result: reply.result }, cost), parts: best.parts };
}

const withCost = (reply: ModelReply, more: Cost): ModelReply => ({
  ...reply,
  result: { ...reply.result, ...sumOf(reply.result, more) },
});
