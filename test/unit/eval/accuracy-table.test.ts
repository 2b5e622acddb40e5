import { describe, expect, it } from 'vitest';
import { actionKinds } from '../../../src/debugger/action.js';
import { ForetraceError } from '../../../src/errors.js';
import { accuracyText } from '../../../src/eval/accuracy-table.js';
import { defaultAccuracy, readAccuracy } from '../../../src/session/accuracy.js';

const outcome = (kind: (typeof actionKinds)[number], horizon: number, exact: boolean) => ({
  action: { kind },
  horizon,
  model: { exact },
});

describe('the table of accuracies', () => {
  it('has shares and mean horizons of what was asked often enough, and is read back', () => {
    const outcomes = [
      ...Array.from({ length: 20 }, (_, index) => outcome('step_over', index < 10 ? 1 : 4, index < 15)),
      ...Array.from({ length: 19 }, () => outcome('continue', 9, true)),
    ];
    const walked = Array.from({ length: 20 }, (_, index) => outcome('step_over', 1, index < 17));
    const text = accuracyText({ model: 'm', data: 'd' }, outcomes, walked);
    expect(JSON.parse(text)).toEqual({
      model: 'm',
      data: 'd',
      actions: { step_over: { n: 20, exact: 0.75, walked: 0.85, horizon: 2.5 } },
    });
    expect(readAccuracy(text, 'accuracy.json')).toEqual({
      ...defaultAccuracy,
      step_over: { exact: 0.75, walked: 0.85, horizon: 2.5 },
    });
  });

  it.each([
    '',
    '3',
    '{}',
    '{"actions": {"fly": {"exact": 1, "horizon": 1}}}',
    '{"actions": {"continue": {"exact": 2, "horizon": 1}}}',
    '{"actions": {"continue": {"exact": 1, "horizon": 0}}}',
    '{"actions": {"continue": {"exact": 1, "walked": 2, "horizon": 1}}}',
  ])('is refused when it is %s', (text) => {
    expect(() => readAccuracy(text, 'x')).toThrow(ForetraceError);
  });

  it('has defaults for every action', () => {
    expect(Object.keys(defaultAccuracy).sort()).toEqual([...actionKinds].sort());
  });
});
