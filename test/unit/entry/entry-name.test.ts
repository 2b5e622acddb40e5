import { describe, expect, it } from 'vitest';
import { entryState } from '../../../src/debugger/entry.js';
import { parseProgram } from '../../../src/debugger/program.js';

const source = 'def double(n):\n    return n * 2\n';
const enter = (text: string, call: string) => entryState(parseProgram(text, call));

describe('the name that an entry calls', () => {
  it.each([
    ['nope(1)', source],
    ['dou(1)', source],
    ['nope(double(1))', source],
    ['nope(1)', `${source}nopes = 1\n`],
  ])('is refused where nothing can have bound it: %s', (call, text) => {
    expect(() => enter(text, call)).toThrow(
      expect.objectContaining({
        code: 'invalid_entry',
        details: expect.objectContaining({ actual: call }),
      }),
    );
  });

  it.each([
    ['sorted([1], key=double)', source],
    ['ValueError(double(1))', source],
    ['nope(x)', `${source}import nope\n`],
    ['nope(x)', `${source}from m import *\n`],
    ['nope(x)', `${source}globals()['no' + 'pe'] = double\n`],
    ['double.nope(1)', source],
    ['(lambda: 1)()', source],
  ])('may be a builtin, or bound in any way: %s', (call, text) => {
    expect(enter(text, call)).toBeNull();
  });
});
