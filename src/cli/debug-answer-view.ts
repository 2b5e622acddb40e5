/** How values of expressions and candidates look: one JSON object each for machines, a line or a few for people. Pure. */
import { isGiven } from '../wire/given.js';
import type { WireAnswer, WireCandidate, WireCandidateList, WireEvaluation } from '../wire/messages.js';
import { originName } from '../wire/names.js';
import { answerFields, answerText, percent, printable } from './debug-view.js';

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

/** One line a candidate: what `--json` prints for its state, and how it ranks. */
export const candidateJson = ({ candidates, draws }: WireCandidateList): string[] =>
  candidates.map(({ answer, probability, consistent, forwardProbability }, index) =>
    JSON.stringify({
      candidate: index + 1,
      candidates: candidates.length,
      draws,
      answer_probability: probability,
      consistent: consistent ?? null,
      forward_probability: forwardProbability ?? null,
      ...answerFields(answer),
    }),
  );

function verdict({ consistent, forwardProbability }: WireCandidate): string {
  if (!isGiven(consistent)) return '';
  return `  ${consistent ? 'leads back here' : 'does not lead back'} (${percent(forwardProbability ?? 0).trim()})`;
}

export function candidatesText({ candidates }: WireCandidateList, before: WireAnswer): string {
  return candidates
    .map((candidate) => {
      const [head = '', ...rest] = answerText(candidate.answer, before).split('\n');
      return [`${percent(candidate.probability)}  ${head}${verdict(candidate)}`, ...rest].join('\n');
    })
    .join('\n');
}
