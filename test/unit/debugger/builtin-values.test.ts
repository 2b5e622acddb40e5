/** Which names and attributes stand for values of builtins alone, read off whole programs. */
import { parser } from '@lezer/python';
import { describe, expect, it } from 'vitest';
import { builtinValues, kinds } from '../../../src/debugger/language/builtin-values.js';
import { childrenOf } from '../../../src/debugger/language/syntax-nodes.js';

/** What the expression on the last line comes to, which stands in a function behind `lines`. */
function kindOf(lines: readonly string[], expression: string, bound: readonly string[] = []) {
  const source = [...lines, `${expression}`, ''].join('\n');
  const functions = new Set([...source.matchAll(/def (\w+)/g)].map(([, name = '']) => name));
  const top = parser.parse(source).topNode;
  const values = builtinValues(top, { source, bound: new Set(bound), functions });
  const deepest = (node: ReturnType<typeof childrenOf>[number]): typeof node => {
    const last = childrenOf(node).at(-1);
    return last && /Script|Body|Definition$|ExpressionStatement/.test(node.name) ? deepest(last) : node;
  };
  return Object.entries(kinds).find(([, kind]) => kind === values.kindOf(deepest(top)))?.[0];
}

describe('an expression', () => {
  it.each([
    ['1', 'literal'],
    ["f'{x}'", 'literal'],
    ['(1, (2, None))', 'literal'],
    ['[x]', 'builtin'],
    ['(1, x)', 'builtin'],
    ['len(x)', 'literal'],
    ['sorted(x)', 'builtin'],
    ['max(x)', 'anything'],
    ['max(1, 2)', 'literal'],
    ['x in y', 'literal'],
    ['x < y', 'anything'],
    ['1 < 2', 'literal'],
    ['not x', 'literal'],
    ['x and 1', 'anything'],
    ['[1] + [2]', 'builtin'],
    ['[1] + x', 'anything'],
    ["'a' if x else 'b'", 'literal'],
    ["'abc'[0]", 'literal'],
    ['[1][0]', 'anything'],
    ["x.split(',')", 'builtin'],
    ['x.strip()', 'literal'],
    ['x.pop()', 'anything'],
    ['(i for i in x)', 'anything'],
    ['x', 'anything'],
  ])('%s is %s', (expression, kind) => expect(kindOf([], expression)).toBe(kind));

  it('asks functions of builtins, not those of the program', () => {
    expect(kindOf([], 'len(x)', ['len'])).toBe('anything');
    expect(kindOf(['def strip(self):', '    return 1'], 'x.strip()')).toBe('anything');
    expect(kindOf(['x.strip = y'], 'x.strip()')).toBe('anything');
    expect(kindOf(['class S(str):', '    pass'], 'str(x)')).toBe('anything');
    expect(kindOf(['import copy'], 'copy.items()')).toBe('anything');
  });
});

describe('a name', () => {
  it.each([
    [['n = 1'], 'literal'],
    [['n = 1', 'n += 2'], 'literal'],
    [['n = 1', 'n += x'], 'anything'],
    [['n = []', 'n = {}'], 'builtin'],
    [['n = 1', 'n = []'], 'builtin'],
    [['n = []', 'n = x'], 'anything'],
    [['n = m = 1', 'm = n + m'], 'literal'],
    [['n, m = 1, x'], 'literal'],
    [['n, m = x'], 'anything'],
    [['*n, m = x'], 'builtin'],
    [['for n in range(3): pass'], 'literal'],
    [['for n in x: pass'], 'anything'],
    [['for n, m in enumerate(x): pass'], 'literal'],
    [['for n in "abc": pass'], 'literal'],
    [['for n in "abc", x: pass'], 'anything'],
    [['with x as n: pass'], 'anything'],
    [['try:', '    pass', 'except E as n:', '    pass', 'n = 1'], 'anything'],
    [['import n', 'n = 1'], 'anything'],
    [['match x:', '    case [n]: pass', 'n = 1'], 'anything'],
    [['(n := x)', 'n = 1'], 'anything'],
    [['f(n := x)', 'n = 1'], 'anything'],
    [['n = 1', 'exec(x)'], 'anything'],
  ])('%j: %s', (lines, kind) => expect(kindOf(lines, 'n')).toBe(kind));

  it('is that of the function which has it', () => {
    expect(kindOf(['n = x', 'def f(m):', '    n = 1'], '    n')).toBe('literal');
    expect(kindOf(['n = 1', 'def f(n):', '    pass'], '    n')).toBe('anything');
    expect(kindOf(['n = 1', 'def f(m):', '    pass'], '    n')).toBe('literal');
    expect(kindOf(['n = 1', 'def g():', '    global n', '    n = x', 'def f(m):', '    pass'], '    n')).toBe(
      'anything',
    );
  });
});

describe('an attribute', () => {
  it.each([
    [['a.n = 1'], 'literal'],
    [['a.n = []', 'b.n = 2'], 'builtin'],
    [['a.n = 1', 'b.n = x'], 'anything'],
    [['class A:', '    n = 1'], 'literal'],
    [['class A(Enum):', '    n = 1'], 'anything'],
    [['@dataclass', 'class A:', '    n: int = 1'], 'anything'],
    [['a.n = 1', 'def n(self): pass'], 'anything'],
    [['a.n = 1', 'setattr(a, k, x)'], 'anything'],
    [['a.n = 1', 'a.__dict__.update(x)'], 'anything'],
    [['a.value = 1'], 'anything'],
  ])('%j: %s', (lines, kind) => expect(kindOf(lines, 'a.n')).toBe(kind));

  it('called value is what a generator returns, too', () => {
    expect(kindOf(['a.value = 1'], 'a.value')).toBe('literal');
    expect(kindOf(['a.value = 1', 'raise StopIteration'], 'a.value')).toBe('anything');
  });
});
