/** What a `raise` raises, where its line tells it. */
import { describe, expect, it } from 'vitest';
import { charTokens, wordTokens } from '../../../src/debugger/language/tokens.js';
import { raisedByPass } from '../../../src/debugger/loop-heads.js';
import { lineTokens, parseProgram } from '../../../src/debugger/program.js';
import {
  raisedBy,
  raisedByConversion,
  raisedByRange,
  raisedByUnpacking,
} from '../../../src/debugger/raised.js';
import { frameAt } from '../../support/states.js';

const locals = { x: '3', s: "'it'", xs: '[1]', o: '<E object>' };

/** What the statement on line 2 raises, which may go on on others. */
function raised(
  lines: readonly string[],
  more: readonly string[] = [],
  worked?: readonly number[],
): string | undefined {
  const program = parseProgram(
    ['def f(x, s, xs, o):', ...lines.map((line) => `    ${line}`), ...more, ''].join('\n'),
    'f(1, 2, 3, 4)',
  );
  const [scope] = program.scopes;
  if (scope === undefined) throw new Error('the program has a function');
  return raisedBy(program, { frame: frameAt(2, locals), scope }, worked);
}

describe('what is raised', () => {
  it.each([
    ["raise ValueError('no')", "ValueError('no')"],
    ['raise ValueError(x, s)', "ValueError(3, 'it')"],
    ["raise KeyError((x, 'a'))", "KeyError((3, 'a'))"],
    ['raise TypeError(xs)', 'TypeError([1])'],
    ['raise IndexError', 'IndexError()'],
    ['raise IndexError()', 'IndexError()'],
    ["raise ValueError('no') from o", "ValueError('no')"],
    ["raise ValueError(f'{x}: {xs}')", "ValueError('3: [1]')"],
    ['raise ValueError(o)', 'ValueError(<E object>)'],
  ])('by %s', (line, expected) => expect(raised([line])).toBe(expected));

  it('by a statement of several lines', () =>
    expect(raised(['raise ValueError(', "    'no',", '    x)'])).toBe("ValueError('no', 3)"));

  it('by a line that was worked out', () => {
    const worked = [...wordTokens('raise ValueError'), ...charTokens('(4)')];
    expect(raised(['raise ValueError(x + 1)'], [], worked)).toBe('ValueError(4)');
  });

  it.each([
    'raise ValueError(x + 1)',
    'raise ValueError(*xs)',
    "raise ValueError(f'{x + 1}')",
    'raise ValueError(g(x))',
    'raise OSError(x, s)',
    'raise o',
    'raise',
    'return ValueError(x)',
  ])('is not told by %s', (line) => expect(raised([line])).toBeUndefined());

  it('is not told of a class of the program', () => {
    const own = ['class ValueError(Exception):', '    pass'];
    expect(raised(['raise ValueError(x)'], own)).toBeUndefined();
  });
});

describe('taking apart', () => {
  /** On line 2 of a function with these names. */
  function apart(line: string, its: number[] = []): string | undefined {
    const program = parseProgram(
      ['def f(x, s, xs, ys, o):', `    ${line}`, '        return x', '']
        .join('\n')
        .replace(/^ {8}(?=return)/m, line.endsWith(':') ? '        ' : '    '),
      'f(1, 2, 3, 4, 5)',
    );
    const [scope] = program.scopes;
    if (scope === undefined) throw new Error('the program has a function');
    const frame = { ...frameAt(2, { ...locals, ys: '[(1, 2), (3,), 4]' }), its };
    const code = [...lineTokens(program, 2)];
    return (
      raisedByRange(program, { frame, scope }, code) ??
      raisedByPass(program, { frame, scope }, code) ??
      raisedByUnpacking(program, { frame, scope }, code, false)
    );
  }

  it.each([
    ['x, y = xs', "ValueError('not enough values to unpack (expected 2, got 1)')"],
    ['x, y = 1, 2, 3', "ValueError('too many values to unpack (expected 2)')"],
    ['x, y, z = s', "ValueError('not enough values to unpack (expected 3, got 2)')"],
    ['x, y = x', "TypeError('cannot unpack non-iterable int object')"],
    ['x, y = 1, 2', undefined],
    ['x, *y = xs', undefined],
    ['x, *y, z = xs', "ValueError('not enough values to unpack (expected at least 2, got 1)')"],
    ['[x, y, *z] = xs', "ValueError('not enough values to unpack (expected at least 2, got 1)')"],
    ['*x, y = x', "TypeError('cannot unpack non-iterable int object')"],
    ['x, *(y, z) = xs', undefined],
    ['(x, y), z = xs', undefined],
    ['x = xs', undefined],
    ['x, y = o', undefined],
  ])('%s raises %s', (line, expected) => expect(apart(line)).toBe(expected));

  it.each([
    [0, undefined],
    [1, "ValueError('not enough values to unpack (expected 2, got 1)')"],
    [2, "TypeError('cannot unpack non-iterable int object')"],
    [3, undefined],
  ])('in pass %i of a loop raises %s', (pass, expected) => {
    expect(apart('for x, y in ys:', [pass])).toBe(expected);
  });

  it.each([
    ['for i in range(x, 9, x - x):', undefined],
    ['for i in range(x, 9, 0):', "ValueError('range() arg 3 must not be zero')"],
    ['for i in range(0, x, x):', undefined],
  ])('%s raises %s', (line, expected) => {
    expect(apart(line, [0])).toBe(expected);
    expect(apart(line, [1])).toBeUndefined();
  });
});

describe('what is raised where a text is no number', () => {
  const converted = (line: string, source = '') => {
    const program = parseProgram(`def f(x, s, t, g):\n    ${line}\n${source}`, 'f(1, 2, 3, 4)');
    const [scope] = program.scopes;
    if (scope === undefined) throw new Error('the program has a function');
    const frame = frameAt(2, { x: '3', s: "'free'", t: "' 4 '", g: "'1.5'" });
    return raisedByConversion(program, { frame, scope }, [...lineTokens(program, 2)], false);
  };
  const noInteger = (text: string) => `ValueError("invalid literal for int() with base 10: '${text}'")`;
  const noFloat = (text: string) => `ValueError("could not convert string to float: '${text}'")`;

  it.each<[string, string]>([
    ['x = int(s)', noInteger('free')],
    ['return int(g)', noInteger('1.5')],
    ["int('')", noInteger('')],
    ["x = int('1__0')", noInteger('1__0')],
    ['return float(s)', noFloat('free')],
    ['x += float(s)', noFloat('free')],
    ["return float('1.5.')", noFloat('1.5.')],
    ['return int(t) + int(s)', noInteger('free')],
    ['x = x * 2 > int(s)', noInteger('free')],
  ])('by %s', (line, expected) => expect(converted(line)).toBe(expected));

  it.each([
    'x = int(t)',
    "x = int('-1_0')",
    'x = float(g)',
    "x = float('-.5e3'), float('Infinity')",
    'x = int(s, 36)',
    'x = int(x)',
    'x = str(s)',
    'x = s.count(s) + int(s)',
    'x = [int(s)]',
    "x = int('é')",
    "x = s == 'free' or int(s)",
    "x[0] = int('x')",
    "y += int('x')",
  ])('is not told by %s', (line) => expect(converted(line)).toBeUndefined());

  it('is not told where the name may be another one', () => {
    expect(converted('x = int(s)', 'def int(t):\n    return 1\n')).toBeUndefined();
  });
});
