/** Which function a frame runs. */
import { describe, expect, it } from 'vitest';
import { compileGrammar } from '../../../src/debugger/language/grammar.js';
import { eventToken, lineToken } from '../../../src/debugger/language/tokens.js';
import { parseProgram } from '../../../src/debugger/program.js';
import { scopeOf } from '../../../src/debugger/running.js';
import { GrammarWalker } from '../../../src/native/grammar-walker.js';
import { frameAt, stateAt } from '../../support/states.js';

/** The decorator of `g` is a line of f, and the line of the call event of `g`, in which `n` is free. */
const decorated = parseProgram(
  ['def f(n):', '    @cache', '    def g():', '        return n', '    return g()', ''].join('\n'),
  'f(1)',
);

describe('a decorator', () => {
  it('is stopped on by the function around it, and called on by the one below it', () => {
    const name = (event: 'line' | 'call' | 'paused') =>
      scopeOf(decorated, frameAt(2, { n: '1' }), event)?.name;
    expect(name('line')).toBe('f');
    expect(name('paused')).toBe('f');
    expect(name('call')).toBe('g');
  });

  it('leads to the line of the def', () => {
    const state = stateAt('line', 2, { n: '1' });
    const { data, start } = compileGrammar(decorated).forQuestion(state, { kind: 'step_over', lines: [] });
    const leads = (line: number): boolean => {
      const walker = new GrammarWalker(data, start.state, start.frames, 50);
      return walker.accept(eventToken('line')) && walker.accept(lineToken(line));
    };
    expect([2, 3, 4, 5].map(leads)).toEqual([false, true, false, false]);
  });
});
