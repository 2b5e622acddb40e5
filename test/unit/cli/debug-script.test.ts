import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { helpText, parseCommand, splitScript } from '../../../src/cli/debug-script.js';
import { actionKinds, takesLines } from '../../../src/debugger/action.js';
import { ForetraceError } from '../../../src/errors.js';

describe('commands', () => {
  it.each([
    ['s', 'step_into'],
    ['n', 'step_over'],
    ['next', 'step_over'],
    ['r', 'step_return'],
    ['c', 'continue'],
    ['cont', 'continue'],
    ['rs', 'inv_step_into'],
    ['rn', 'inv_step_over'],
    ['rr', 'inv_step_call'],
    ['rc', 'inv_continue'],
    ['  step_over  ', 'step_over'],
  ])('%s is the action %s', (text, action) => {
    expect(parseCommand(text)).toEqual({ kind: 'act', action, lines: [] });
  });

  it.each([
    ['b 7', 'breakpoint', [7]],
    ['breakpoint 7, 12 3', 'breakpoint', [7, 12, 3]],
    ['rb 4,5', 'inv_breakpoint', [4, 5]],
  ])('%s has lines', (text, action, lines) => {
    expect(parseCommand(text)).toEqual({ kind: 'act', action, lines });
  });

  it('every action has its own name as a command', () => {
    for (const kind of actionKinds) {
      const text = takesLines(kind) ? `${kind} 1` : kind;
      expect(parseCommand(text)).toMatchObject({ kind: 'act', action: kind });
    }
  });

  it.each([
    ['p x', { kind: 'evaluate', expression: 'x' }],
    ['evaluate len(x)  + 1 ', { kind: 'evaluate', expression: 'len(x)  + 1' }],
    ["print {'a': x}[0]", { kind: 'evaluate', expression: "{'a': x}[0]" }],
    [
      'candidates 5 inv_step_into',
      { kind: 'candidates', count: 5, action: 'inv_step_into', lines: [], check: false },
    ],
    [
      'candidates 2 rb 3, 4 check',
      { kind: 'candidates', count: 2, action: 'inv_breakpoint', lines: [3, 4], check: true },
    ],
    [
      'candidates 1 rs  check',
      { kind: 'candidates', count: 1, action: 'inv_step_into', lines: [], check: true },
    ],
    ['set x = [1, 2]', { kind: 'set', name: 'x', value: '[1, 2]' }],
    ["set x='a=b'", { kind: 'set', name: 'x', value: "'a=b'" }],
    ['goto 12', { kind: 'goto', state: 12 }],
    ['w', { kind: 'where' }],
    ['?', { kind: 'help' }],
    ['exit', { kind: 'quit' }],
  ])('%s', (text, command) => {
    expect(parseCommand(text)).toEqual(command);
  });

  it.each([
    '',
    'b',
    'b x',
    'b 0',
    'b -1',
    's 3',
    'p',
    'evaluate',
    'candidates',
    'candidates 5',
    'candidates rs',
    'candidates 0 rs',
    'candidates 5 check',
    'candidates 5 goto 3',
    'candidates 5 rs checked',
    'candidates 5 rb',
    'candidates 5 candidates 5 rs',
    'set x',
    'set = 3',
    'goto',
    'goto 0',
    'where now',
    'toString',
    'constructor',
    '__proto__',
  ])('%j is refused with what was expected', (text) => {
    try {
      parseCommand(text);
    } catch (error) {
      expect(error).toBeInstanceOf(ForetraceError);
      expect((error as ForetraceError).code).toBe('invalid_action');
      expect((error as ForetraceError).details.expected).toBeTruthy();
      return;
    }
    throw new Error('it was accepted');
  });

  it('any text gives a command or a coded error', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        try {
          parseCommand(text);
        } catch (error) {
          expect(error).toBeInstanceOf(ForetraceError);
        }
      }),
    );
  });

  it('help names every short action', () => {
    for (const word of [
      's',
      'n',
      'r',
      'b',
      'c',
      'rs',
      'rn',
      'rr',
      'rb',
      'rc',
      'p',
      'candidates',
      'where',
      'list',
      'back',
      'fork',
    ]) {
      expect(helpText).toMatch(new RegExp(`\\b${word}\\b`));
    }
  });
});

describe('scripts', () => {
  it.each([
    ['s; n ;; b 7, 9;', ['s', 'n', 'b 7, 9']],
    ["set x = 'a;b'; s", ["set x = 'a;b'", 's']],
    ['set x = "it\'s; \\"ok\\""; s', ['set x = "it\'s; \\"ok\\""', 's']],
    ["p x'; s", ["p x'", 's']],
    ["evaluate x.split(';'); candidates 5 rs", ["evaluate x.split(';')", 'candidates 5 rs']],
    ['', []],
  ])('%s', (script, commands) => {
    expect(splitScript(script)).toEqual(commands);
  });
});

describe('modes and queries', () => {
  it.each([
    ['mode walk', { kind: 'mode', mode: 'walk' }],
    ['mode jump', { kind: 'mode', mode: 'jump' }],
    ['mode auto', { kind: 'mode', mode: 'auto' }],
    ['exceptions on', { kind: 'exceptions', stop: true }],
    ['exceptions off', { kind: 'exceptions', stop: false }],
    ['values x 7', { kind: 'query', query: 'values', names: ['x'], line: 7 }],
    ['changed total', { kind: 'query', query: 'changed', names: ['total'], line: 0 }],
    ['table', { kind: 'query', query: 'table', names: [], line: 0 }],
    ['table x, y', { kind: 'query', query: 'table', names: ['x', 'y'], line: 0 }],
  ])('%s', (text, command) => {
    expect(parseCommand(text)).toEqual(command);
  });

  it.each([
    'mode',
    'mode fly',
    'values',
    'values x',
    'values 7',
    'values x y 7',
    'values x y',
    'changed',
    'changed x y',
  ])('refuses %s', (text) => {
    expect(() => parseCommand(text)).toThrow(ForetraceError);
  });
});
