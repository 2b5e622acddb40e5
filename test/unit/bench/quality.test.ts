/** What `bench quality` and `bench compare` compute from logits, and the texts that the former asks about. */
import { describe, expect, it } from 'vitest';
import { AgreementSum, divergence } from '../../../src/bench/agreement.js';
import { tokensOf } from '../../../src/bench/compare/run.js';
import { answerTexts } from '../../../src/bench/quality/texts.js';
import { DeltaDecoder } from '../../../src/debugger/language/decode.js';
import { isDecodeProblem } from '../../../src/debugger/language/decoded.js';
import { encodePrompt } from '../../../src/debugger/language/encode.js';
import type { EvaluationCase } from '../../../src/eval/cases.js';
import { sameState } from '../../../src/session/same-state.js';
import { type TrueRun, trueRuns } from '../../support/true-runs.js';

describe('agreement', () => {
  it('is the divergence of the distributions, whatever is added to all logits', () => {
    const even = Float32Array.of(0, 0);
    const odd = Float32Array.of(Math.log(3) + 7, 7);
    expect(divergence(odd, odd)).toBeCloseTo(0, 12);
    expect(divergence(even, odd)).toBeCloseTo(0.5 * Math.log(4 / 3), 6);
    expect(divergence(odd, even)).toBeCloseTo(0.75 * Math.log(1.5) + 0.25 * Math.log(0.5), 6);
  });

  it('counts positions and equal top tokens over all texts', () => {
    const sum = new AgreementSum();
    sum.add(Float32Array.of(1, 0, 0, 1), Float32Array.of(2, 0, 3, 1), 2);
    sum.add(Float32Array.of(5, 5), Float32Array.of(6, 5), 2);
    const { positions, top1, kl } = sum.result();
    expect([positions, top1]).toEqual([3, 2 / 3]);
    expect(kl).toBeGreaterThan(0);
  });

  it('is not a number where a logit is not', () => {
    const sum = new AgreementSum();
    sum.add(Float32Array.of(1, 0), Float32Array.of(Number.NaN, 0), 2);
    expect(sum.result().kl).toBeNaN();
  });
});

it('tokens of a comparison are ordinary ones', () => {
  const tokens = tokensOf(1024, 1025);
  expect(tokens).toHaveLength(1024);
  expect(Math.min(...tokens)).toBeGreaterThanOrEqual(3);
  expect(Math.max(...tokens)).toBeLessThan(1025);
  expect(new Set(tokens).size).toBeGreaterThan(900);
});

/** A run as a case of single steps. */
const caseOf = ({ name, program, states }: TrueRun): EvaluationCase => ({
  id: name,
  source: program.source,
  call: program.call,
  tags: [],
  transitions: states.slice(1).map((after, index) => ({
    action: { kind: 'step_into', lines: [] },
    before: states[index] as TrueRun['states'][number],
    after,
    horizon: 1,
    index,
  })),
});

describe.each(trueRuns.map((run) => [run.name, run] as const))('texts of %s', (_, run) => {
  it('are the prompt of every step and an answer that decodes to the next state', () => {
    const texts = answerTexts(caseOf(run));
    expect(texts).toHaveLength(run.states.length - 1);
    for (const [index, { tokens, promptTokens }] of texts.entries()) {
      const before = run.states[index] as TrueRun['states'][number];
      const prompt = encodePrompt(run.program, before, { kind: 'step_into', lines: [] });
      expect(tokens.slice(0, promptTokens)).toEqual(prompt);
      const decoder = new DeltaDecoder(run.program, before);
      for (const token of tokens.slice(promptTokens)) decoder.push(token, 0);
      const found = decoder.finish();
      if (isDecodeProblem(found)) throw new Error(found.message);
      expect(sameState(found.state, run.states[index + 1] as TrueRun['states'][number])).toBe(true);
    }
  });
});
