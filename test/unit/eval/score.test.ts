import { describe, expect, it } from 'vitest';
import type { DebuggerState } from '../../../src/debugger/state.js';
import { changesOf, scoreState, shows, Tally } from '../../../src/eval/score.js';
import { stateAt as state } from '../../support/states.js';

const before = state('line', 1, { a: '1', b: '2' });
const truth = state('line', 2, { a: '1', b: '3', c: '4' });

describe('a score', () => {
  it('of the truth is right in all parts', () => {
    expect(scoreState(before, truth, truth)).toEqual({
      event: true,
      line: true,
      locals: true,
      exact: true,
      changed: 2,
      changedRight: 2,
    });
  });

  it.each<[string, DebuggerState, object]>([
    [
      'another line',
      state('line', 3, { a: '1', b: '3', c: '4' }),
      { line: false, locals: true, exact: false },
    ],
    [
      'another event',
      state('call', 2, { a: '1', b: '3', c: '4' }),
      { event: false, locals: true, exact: false },
    ],
    [
      'nothing changed',
      state('line', 2, { a: '1', b: '2' }),
      { locals: false, exact: false, changedRight: 0 },
    ],
    ['one of two', state('line', 2, { a: '1', b: '3', c: '5' }), { locals: false, changedRight: 1 }],
    [
      'one too many',
      state('line', 2, { a: '1', b: '3', c: '4', d: '5' }),
      { locals: false, changedRight: 2 },
    ],
  ])('of %s', (_name, predicted, expected) => {
    expect(scoreState(before, truth, predicted)).toMatchObject(expected);
  });

  it('counts a value as a change', () => {
    const end = state('return', 2, { a: '1', b: '2' }, '7');
    expect(scoreState(before, end, end)).toMatchObject({ exact: true, changed: 1, changedRight: 1 });
    expect(scoreState(before, end, { ...end, value: '8' })).toMatchObject({
      locals: false,
      exact: false,
      changedRight: 0,
    });
  });

  it('of a frame that was entered counts all its locals as changed', () => {
    const entered = { ...truth, frames: [...before.frames, ...state('call', 5, { x: '1' }).frames] };
    expect(scoreState(before, entered, entered)).toMatchObject({ changed: 1, changedRight: 1 });
  });
});

describe('changes', () => {
  const end = state('return', 2, { a: '1', b: '3' }, '7');

  it('are the new and other locals, then the value', () => {
    expect(changesOf(before, end)).toEqual([
      { name: 'b', value: '3' },
      { name: null, value: '7' },
    ]);
    expect(changesOf(before, before)).toEqual([]);
  });

  it('are shown by a state or not', () => {
    const [local, value] = changesOf(before, end) as [
      { name: string; value: string },
      { name: null; value: string },
    ];
    expect([shows(end, local), shows(end, value)]).toEqual([true, true]);
    expect([shows(before, local), shows(before, value)]).toEqual([false, false]);
  });
});

describe('a tally', () => {
  it('gives shares, of nothing zeros', () => {
    const tally = new Tally();
    expect(tally.summary()).toEqual({
      n: 0,
      exact: 0,
      exact_interval: [0, 1],
      event: 0,
      line: 0,
      locals: 0,
      changed: 0,
      changed_n: 0,
    });
    tally.add({ event: true, line: true, locals: false, exact: false, changed: 3, changedRight: 1 });
    tally.add({ event: true, line: false, locals: true, exact: false, changed: 1, changedRight: 1 });
    expect(tally.summary()).toEqual({
      n: 2,
      exact: 0,
      exact_interval: [0, expect.closeTo(0.6576, 4)],
      event: 1,
      line: 0.5,
      locals: 0.5,
      changed: 0.5,
      changed_n: 4,
    });
  });
});
