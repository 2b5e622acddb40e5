/** How several answers to one action look: one JSON object each for machines, a few lines for people. Pure. */
import { isGiven } from '../wire/given.js';
import type { WireAnswer, WireCandidate, WireCandidateList } from '../wire/messages.js';
import { answerFields, answerText, percent } from './answer.js';

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

export function candidatesText({ candidates }: WireCandidateList, before?: WireAnswer): string {
  return candidates
    .map((candidate) => {
      const [head = '', ...rest] = answerText(candidate.answer, before).split('\n');
      return [`${percent(candidate.probability)}  ${head}${verdict(candidate)}`, ...rest].join('\n');
    })
    .join('\n');
}
