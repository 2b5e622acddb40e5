/** What a statement leaves, read off its line: as it stands, or with the values that its calls gave. */
import { describe, expect, it } from 'vitest';
import { definedBy } from '../../../src/debugger/language/definitions.js';
import { compileGrammar } from '../../../src/debugger/language/grammar.js';
import { type LineParts, lineParts } from '../../../src/debugger/language/parts.js';
import { deletedBy, endingWith, noResults, resultsOf } from '../../../src/debugger/language/results.js';
import { returnedLine } from '../../../src/debugger/language/returned.js';
import {
  eventToken,
  isSlotToken,
  lineToken,
  slotBase,
  special,
  tokenText,
} from '../../../src/debugger/language/tokens.js';
import { lineTokens, type Program, parseProgram, type Scope } from '../../../src/debugger/program.js';
import { leftByException } from '../../../src/debugger/raised.js';
import type { DebuggerState } from '../../../src/debugger/state.js';
import { GrammarWalker } from '../../../src/native/grammar-walker.js';
import { frameAt } from '../../support/states.js';

type Locals = Record<string, string>;
/** The parts of a line that is read. */
function partsOf(code: ArrayLike<number>): LineParts {
  const parts = lineParts(code);
  if (parts === undefined) throw new Error('the line is not read');
  return parts;
}
const inside = (line: string, before: readonly string[] = []): Program =>
  parseProgram(
    [...before, 'def f(n, xs, a, b):', `    ${line}`, '    return n', ''].join('\n'),
    'f(2, [1], 3, 4)',
  );
const locals = { n: '2', xs: '[1, 7]', a: "'x'", b: '(3, 4)' };

describe('a line tells', () => {
  const told = (line: string, names: Locals = locals, before: readonly string[] = []) => {
    const program = inside(line, before);
    const scope = program.scopes[0];
    if (scope === undefined) throw new Error('the program has a function');
    const code = lineTokens(program, 2 + before.length);
    const { assigned, ...rest } = resultsOf(
      program,
      { frame: frameAt(2 + before.length, names), scope },
      code,
      partsOf(code),
      false,
    );
    return { ...Object.fromEntries(assigned), ...rest };
  };

  it.each<[string, object]>([
    ['n = 3', { n: '3' }],
    ['n = a = xs', { n: '[1, 7]', a: '[1, 7]' }],
    ['n, a = a, n', { n: "'x'", a: '2' }],
    ['n, a = b', { n: '3', a: '4' }],
    ['n, (a, xs) = 1, b', { n: '1', a: '3', xs: '4' }],
    ['[n, a] = (1, 2), [3]', { n: '(1, 2)', a: '[3]' }],
    ['n = 1, a', { n: "(1, 'x')" }],
    ['n = [1], [a]', { n: "([1], ['x'])" }],
    ["n: dict = {1: a, 2: 'z'}", { n: "{1: 'x', 2: 'z'}" }],
    ['n = {3, 1, -5}', { n: '{-5, 1, 3}' }],
    ['xs[:] = [1, a]', { xs: "[1, 'x']" }],
    ['xs[:] = xs', { xs: '[1, 7]' }],
    ['xs[0] = 1, a', { xs: "[(1, 'x'), 7]" }],
    ['xs[-2] = xs[1] = a', { xs: "['x', 'x']" }],
    ['xs[1], xs[0] = 3, 4', { xs: '[4, 3]' }],
    ['xs[0], xs[0] = n, 4', { xs: '[4, 7]' }],
    ['return xs', { returned: '[1, 7]' }],
    ['return', { returned: 'None' }],
    ['return n, None', { returned: '(2, None)' }],
  ])('what %s leaves', (line, expected) => {
    expect(told(line)).toEqual(expected);
  });

  it.each([
    'n = 1 + 2',
    'n += 1',
    'n = len(xs)',
    'n = xs[0]',
    'n, a = {1: 2, 3: 4}',
    'n, *a = 1, 2',
    'xs[2] = 1',
    'xs[-3] = 1',
    'xs[a] = 1',
    'xs[0] = xs[1]',
    'xs[0], b[0] = 1, 2',
    'xs[0], xs[n + 1] = 1, 2',
    'b[0] = 1',
    'a[0] = 1',
    'xs[0], *b = 1, 2',
    'xs[1:] = [2]',
    'xs[::] = [2]',
    'xs[:] = b',
    'a[:] = [1]',
    'n = {1, a}',
    'n = {1, 1}',
    'n = 0x10',
    'return -n',
  ])('nothing of %s', (line) => {
    expect(told(line)).toEqual({});
  });

  it('a dict with another value, or one more', () => {
    const names = { ...locals, xs: "{'k': 1, 'm': [2]}" };
    expect(told("xs['m'] = n", names)).toEqual({ xs: "{'k': 1, 'm': 2}" });
    expect(told("xs[a], xs['k'] = b, {}", names)).toEqual({ xs: "{'k': {}, 'm': [2], 'x': (3, 4)}" });
    expect(told('xs[n] = n', names)).toEqual({});
    expect(told('xs[-5] = n', { ...locals, xs: '{}' })).toEqual({ xs: '{-5: 2}' });
    expect(told('xs[1.0] = n', { ...locals, xs: '{1: 0}' })).toEqual({});
    expect(told('xs[0] = n', { ...locals, xs: '{1, 2}' })).toEqual({});
    expect(told('xs[0] = g(n)')).toEqual({});
  });

  it('of items in items, unless a row may be there twice', () => {
    const grid = { ...locals, xs: '[[1, 2], [3]]' };
    expect(told('xs[0][1] = a', grid)).toEqual({ xs: "[[1, 'x'], [3]]" });
    expect(told('xs[0][0] = xs[1][0] = n', grid)).toEqual({ xs: '[[2, 2], [2]]' });
    expect(told("xs['k'][-1] = n", { ...locals, xs: "{'k': [0, 0]}" })).toEqual({ xs: "{'k': [0, 2]}" });
    expect(told('xs[0][2] = n', grid)).toEqual({});
    for (const repeated of [
      'GRID = [[0] * 3] * 2',
      'ROW = [0]; GRID = [ROW] * 2',
      'D = dict.fromkeys([1], [])',
    ])
      expect(told('xs[0][1] = a', grid, [repeated])).toEqual({});
    expect(told('xs[0][1] = a', grid, ['GRID = [[0] * 3 for _ in [1]]'])).toEqual({ xs: "[[1, 'x'], [3]]" });
  });

  it.each<[string, string, object]>([
    ['xs.append(a)', 'deque([1])', { xs: "deque([1, 'x'])" }],
    ['xs.appendleft(n)', 'deque([])', { xs: 'deque([2])' }],
    ['n, a = xs.popleft()', 'deque([(3, 4), 5])', { n: '3', a: '4', xs: 'deque([5])' }],
    ['n = xs.pop()', 'deque([1, 2])', { n: '2', xs: 'deque([1])' }],
    ['xs.popleft()', 'deque([])', {}],
    ['xs.append(1)', 'deque([1], maxlen=1)', {}],
    ['xs, n = xs.pop()', '[(1, 2)]', {}],
    ['xs.append(a)', '[1]', { xs: "[1, 'x']" }],
    ['xs.extend([a, 2])', '[1]', { xs: "[1, 'x', 2]" }],
    ['xs.insert(-1, 5)', '[1, 2]', { xs: '[1, 5, 2]' }],
    ['xs.insert(9, 5)', '[1]', { xs: '[1, 5]' }],
    ['xs.insert(-9, 5)', '[1]', { xs: '[5, 1]' }],
    ['xs.pop()', '[1, 2]', { xs: '[1]' }],
    ['a = xs.pop(0)', '[1, 2]', { a: '1', xs: '[2]' }],
    ['a = xs.pop(-2)', '[[1], 2]', { a: '[1]', xs: '[2]' }],
    ['a = xs.append(3)', '[]', { a: 'None', xs: '[3]' }],
    ['xs.remove(n)', '[1, 2, 2]', { xs: '[1, 2]' }],
    ['xs.clear()', '[1]', { xs: '[]' }],
    ['xs.clear()', '{1: 2}', { xs: '{}' }],
    ['xs.clear()', '{1}', { xs: 'set()' }],
    ['xs.add(n)', '{1, 3}', { xs: '{1, 2, 3}' }],
    ['xs.add(n)', 'set()', { xs: '{2}' }],
    ['xs.discard(n)', '{2}', { xs: 'set()' }],
    ['xs.remove(n)', '{1, 2}', { xs: '{1}' }],
    ['xs.update({n: a, 5: 6})', '{2: 1}', { xs: "{2: 'x', 5: 6}" }],
    ['xs.pop()', '[]', {}],
    ['xs.pop(2)', '[1]', {}],
    ['xs.pop(n)', '{2: 3}', {}],
    ['xs.remove(n)', '[1]', {}],
    ['xs.remove(n)', '[1, 2.0]', {}],
    ['xs.remove(n)', '{1}', {}],
    ['xs.add(n)', "{'a'}", {}],
    ['xs.add(n)', '[1]', {}],
    ['xs.append(1, 2)', '[1]', {}],
    ['xs.append(*b)', '[1]', {}],
    ['xs.append(g(n))', '[1]', {}],
    ['xs.extend(b)', '[1]', {}],
    ['xs.insert(a, 1)', '[1]', {}],
    ['xs.append(n)', '<C object>', {}],
    ['xs = xs.pop()', '[[1]]', {}],
    ['n, a = xs.pop()', '[(1, 2)]', { n: '1', a: '2', xs: '[]' }],
    ['n = xs.pop() + 1', '[1]', {}],
  ])('what %s makes of %s', (line, xs, expected) => expect(told(line, { ...locals, xs })).toEqual(expected));

  it('of names beside what is stored only what that cannot change', () => {
    expect(told('n, a, xs[0] = xs, b, 1')).toEqual({ a: '(3, 4)' });
    expect(told('n = xs[0] = xs')).toEqual({});
    expect(told('n, a.next = a, None', { ...locals, a: '<C object {next: <C object>}>' })).toEqual({
      a: '<C object {next: None}>',
    });
    expect(told('xs[:] = [3]')).toEqual({ xs: '[3]' });
  });

  it('names beside an item that is not told', () => {
    expect(told('n, xs[0] = 5, 6')).toEqual({ n: '5' });
  });

  it('nothing of a name that is no local', () => {
    const program = parseProgram('def f(n):\n    global k\n    k = n = 3\n', 'f(2)');
    const scope = program.scopes[0] as (typeof program.scopes)[number];
    const code = lineTokens(program, 3);
    const found = resultsOf(program, { frame: frameAt(3, { n: '2' }), scope }, code, partsOf(code), false);
    expect([...found.assigned]).toEqual([['n', '3']]);
  });

  it('objects by name, but nothing that a call on the line may change', () => {
    expect(told('a = n', { ...locals, n: '<C object>' })).toEqual({ a: '<C object>' });
    expect(told('a, n = g(n), xs')).toEqual({});
    expect(told('a, n = g(n), b')).toEqual({ n: '(3, 4)' });
  });
});

describe('a definition', () => {
  const defined = (lines: readonly string[], line: number) => {
    const program = parseProgram([...lines, ''].join('\n'), 'f()');
    const scope = program.scopes.findLast(({ lines }) => lines.includes(line));
    if (scope === undefined) throw new Error('the line is in a function');
    const code = lineTokens(program, line);
    return Object.fromEntries(definedBy(program, { frame: frameAt(line, {}), scope }, code).assigned);
  };

  it('leaves a function with its qualified name', () => {
    const inner = ['class C:', '    def f(self):', '        def g(a, b=[1]):', '            return a'];
    expect(defined(inner, 3)).toEqual({ g: '<function C.f.<locals>.g>' });
    const deeper = ['def f():', '    def g():', '        def h() -> int:', '            return 1'];
    expect(defined(deeper, 2)).toEqual({ g: '<function f.<locals>.g>' });
    expect(defined(deeper, 3)).toEqual({ h: '<function f.<locals>.g.<locals>.h>' });
    const made = [
      'def f():',
      '    class G(object):',
      '        n = 1',
      '        def h(self):',
      '            print()',
      '    f()',
    ];
    expect(defined(made, 2)).toEqual({ G: "<class 'f.<locals>.G'>" });
  });

  it.each<[string, string, object]>([
    ['del xs[1]', '[1, 7]', { xs: '[1]' }],
    ['del xs[-2]', '[1, 7]', { xs: '[7]' }],
    ["del xs['k']", "{'k': 1, 'm': 2}", { xs: "{'m': 2}" }],
    ['del xs[n]', '{2: 1}', { xs: '{}' }],
    ['del xs[2]', '[1, 7]', {}],
    ['del xs[0], xs[0]', '[1, 7]', {}],
    ['del xs[g(n)]', '[1, 7]', {}],
    ['del xs', '[1]', {}],
  ])('deletes an item by %s', (line, xs, expected) => {
    const program = inside(line);
    const running = { frame: frameAt(2, { ...locals, xs }), scope: program.scopes[0] as Scope };
    const found = deletedBy(program, running, lineTokens(program, 2), false);
    expect(Object.fromEntries(found.assigned)).toEqual(expected);
  });

  it.each<[string, readonly string[], number]>([
    ['has a decorator', ['def f():', '    @len', '    def g():', '        pass'], 3],
    ['calls something', ['def f():', '    def g(a=len([])):', '        pass'], 2],
    ['has more lines', ['def f():', '    def g(a,', '            b=1):', '        pass'], 2],
    ['has its body beside it', ['def f():', '    def g(): pass'], 2],
    ['is global', ['def f():', '    global g', '    def g():', '        pass'], 3],
    ['is a class with a base', ['def f():', '    class g(dict):', '        pass'], 2],
    ['is a class in whose body something is called', ['def f():', '    class g:', '        a = len([])'], 2],
    [
      'is a class whose method has a decorator that is made',
      ['def f():', '    class g:', '        @make()', '        def h(self):', '            pass'],
      2,
    ],
  ])('that %s is not told', (_, lines, line) => expect(defined(lines, line)).toEqual({}));
});

describe('a function that ends', () => {
  const returned = (lines: readonly string[], line: number, name = 'f') => {
    const program = parseProgram([...lines, ''].join('\n'), 'f(1)');
    const scope = program.scopes.find((other) => other.name === name);
    if (scope === undefined) throw new Error('there is such a function');
    const running = { frame: frameAt(line, {}), scope };
    return endingWith(noResults, program, running, lineTokens(program, line)).returned;
  };

  it.each([
    ['an assignment', ['def f(n):', '    n = 1'], 2],
    ['the head of a loop', ['def f(n):', '    for k in n:', '        n = k'], 2],
    ['a call', ['def f(n):', '    print(n)'], 2],
  ] as const)('with %s gives None', (_, lines, line) => expect(returned(lines, line)).toBe('None'));

  it.each([
    ['a return', ['def f(n):', '    return n'], 2, 'f'],
    ['a return beside its condition', ['def f(n):', '    if n: return 2'], 2, 'f'],
    ['a finalizer', ['def f(n):', '    try:', '        return 1', '    finally:', '        n = 2'], 5, 'f'],
    ['a block to leave', ['def f(n):', '    with n:', '        return 1'], 2, 'f'],
    ['a generator', ['def f(n):', '    yield n', '    n = 2'], 3, 'f'],
    ['a lambda', ['f = lambda n: n'], 1, '<lambda>'],
  ] as const)('with %s may give anything', (_, lines, line, name) =>
    expect(returned(lines, line, name)).toBeUndefined());
});

describe('behind a return', () => {
  const functions = [
    'def g(x):',
    '    return x',
    'def h(x, y=1):',
    '    return [x, y]',
    'def k(x):',
    '    print(x.pop())',
  ];
  const returned = (line: string, gots: readonly string[], value: string, before: readonly string[] = []) => {
    const program = inside(line, [...functions, ...before]);
    const at = functions.length + before.length + 2;
    const state: DebuggerState = {
      event: 'return',
      frames: [frameAt(at, locals, gots), frameAt(2, { x: '1' })],
      hiddenFrames: 0,
      value,
    };
    const found = returnedLine(program, state);
    const word = (token: number): string =>
      isSlotToken(token) ? (program.slotNames[token - slotBase] ?? '') : tokenText(token);
    const code = found?.code.map((token) => word(token).replaceAll(/<\|[ow]:|\|>/g, ''));
    return found?.value ?? code?.join(' ');
  };

  it.each<[string, readonly string[], string, string]>([
    ['n = g(n)', [], '5', '5'],
    ['return g(n)', [], '<C object>', '<C object>'],
    ['if g(n):', [], 'False', 'False'],
    ['n = g(h(n))', ['[2, 1]'], '8', '8'],
    ['return g(n) + g(n - 1)', ['3'], '4', 'return 3 + 4'],
    ['n = [g(1), h(a, y=g(2))]', ['1', '2'], '[3, 4]', 'n = [ 1 , [ 3 , 4 ] ]'],
    ['n = len(h(n)) + abs(n)', [], '[2, 1]', 'n = len ( [ 2 , 1 ] ) + abs ( n )'],
    ['n = g(1) ** 2', [], '-3', 'n = ( - 3 ) ** 2'],
    ['n = g(1) and n > 2', [], '0', 'n = 0 and n > 2'],
    ['n += g(1)', [], '3', 'n += 3'],
    ['n = [g(x) for x in xs]', ['1'], '3', 'n = [ 1 , 3 ]'],
    ['n = sum([g(x * 2) for x in xs])', ['1'], '3', 'n = sum ( [ 1 , 3 ] )'],
    ['xs[g(0)] = n', [], '0', 'xs [ 0 ] = n'],
  ])('%s has the value of each call in its place', (line, gots, value, expected) => {
    const text = line.endsWith(':') ? `${line}\n        pass` : line;
    expect(returned(text, gots, value)).toBe(expected);
  });

  it.each<[string, readonly string[], string, string]>([
    ['a list may have been changed by the next call', ['[1]'], '[3]', 'return [g(n), h(n)]'],
    ['more has returned than the line calls', ['1'], '3', 'return g(n)'],
    ['which operand is evaluated is not told', [], '3', 'return n and g(n)'],
    ['something else may have called it', [], '3', 'return sorted(xs, key=lambda k: g(k))[0]'],
    ['it was called for items that it may change', ['1'], '3', 'return [k(x) for x in xs]'],
    ['an unknown function is called', [], '3', 'return a.run(g(n))'],
    ['a value that is needed is no literal', [], '<C object>', 'return [g(n)]'],
    ['the line is the head of a loop', [], '3', 'for k in g(n):\n        pass'],
  ])('nothing is known where %s', (_, gots, value, line) => {
    expect(returned(line, gots, value)).toBeUndefined();
  });

  it('methods count that have their name alone, and none where operators may call something', () => {
    const method = ['class C:', '    def put(self, x):', '        return x'];
    expect(returned('return a.put(n) + 1', [], '3', method)).toBe('return 3 + 1');
    expect(returned('return a.put(n) + 1', [], '3', [...method, ...method])).toBeUndefined();
    const special = ['class C:', '    def __add__(self, x):', '        return x'];
    expect(returned('return g(n) + 1', [], '3', special)).toBeUndefined();
  });
});

describe('a caller', () => {
  const program = parseProgram(
    [
      'def check(x):',
      '    if x < 0:',
      '        raise ValueError(x)',
      '    return x',
      'def f(n):',
      '    if check(n):',
      '        n = check(1) + check(2)',
      '    return n',
      '',
    ].join('\n'),
    'f(2)',
  );
  const state = (caller: number, line: number, value: string): DebuggerState => ({
    event: 'return',
    frames: [frameAt(caller, { n: '2' }), frameAt(line, { x: '2' })],
    hiddenFrames: 0,
    value,
  });
  const step = { kind: 'step_over' as const, lines: [] };
  const accepts = (
    from: DebuggerState,
    ended: 'ended' | 'holds' | 'fails' | 'raised',
    ...tokens: number[]
  ) => {
    const { data, start } = compileGrammar(program).forQuestion(from, step, { ended });
    const walker = new GrammarWalker(data, start.state, start.frames, 100);
    return [special.pop, ...tokens].every((token) => walker.accept(token));
  };

  it('calls nothing more once its calls have been made', () => {
    const from = state(7, 4, '2');
    expect(accepts(from, 'ended', eventToken('line'), lineToken(8), special.end)).toBe(true);
    expect(accepts(from, 'ended', eventToken('exception'), lineToken(7))).toBe(true);
    expect(accepts(from, 'ended', special.push)).toBe(false);
  });

  it('goes where the condition leads that was decided', () => {
    const from = state(6, 4, '2');
    expect(accepts(from, 'holds', eventToken('line'), lineToken(7))).toBe(true);
    expect(accepts(from, 'holds', eventToken('line'), lineToken(8))).toBe(false);
    expect(accepts(from, 'fails', eventToken('line'), lineToken(8))).toBe(true);
    expect(accepts(from, 'fails', eventToken('line'), lineToken(7))).toBe(false);
  });

  it('meets the exception by which a function was left', () => {
    expect(leftByException(program, state(6, 3, 'None'))).toBe(true);
    expect(leftByException(program, state(6, 2, 'None'))).toBe(true);
    expect(leftByException(program, state(6, 4, 'None'))).toBe(false);
    expect(accepts(state(6, 3, 'None'), 'raised', eventToken('exception'), lineToken(6))).toBe(true);
    expect(accepts(state(6, 3, 'None'), 'raised', eventToken('line'))).toBe(false);
  });

  it('may meet none where the body of a class takes it', () => {
    const inside = parseProgram(
      'def g():\n    raise ValueError\ndef f(n):\n    class A:\n        try: g()\n        except ValueError: pass\n    return n\n',
      'f(2)',
    );
    const from = (line: number): DebuggerState => ({
      event: 'return',
      frames: [frameAt(line, { n: '2' }), frameAt(2, {})],
      hiddenFrames: 0,
      value: 'None',
    });
    expect(leftByException(inside, from(4))).toBe(false);
    expect(leftByException(inside, from(7))).toBe(true);
  });
});
