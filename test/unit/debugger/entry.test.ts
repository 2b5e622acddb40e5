import { describe, expect, it } from 'vitest';
import { entryState } from '../../../src/debugger/entry.js';
import { parseProgram } from '../../../src/debugger/program.js';

const withClass =
  'class A:\n    def __init__(self, x):\n        self.x = x\n\ndef f(x, *more):\n    return A(x)\n';
const start = (call: string, source = withClass) => entryState(parseProgram(source, call));

describe('the state that an entry begins with', () => {
  it('is read off arguments that are literals', () => {
    expect(start('f(1)')?.frames[0]?.locals).toEqual(
      new Map([
        ['x', '1'],
        ['more', '()'],
      ]),
    );
  });

  it.each(['f(*[1, 2])', 'f(1, *(2,))', "f(**{'x': 1})", 'f(g)', 'A(1)'])('is not known of %s', (call) => {
    expect(start(call)).toBeNull();
  });

  it('is refused for a name that is mistyped, also where the program has names of Python', () => {
    expect(() => start('ff(1)')).toThrowError(expect.objectContaining({ code: 'invalid_entry' }));
  });

  it.each([
    'globals()["ff"] = f',
    '__builtins__.ff = f',
    '__dict__["ff"] = f',
    'from a import *',
  ])('is not refused where %s may bind it', (line) => {
    expect(start('ff(1)', `${withClass}\n${line}\n`)).toBeNull();
  });
});
