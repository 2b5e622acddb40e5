import { describe, expect, it } from 'vitest';
import {
  answerJson,
  answerText,
  listText,
  localsText,
  localText,
  whereText,
} from '../../../src/view/answer.js';
import { actionNumbers, eventNumbers, originNumbers } from '../../../src/wire/messages.js';
import { local, shownAnswer, tokens } from '../../support/shown-answer.js';

const lines = ['def f(x):', '    y = x', '    return y'];
const answer = shownAnswer;

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
  it('shows lines of the program without what a terminal would obey, and with their tabs', () => {
    const hostile = "\tx = '\u001b[2J\u009b1m\u202e'";
    const shown = "\tx = '\\u{1b}[2J\\u{9b}1m\\u{202e}'";
    expect(answerText(answer({ sourceLine: hostile }))).toContain(`    3  ${shown}`);
    expect(listText(answer(), ['', hostile], new Set())).toContain(`   2  ${shown}`);
    expect(whereText(answer(), ['', hostile, ''])).toContain(`line 2: ${shown.trim()}`);
  });

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
    expect(answerText({ ...after, horizon: 4 })).toContain('(25 %, model, 4 events)');
    expect(answerText(after)).toContain('x = 1');
    // Another function as deep as the one before has locals of its own.
    expect(answerText({ ...after, function: 'g' }, before)).toContain('x = 1');
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
