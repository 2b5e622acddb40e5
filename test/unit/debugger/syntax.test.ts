/** What is read as Python and what is not: exactly what CPython 3.11 parses, where the grammar underneath is of another mind. */
import { describe, expect, it } from 'vitest';
import { parseProgram } from '../../../src/debugger/program.js';

/** The names of each scope of a source, by the name of the scope. */
function namesOf(source: string): Record<string, readonly string[]> {
  const { scopes } = parseProgram(source, 'f(1)');
  return Object.fromEntries(scopes.map(({ name, names }) => [name, names]));
}

/** A function with these statements, which everything here is read in. */
const within = (statements: string): string =>
  `def f(q):\n${statements.replaceAll(/^/gm, '    ')}\n    return q\n`;

const refusal = expect.objectContaining({ code: 'invalid_python' });

describe('parameters', () => {
  it.each([
    ['lambda x, **kw: kw', ['x', 'kw']],
    ['lambda x=1, **k: k', ['x', 'k']],
    ['lambda x, *y, **k: k', ['x', 'y', 'k']],
    ['lambda **k: k', ['k']],
  ])('%s', (source, names) => {
    expect(namesOf(`f = ${source}\n`)).toEqual({ '<lambda>': names });
  });

  it.each(['lambda **k, x: k', 'lambda **k, *x: k', 'lambda x, **k, **m: k'])('not %s', (source) => {
    expect(() => parseProgram(`f = ${source}\n`, 'f(1)')).toThrow(refusal as Error);
  });
});

describe('syntax that the grammar does not know', () => {
  it.each([
    ['match a < b and not c or d in e:\n    case x: pass', ['q', 'x']],
    ['match a if b else c, d is not e, *g:\n    case x: pass', ['q', 'x']],
    ['match (y := a), z := b:\n    case x: pass', ['q', 'y', 'z', 'x']],
    ['match a:\n    case {Color.RED: x, A.B.C: D.E, **rest}: pass', ['q', 'x', 'rest']],
    ['match a:\n    case(): pass\n    case[]: pass\n    case{}: pass', ['q']],
    ['match a:\n    case x if y := not x: pass', ['q', 'x', 'y']],
    ['a[1, *b], a[*b, 1:2, *c], None[*d]', ['q']],
    ['x = [1, *a[*b]]', ['q', 'x']],
    ['for x in a[lambda b=1, *c, d: e], lambda b=1, *c: e: pass', ['q', 'x']],
    ['for i in a, *b: pass', ['q', 'i']],
    ['for i in *a, *b: pass', ['q', 'i']],
    ['x = [c for *c, d in a for e, *g in c]', ['q', 'x']],
    ['@not a\nclass C: pass', ['q', 'C']],
    ['@y := a\nclass C: pass', ['q', 'y', 'C']],
    ['@a if b else c\n@d\nclass C: pass', ['q', 'C']],
    ["x = f'{a[*b]}' f'{[c for *c, d in a]:{a[1, *b]}}'", ['q', 'x']],
    ['print >>q, 1', ['q']],
    ['match[1, *b]; case()', ['q']],
  ])('%s', (statements, names) => {
    expect(namesOf(within(statements))).toMatchObject({ f: names });
  });

  it.each([
    ['lambda a,: 0', ['a']],
    ['lambda *a,: 1', ['a']],
    ['lambda a, /,: 1', ['a']],
    ['lambda a, /, b=(1, 2), *, c,: 1', ['a', 'b', 'c']],
  ])('%s', (lambda, names) => {
    expect(namesOf(`f = ${lambda}\n`)).toEqual({ '<lambda>': names });
    expect(namesOf(`f = f'{(${lambda})}'\n`)).toEqual({ '<lambda>': names });
  });

  it('a star before the type of *args', () => {
    expect(namesOf('def f(x, *args: *Ts, y=1): pass\n')).toEqual({ f: ['x', 'args', 'y'] });
  });
});

describe('what Python has not', () => {
  it.each([
    'match a < < b:\n    case 1: pass',
    'match a not b:\n    case 1: pass',
    'match a if b:\n    case 1: pass',
    'match a.b := 1:\n    case 1: pass',
    'match *a:\n    case 1: pass',
    'match a:\n    case x, *C(): pass',
    '@a.b := c\nclass C: pass',
    '@*a\nclass C: pass',
    '@a, b\nclass C: pass',
    'print q',
    'x[*a:b]',
    'x[a, *b:c]',
    'x in *a',
    '[*a for a in x]',
    '[a for a in *x]',
    'x = (a, /, b)',
    'f(a, /)',
    'def g(/, a): pass',
    'def g(a, *, b, /): pass',
    'def g(a, /, b, /): pass',
    'def g(a: *b): pass',
    'lambda /, a: 0',
    "f'{lambda a, /, b, /: 0}'",
    'lambda *,: 0',
    'lambda a,,: 0',
    'a;;b',
    'x² = 1',
    "f'{x²}'",
    "f'{01}'",
    "x = 'a\0b'",
  ])('%j', (statements) => {
    expect(() => parseProgram(within(statements), 'f(1)')).toThrow(refusal as Error);
  });
});

it('imports, calls, targets and handlers that look like them are read', () => {
  const statements = [
    'from a import (b, c,)',
    'from .d.e import g as h',
    'import i.j as k, l.m',
    'f(*a, 1, x=2, *b, **c, y=3)',
    'try: pass',
    'except* (a, b): pass',
    'k += 1, 2',
    'del (b), [c, (h.x, k[0])]',
  ];
  expect(namesOf(within(statements.join('\n')))).toEqual({ f: ['q', 'b', 'c', 'h', 'k', 'l'] });
});
