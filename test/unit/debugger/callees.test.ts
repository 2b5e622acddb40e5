/** Which functions of the program a line can enter. */
import { describe, expect, it } from 'vitest';
import { parseProgram } from '../../../src/debugger/program.js';

const functions = [
  'def g(a):',
  '    return a',
  'def h(a):',
  '    return a',
  'class Box:',
  '    def __init__(self, n):',
  '        self.n = n',
  '    def put(self, n):',
  '        return n',
  'class Tree:',
  '    def __init__(self, m):',
  '        self.m = m',
  '    def put(self, m):',
  '        return m',
];

/** Names and lines of the functions that line `at` of `f` can enter; "any" if nothing is known. */
function entered(line: string, before: readonly string[] = [], entry = 'f(3)'): string[] | 'any' {
  const source = [...functions, ...before, 'def f(x):', ...line.split('\n').map((text) => `    ${text}`), ''];
  const program = parseProgram(source.join('\n'), entry);
  const own = program.scopes.find(({ name }) => name === 'f');
  const lines = own?.flow?.lines.get(functions.length + before.length + 2)?.entered;
  if (lines === undefined) return 'any';
  return program.scopes
    .filter(({ firstLine }) => lines.has(firstLine))
    .map((s) => `${s.name}:${s.firstLine}`);
}

describe('a line can enter', () => {
  it.each<[string, string[]]>([
    ['y = x + 1', []],
    ['y = len(x)', []],
    ['y = g(x)', ['g:1']],
    ['y = x and g(x)', ['g:1']],
    ['y = g(h(x))', ['h:3']],
    ['y = x and g(h(x))', ['g:1', 'h:3']],
    ['y = [g(1), h(2)]', ['g:1']],
    ['x[g(1)] = h(2)', ['h:3']],
    ['y, z = g(1), h(2)', ['g:1']],
    ['x[g(0)], x[h(0)] = 1, 2', ['g:1']],
    ['x[g(0)] = x[h(0)] = 1', ['g:1']],
    ['x[g(0)] = y = h(1), g(2)', ['h:3']],
    ['print(end=g(x), *h(x))', ['h:3']],
    ['print(end=g(x), **h(x))', ['g:1']],
    ['print(y := g(x), h(x))', ['g:1']],
    ['y = h(1) if x else g(1)', ['g:1', 'h:3']],
    ['y = Box(1)', ['__init__:6']],
    ['y = Tree(1)', ['__init__:11']],
    ['x.put(3)', ['put:8', 'put:13']],
    ['x.append(g(3))', ['g:1']],
    ["y = f'{h(x)}'", ['h:3']],
    ['for y in g(x):\n    pass', ['g:1']],
    ['while h(x):\n    pass', ['h:3']],
    ['if x > 1:\n    pass', []],
    ['return [h(y) for y in x]', ['h:3']],
    ['y = f(x - 1)', ['f:15']],
    ['class A:\n    y = g(x)\n    if x:\n        z = h(x)', ['g:1', 'h:3']],
    ['def k(y=g(x)):\n    return h(y)', ['g:1']],
  ])('%s', (line, names) => expect(entered(line)).toEqual(names));

  it('a class that something else stands for', () => {
    expect(entered('y = x(1)')).toEqual(['__init__:6', '__init__:11']);
    expect(entered('y = type(x)(1)')).toEqual(['__init__:6', '__init__:11']);
    expect(entered('y = x.kind(1)', ['def k(t):', '    t.kind = Tree'])).toEqual(['__init__:11']);
  });

  it.each<[string, string[], string[]]>([
    ['a function handed on', ['def k(a):', '    return sorted(a, key=h)'], ['h:3']],
    ['a method handed on', ['def k(a):', '    return a.put'], ['put:8', 'put:13']],
    ['a generator', ['def k(a):', '    yield a'], ['k:15']],
    ['a generator expression', ['def k(a):', '    return sum(b for b in a)'], ['<genexpr>:16']],
    ['a lambda', ['k = lambda a: a'], ['<lambda>:15']],
    ['an operator', ['class K:', '    def __add__(self, a):', '        return a'], ['__add__:16']],
    ['a decorated function', ['@g', 'def k(a):', '    return a'], ['g:1', 'k:15']],
    ['a class raised', ['class K(ValueError):', '    def __init__(self):', '        pass'], ['__init__:16']],
  ])('%s, where something runs that is not named', (_what, before, names) =>
    expect(entered('y = x.z[0](1)', before)).toEqual(expect.arrayContaining(names)));

  it('a method called like a function of a module, unless the name may stand for something else', () => {
    expect(entered('y = math.put(x)', ['import math'])).toEqual([]);
    expect(entered('y = m.put(g(x))', ['import math as m'])).toEqual(['g:1']);
    expect(entered('y = math.pi.put(x)', ['import math'])).toEqual(['put:8', 'put:13']);
    for (const before of [['math = Box(1)'], ['import math', 'math = Box(1)'], ['import math', 'k = [math]']])
      expect(entered('y = math.put(x)', before)).toEqual(['put:8', 'put:13']);
    expect(entered('import math; math.put(x)', ['def k(math):', '    return 1'])).toEqual([
      'put:8',
      'put:13',
    ]);
  });

  it('a function that the entry hands on', () => {
    expect(entered('y = x + 1', [], 'f(g)')).toEqual(['g:1']);
    expect(entered('y = x + 1', [], 'f(g(3))')).toEqual([]);
  });

  it.each([
    ["y = getattr(x, 'put')(1)"],
    ['y = x.__class__(1)'],
    ['from math import *'],
    ['class K(unittest.TestCase):\n    pass'],
  ])('anything: %s', (line) => expect(entered(line)).toBe('any'));
});
