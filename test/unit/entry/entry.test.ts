import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { interpreter } from '../../../src/cli/python.js';
import { entryState } from '../../../src/debugger/entry.js';
import { checkState } from '../../../src/debugger/navigate.js';
import { parseProgram } from '../../../src/debugger/program.js';
import { currentFrame } from '../../../src/debugger/state.js';
import { ForetraceError } from '../../../src/errors.js';

const pythonRoot = fileURLToPath(new URL('../../../python/', import.meta.url));

/** The first event of the real run. */
function firstEvent(
  source: string,
  call: string,
): { event: string; line: number; locals: Record<string, string> } {
  const script = `
import json, sys
from foretrace.trace.sandbox import trace
from foretrace.trace import Limits
source, call = json.load(sys.stdin)
event = trace(source, call, Limits()).events[0]
print(json.dumps({'event': event.event, 'line': event.line, 'locals': event.locals}))`;
  const { stdout, stderr } = spawnSync(interpreter(), ['-c', script], {
    input: JSON.stringify([source, call]),
    encoding: 'utf8',
    env: { ...process.env, PYTHONPATH: pythonRoot },
  });
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout);
}

const known: readonly (readonly [string, string])[] = [
  ['def f(a, b=2, *rest, key="k", **more):\n    return a\n', 'f(1)'],
  [
    'def f(a, b=2, *rest, key="k", **more):\n    return a\n',
    "f(1, 2.50, 'x', [4], key=None, z={3, 1}, y=-1)",
  ],
  ['def f(*args):\n    return args\n', "f(('a',))"],
  ['def f(*args, **kw):\n    return args\n', 'f()'],
  ['def f(a, /, b, *, c=(1,)):\n    return a\n', "f({'k': [1, 2]}, b=1e16)"],
  ['def f(a: int = 3, *, b: "dict[str, int]" = {}) -> int:\n    return a\n', 'f(b={"x": 1e-05})'],
  [
    'x = 1\n\ndef g():\n    return f(2)\n\ndef f(value):\n    def inner():\n        return value\n    return inner()\n',
    'f(True)',
  ],
  ['def f(a,\n      b=[1,\n         2]):\n    return a\n', 'f(\n  0x10,\n)'],
  ['def f(text):\n    return text\n', `f('${'x'.repeat(300)}')`],
];

describe('the state at the call', () => {
  it.each(known)('%j called by %s is that of the real run', (source, call) => {
    const program = parseProgram(source, call);
    const state = entryState(program);
    const first = firstEvent(source, call);
    if (!state) throw new Error('the state is not known');
    checkState(program, state);
    const frame = currentFrame(state);
    expect({ event: state.event, line: frame.line, locals: Object.fromEntries(frame.locals) }).toEqual(first);
  });
});

describe('a call that cannot be read off', () => {
  it.each([
    ['a variable', 'x = 1\ndef f(a):\n    return a\n', 'f(x)'],
    ['an expression', 'def f(a):\n    return a\n', 'f(1 + 1)'],
    ['unpacking', 'def f(a):\n    return a\n', 'f(*[1])'],
    ['a default that is no literal', 'def f(a=len("x")):\n    return a\n', 'f()'],
    ['a lambda as a default', 'def f(a=lambda x, y: x, b=1):\n    return b\n', 'f()'],
    ['a decorator', 'def d(f):\n    return f\n\n@d\ndef f(a):\n    return a\n', 'f(1)'],
    ['a class', 'class C:\n    def __init__(self, a):\n        self.a = a\n', 'C(1)'],
    ['a method', 'def f(a):\n    return a\n', '"x".join([])'],
    ['an async function', 'async def f(a):\n    return a\n', 'f(1)'],
    ['two definitions', 'def f(a):\n    return a\n\ndef f(a, b=1):\n    return b\n', 'f(1)'],
    ['a definition under a condition', 'if True:\n    def f(a):\n        return a\n', 'f(1)'],
    ['another value later', 'def f(a):\n    return a\ndef g(a):\n    return 2\nf = g\n', 'f(1)'],
    ['another value by a loop', 'def f(a):\n    return a\nfor f in [f]:\n    pass\n', 'f(1)'],
    ['another value by an import', 'def f(a):\n    return a\nfrom math import *\n', 'f(1)'],
    ['a default that was changed before', 'def f(a=[]):\n    a.append(1)\n    return a\nf()\n', 'f()'],
    [
      'a default that a helper changed before',
      'def g():\n    f()\ndef f(a=[]):\n    a.append(1)\n    return a\ng()\n',
      'f()',
    ],
    [
      'a default that an f-string changed',
      'def f(a=[]):\n    a.append(1)\n    return a\nx = f"{f()}"\n',
      'f()',
    ],
  ])('%s', (_name, source, call) => {
    expect(entryState(parseProgram(source, call))).toBeNull();
  });

  it.each([
    '[g, f] = [f, g]',
    '(g, (f)) = (f, g)',
    '(f) = g',
    'f, x = g, 1',
    'x = [f] = [g]',
    'f: object = g',
    'f <<= g',
    'for g, f in [(f, g)]: pass',
    'for (g, [f]) in [(f, [g])]: pass',
    'with g() as (g, f): pass',
    'with g() as [f]: pass',
    'match g:\n    case f: pass',
    'match [g]:\n    case [f]: pass',
    'match g:\n    case object() as f: pass',
    'from math import (sin, cos as f)',
    'try: g()\nexcept E as f: pass',
    'del (f)',
    'x = f"{(f := g)}"',
    'f.__defaults__ = (2,)',
    'x = f\nx.__defaults__ = (2,)',
    'f.__code__ = g.__code__',
    "globals()['f'] = g",
    'vars().update(f=g)',
    "exec('f = g')",
    "setattr(m, 'f', g)",
    'def h():\n    global x, f\n    [f] = [g]\nh()',
  ])('a name that %j may bind', (statement) => {
    const source = `def g(a=1):\n    return a\ndef f(a=1):\n    return a\n${statement}\n`;
    expect(entryState(parseProgram(source, 'f()'))).toBeNull();
  });

  it.each([
    'x = f',
    'x = [f, g]',
    'f.cache = {}',
    'x = [f(y) for y in (1, 2)]',
    'for x in (f, g): x()',
    'x = list(map(f, [1]))',
    'x = sorted([1], key=f)',
    'if f == g: pass',
    'f(1)[0].x = 2',
    'x = f"{f(1)} {f!r:{f.__name__}}"',
    'def h(x): return f(x), f',
    'match g:\n    case f.cache: pass',
  ])('but not one that %j reads', (statement) => {
    const source = `def g(a=1):\n    return a\ndef f(a=1):\n    return a\n${statement}\n`;
    const state = entryState(parseProgram(source, 'f()'));
    expect(state && Object.fromEntries(currentFrame(state).locals)).toEqual({ a: '1' });
  });

  it('but a mutable default that nobody has touched is known', () => {
    const state = entryState(parseProgram('def f(a=[]):\n    a.append(1)\n    return f(a)\n', 'f()'));
    expect(state && Object.fromEntries(currentFrame(state).locals)).toEqual({ a: '[]' });
  });
});

describe('a call that cannot succeed', () => {
  it.each([
    ['too few', 'def f(a, b):\n    return a\n', 'f(1)'],
    ['too many', 'def f(a):\n    return a\n', 'f(1, 2)'],
    ['an unknown keyword', 'def f(a):\n    return a\n', 'f(1, b=2)'],
    ['a value twice', 'def f(a):\n    return a\n', 'f(1, a=1)'],
    ['a positional-only parameter by name', 'def f(a, /):\n    return a\n', 'f(a=1)'],
    ['a keyword-only parameter by position', 'def f(*, a):\n    return a\n', 'f(1)'],
    ['a generator function', 'def f(a):\n    yield a\n', 'f(1)'],
  ])('%s', (_name, source, call) => {
    const program = parseProgram(source, call);
    expect(() => entryState(program)).toThrow(ForetraceError);
    try {
      entryState(program);
    } catch (error) {
      expect((error as ForetraceError).code).toBe('invalid_entry');
    }
  });
});
