import { describe, expect, it } from 'vitest';
import { candidateJson, candidatesText } from '../../../src/view/candidates.js';
import { actionNumbers, eventNumbers, type WireAnswer } from '../../../src/wire/messages.js';
import { local, shownAnswer } from '../../support/shown-answer.js';

const answer = (number: number, x: string): WireAnswer =>
  shownAnswer({
    number,
    action: { kind: actionNumbers.inv_step_over, lines: [] },
    state: {
      event: eventNumbers.line,
      frames: [{ line: 2, locals: [local('x', x)], its: [], gots: [] }],
      hiddenFrames: 0,
    },
    functions: ['f'],
    sourceLine: '    y = x',
    probability: { event: 1, line: 0.5, locals: { x: 0.5 } },
  });
const list = {
  session: 's',
  from: 1,
  draws: 3,
  candidates: [
    { answer: answer(2, '1'), probability: 0.25, consistent: true, forwardProbability: 0.5 },
    { answer: answer(3, '2'), probability: 0.5, consistent: false, forwardProbability: 1 },
    { answer: answer(4, '\u0007'), probability: 0.125, consistent: null, forwardProbability: null },
  ],
};

describe('candidates', () => {
  it('as JSON are states with their rank', () => {
    const lines = candidateJson(list).map((line) => JSON.parse(line));
    expect(lines).toHaveLength(3);
    expect(lines[0]).toMatchObject({
      candidate: 1,
      candidates: 3,
      draws: 3,
      answer_probability: 0.25,
      consistent: true,
      forward_probability: 0.5,
      state: 2,
      parent: 1,
      action: 'inv_step_over',
      locals: { x: '1' },
    });
    expect(lines[2]).toMatchObject({ consistent: null, forward_probability: null, candidate: 3 });
  });

  it('as text show probability, number and verdict', () => {
    const text = candidatesText(list, answer(1, '7')).split('\n');
    expect(text[0]).toBe(' 25 %  #2 line in f, line 2 (50 %, model)  leads back here (50 %)');
    expect(text[2]).toBe('       50 %  x = 1');
    expect(text[3]).toContain('#3');
    expect(text[3]).toContain('does not lead back (100 %)');
    expect(text[6]).toMatch(/^ 13 % {2}#4 .*model\)$/);
    expect(text.join('')).not.toContain('\u0007');
  });
});
