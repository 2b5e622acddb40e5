/** Lines on which a function of the program is surely entered, and the grammar that knows it. */
import { describe, expect, it } from 'vitest';
import { compileGrammar } from '../../../src/debugger/language/grammar.js';
import { eventToken, special } from '../../../src/debugger/language/tokens.js';
import { type Program, parseProgram } from '../../../src/debugger/program.js';
import type { DebuggerState } from '../../../src/debugger/state.js';
import { GrammarWalker } from '../../../src/native/grammar-walker.js';

const functions = [
  'def g(a):',
  '    return a + 1',
  'class Box:',
  '    def __init__(self, n):',
  '        self.n = n',
];
/** The program whose function `f` has these lines, and the number of the first of them. */
function programOf(lines: readonly string[], before: readonly string[] = functions): [Program, number] {
  const body = lines.map((line) => `    ${line}`);
  return [
    parseProgram([...before, 'def f(x):', ...body, '    return x', ''].join('\n'), 'f(3)'),
    before.length + 2,
  ];
}

function enters(lines: readonly string[], before?: readonly string[]): boolean | undefined {
  const [program, line] = programOf(lines, before);
  return program.scopes.find(({ name }) => name === 'f')?.flow?.lines.get(line)?.enters;
}

describe('a line surely enters a function', () => {
  it.each([
    'y = g(x)',
    'return [1, g(x)][0]',
    'x.append(g(1))',
    'if g(x) > 2:\n    pass',
    'while g(x):\n    x = 0',
    'y = g(x) and 3',
    'y = g(x) < 4 < 5',
    "print(f'{g(x)}')",
    'y = Box(1)',
    'y = max(*g(x))',
    'y = g(y for y in x)',
    'y = not g(x)',
  ])('%s', (line) => expect(enters(line.split('\n'))).toBe(true));

  it.each([
    ['it may not be evaluated', 'y = x and g(x)'],
    ['it may not be evaluated', 'y = 3 < x < g(x)'],
    ['it may not be evaluated', 'y = g(x) if x else 0'],
    ['it may not be evaluated', 'assert x, g(x)'],
    ['perhaps never', 'y = [g(z) for z in x]'],
    ['perhaps never', 'y = any(g(z) for z in x)'],
    ['later', 'y = lambda: g(x)'],
    ['once', 'for y in g(x): pass'],
    ['only if', 'if x: y = g(x)'],
    ['after a yield', 'y = (yield x) + g(x)'],
    ['not at the second of two lines', 'y = (g(x) +'],
  ])('not if %s: %s', (_why, line) =>
    expect(enters(line.endsWith('+') ? [line, '    1)'] : [line])).not.toBe(true));

  it.each<[string, string[]]>([
    ['decorated', ['def d(h): return h', '@d', 'def g(a):', '    return a']],
    ['a generator', ['def g(a):', '    yield a']],
    ['a coroutine', ['async def g(a):', '    return a']],
    ['defined twice', ['def g(a):', '    return a', 'def g(b):', '    return b']],
    ['bound otherwise', ['def g(a):', '    return a', 'g = len']],
    ['a parameter elsewhere', ['def g(a):', '    return a', 'def h(g):', '    return g']],
    ['bound behind the back', ['def g(a):', '    return a', "globals()['g'] = len"]],
    ['perhaps imported', ['def g(a):', '    return a', 'from math import *']],
    ['a method', ['class A:', '    def g(a):', '        return a']],
    ['local to another function', ['def h(a):', '    def g(b): return b', '    return g(a)']],
    ['perhaps not there', ['if len(__name__) > 3:', '    def g(a): return a']],
    ['a class with a base', ['class A: pass', 'class g(A):', '    def __init__(self, a): pass']],
    [
      'a class with __new__',
      ['class g:', '    def __new__(c, a): return 1', '    def __init__(self, a): pass'],
    ],
    ['a class without __init__', ['class g:', '    pass']],
  ])('nor where g is %s', (_what, before) => expect(enters(['y = g(x)'], before)).toBe(false));
});

describe('the grammar', () => {
  const allowed = (action: 'step_into' | 'step_over', token: number): boolean => {
    const [program, line] = programOf(['y = g(x)']);
    const frame = { line, locals: new Map([['x', '3']]), its: [], gots: [] };
    const state: DebuggerState = { event: 'line', frames: [frame], hiddenFrames: 0 };
    const { data, start } = compileGrammar(program).forQuestion(state, { kind: action, lines: [] });
    return new GrammarWalker(data, start.state, start.frames, 100).accept(token);
  };

  it('lets such a step enter it or raise, and nothing else', () => {
    expect(allowed('step_into', special.push)).toBe(true);
    expect(allowed('step_into', eventToken('exception'))).toBe(true);
    expect(allowed('step_into', eventToken('line'))).toBe(false);
    expect(allowed('step_into', eventToken('return'))).toBe(false);
  });

  it('leaves steps over it alone', () => {
    expect(allowed('step_over', eventToken('line'))).toBe(true);
    expect(allowed('step_over', special.push)).toBe(false);
  });
});
