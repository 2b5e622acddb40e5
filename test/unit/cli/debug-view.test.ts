import { describe, expect, it } from 'vitest';
import {
  answerJson,
  answerText,
  listText,
  localsText,
  localText,
  whereText,
} from '../../../src/cli/debug-view.js';
import { actionNumbers, eventNumbers, originNumbers, type WireAnswer } from '../../../src/wire/messages.js';

const lines = ['def f(x):', '    y = x', '    return y'];
const tokens = { cached: 9, new: 3, forced: 1, drafted: 0, accepted: 0 };
const local = (name: string, value: string) => ({ name, value });
const answer = (change: Partial<WireAnswer> = {}): WireAnswer => ({
  session: 's',
  number: 2,
  parent: 1,
  action: { kind: actionNumbers.step_over, lines: [] },
  state: {
    event: eventNumbers.line,
    frames: [
      { line: 2, locals: [local('x', '1')], its: [], gots: [] },
      { line: 3, locals: [local('x', '1'), local('y', '2')], its: [], gots: [] },
    ],
    hiddenFrames: 1,
  },
  function: 'f',
  functions: ['g', 'f'],
  sourceLine: '    return y',
  origin: originNumbers.model,
  probability: { event: 0.5, line: 0.5, locals: { y: 0.75 } },
  tokens,
  queueMillis: 0,
  computeMillis: 0,
  preemptions: 0,
  horizon: 0,
  atEnd: false,
  atStart: false,
  mode: 0,
  steps: { model: 1, cache: 0 },
  expectedHorizon: 0,
  ...change,
});

describe('JSON', () => {
  it('has the fields of the command line contract', () => {
    expect(JSON.parse(answerJson(answer()))).toMatchObject({
      action: 'step_over',
      event: 'line',
      line: 3,
      source: '    return y',
      locals: { x: '1', y: '2' },
      origin: 'model',
      probability: { event: 0.5, line: 0.5, locals: { y: 0.75 } },
      tokens,
      depth: 3,
    });
    expect(answerJson(answer())).not.toContain('\n');
    expect(JSON.parse(answerJson(answer()))).not.toHaveProperty('value');
  });

  it('names lines, values, starts and edits', () => {
    const breakpoint = answer({ action: { kind: actionNumbers.breakpoint, lines: [2, 3] } });
    expect(JSON.parse(answerJson(breakpoint))).toMatchObject({ action: 'breakpoint', lines: [2, 3] });
    const { state, probability } = answer();
    const back = answer({
      state: { ...state, event: eventNumbers.return, value: "''" },
      probability: { ...probability, value: 0.25 },
    });
    expect(JSON.parse(answerJson(back))).toMatchObject({
      event: 'return',
      value: "''",
      probability: { value: 0.25 },
    });
    const edited = answer({ action: null, origin: originNumbers.given });
    expect(JSON.parse(answerJson(edited))).toMatchObject({ action: 'edit' });
    expect(JSON.parse(answerJson(answer({ action: null })))).toMatchObject({ action: 'query' });
    expect(JSON.parse(answerJson(answer({ action: null, parent: 0 })))).toMatchObject({ action: 'start' });
  });
});

describe('text', () => {
  it('shows where, how sure, and what changed', () => {
    const before = answer();
    const { state } = before;
    const top = { line: 3, locals: [local('x', '1'), local('y', '5')], its: [], gots: [] };
    const after = answer({
      number: 3,
      state: { ...state, frames: [state.frames[0] as (typeof state.frames)[0], top] },
    });
    expect(answerText(after, before)).toBe(
      '#3 line in f, line 3 (25 %, model)\n    3      return y\n       75 %  y = 5',
    );
    expect(answerText(after)).toContain('x = 1');
  });

  it('lets no value touch the terminal', () => {
    const { state } = answer();
    const frame = { line: 3, locals: [local('x', '\u001b[2J\u0007\u009b\u202e\n')], its: [], gots: [] };
    const hostile = answer({
      state: { ...state, event: eventNumbers.return, value: '\u001b]0;x\u0007', frames: [frame] },
    });
    for (const text of [answerText(hostile), localsText(hostile), localText(hostile, 'x') ?? '']) {
      expect(text.split('\n').join('')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
      expect(text).toContain('\\u{1b}');
    }
  });

  it('of one local tells its probability, that it did not change, or that it was given', () => {
    expect(localText(answer(), 'y')).toBe('2  (75 %)');
    expect(localText(answer(), 'x')).toBe('1  (unchanged)');
    expect(localText(answer({ origin: originNumbers.given }), 'x')).toBe('1');
    expect(localText(answer(), 'z')).toBeUndefined();
    expect(localText(answer(), 'toString')).toBeUndefined();
  });

  it('where: the stack outermost first, with names, the current frame marked', () => {
    expect(whereText(answer(), lines)).toBe(
      '  (1 outer frames not shown)\n   g, line 2: y = x\n-> f, line 3: return y',
    );
  });

  it('list: the current line marked, lines with code dotted', () => {
    expect(listText(answer(), lines, new Set([2, 3]))).toBe(
      '      1  def f(x):\n .    2      y = x\n->    3      return y',
    );
  });
});
