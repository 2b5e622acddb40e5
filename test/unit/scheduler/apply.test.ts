import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type SequenceId, StepStatus } from '../../../src/native/addon-types.js';
import { apply, type SentBlock } from '../../../src/scheduler/apply.js';

interface Answer {
  readonly sequence: number;
  readonly status: number;
  readonly tokens: readonly (readonly [token: number, flags: number, logProbability: number])[];
}

function responseOf(answers: readonly Answer[]) {
  const words = answers.flatMap((one) => [
    one.sequence,
    one.status,
    7,
    5,
    3,
    one.tokens.length,
    ...one.tokens.flatMap((token) => token.slice(0, 2)),
  ]);
  const logProbabilities = answers.flatMap((one) => one.tokens.map(([, , value]) => value));
  return {
    response: Int32Array.from([...words, 99, 99]),
    logProbabilities: Float32Array.from(logProbabilities),
    words: words.length,
  };
}

const sent = (sequence: number, replay: readonly number[] = [], maxNewTokens = 20): SentBlock => ({
  sequence: sequence as SequenceId,
  maxNewTokens,
  replay: Int32Array.from(replay),
});

describe('apply', () => {
  it("gives a failed sequence the engine's reason, and only that one", () => {
    const response = responseOf([
      { sequence: 1, status: StepStatus.failed, tokens: [] },
      { sequence: 2, status: StepStatus.running, tokens: [] },
    ]);
    const updates = apply([sent(1), sent(2)], { ...response, failure: 'no finite logit' });
    expect(updates.map(({ problem }) => problem)).toEqual(['no finite logit', null]);
  });

  it('gives back exactly what was written, block by block', () => {
    const token = fc.tuple(fc.nat(1000), fc.constantFrom(0, 1), fc.integer({ min: -50, max: 0 }));
    const answers = fc.array(
      fc.record({ status: fc.integer({ min: 0, max: 5 }), tokens: fc.array(token, { maxLength: 10 }) }),
    );
    fc.assert(
      fc.property(answers, (drawn) => {
        const all = drawn.map((one, index) => ({ ...one, sequence: index + 1 }));
        const updates = apply(
          all.map((one) => sent(one.sequence)),
          responseOf(all),
        );
        expect(updates.length).toBe(all.length);
        updates.forEach((update, index) => {
          const { tokens } = all[index] as Answer;
          expect(update).toMatchObject({ computed: 7, drafted: 5, accepted: 3 });
          expect(Array.from(update.run?.tokens ?? [])).toEqual(tokens.map(([value]) => value));
          expect(Array.from(update.run?.forced ?? [])).toEqual(tokens.map(([, flags]) => flags));
          expect(Array.from(update.run?.logProbabilities ?? [])).toEqual(
            tokens.map(([, , value]) => Math.fround(value)),
          );
        });
      }),
    );
  });

  it('names the outcome and the rows of the next pass', () => {
    const tokens = [
      [1, 0, -1],
      [2, 1, 0],
      [3, 1, 0],
    ] as const;
    const outcomes = Object.values(StepStatus).map((status) => {
      const [update] = apply([sent(1)], responseOf([{ sequence: 1, status, tokens }]));
      return [update?.outcome, update?.generatingRows];
    });
    expect(outcomes).toEqual(
      ['running', 'finished', 'length', 'finished', 'outOfPages', 'failed'].map((name) => [name, 3]),
    );
  });

  it('does not give out replayed tokens again, and fails the sequence alone if one differs', () => {
    const tokens = [
      [5, 0, -1],
      [6, 0, -2],
      [7, 1, -3],
    ] as const;
    const answers = [1, 2].map((sequence) => ({ sequence, status: 0, tokens }));
    const [good, bad] = apply([sent(1, [5, 6]), sent(2, [5, 9])], responseOf(answers));
    expect(good).toMatchObject({ outcome: 'running', replayed: 2 });
    expect(Array.from(good?.run?.tokens ?? [])).toEqual([7]);
    expect(Array.from(good?.run?.logProbabilities ?? [])).toEqual([-3]);
    expect(bad).toMatchObject({ outcome: 'failed', run: null });
    expect(bad?.problem).toMatch(/token 6 .* where 9/);
  });

  it('copies: the ring may be overwritten afterwards', () => {
    const step = responseOf([{ sequence: 1, status: 0, tokens: [[5, 0, -1]] }]);
    const [update] = apply([sent(1)], step);
    step.response.fill(0);
    step.logProbabilities.fill(0);
    expect([...(update?.run?.tokens ?? []), ...(update?.run?.logProbabilities ?? [])]).toEqual([5, -1]);
  });

  it.each([
    ['another sequence', [{ sequence: 2, status: 0, tokens: [] }]],
    ['an unknown status', [{ sequence: 1, status: 9, tokens: [] }]],
    [
      'more tokens than asked for',
      [{ sequence: 1, status: 0, tokens: Array.from({ length: 21 }, () => [1, 0, 0] as const) }],
    ],
    ['a block too few', []],
    ['a block too many', [1, 2].map((sequence) => ({ sequence, status: 0, tokens: [] }))],
  ])('refuses a response with %s', (_name, answers) => {
    expect(() => apply([sent(1)], responseOf(answers))).toThrow(/malformed/);
  });
});
