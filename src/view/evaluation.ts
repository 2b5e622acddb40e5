/** How values of expressions look: one JSON object for machines, a line for people. Pure. */
import { isGiven } from '../wire/given.js';
import type { WireEvaluation } from '../wire/messages.js';
import { originName } from '../wire/names.js';
import { percent, printable } from './answer.js';

export function evaluationJson(evaluation: WireEvaluation): string {
  const { expression, from, value, exception, probability, tokens } = evaluation;
  return JSON.stringify({
    expression,
    state: from,
    ...(isGiven(value) ? { value } : {}),
    ...(isGiven(exception) ? { exception } : {}),
    origin: originName(evaluation),
    probability,
    tokens,
  });
}

export function evaluationText(evaluation: WireEvaluation): string {
  const { value, exception, probability } = evaluation;
  const what = isGiven(exception) ? `raises ${printable(exception)}` : printable(value ?? '');
  return `${what}  (${percent(probability).trim()}, ${originName(evaluation)})`;
}
