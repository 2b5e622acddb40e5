/** What a statement leaves, read off its line. */
import { describe, expect, it } from 'vitest';
import { type LineParts, lineParts } from '../../../src/debugger/language/line-parts.js';
import { deletedBy, endingWith, noResults, resultsOf } from '../../../src/debugger/language/results.js';
import { lineTokens, parseProgram, type Scope } from '../../../src/debugger/program.js';
import { locals, withLine } from '../../support/one-line.js';
import { frameAt } from '../../support/states.js';

type Locals = Record<string, string>;
/** The parts of a line that is read. */
function partsOf(code: ArrayLike<number>): LineParts {
  const parts = lineParts(code);
  if (parts === undefined) throw new Error('the line is not read');
  return parts;
}

describe('a line tells', () => {
  const told = (line: string, names: Locals = locals, before: readonly string[] = []) => {
    const program = withLine(line, before);
    const scope = program.scopes[0];
    if (scope === undefined) throw new Error('the program has a function');
    const code = lineTokens(program, 2 + before.length);
    const {
      assigned,
      stays: _,
      ...rest
    } = resultsOf(program, { frame: frameAt(2 + before.length, names), scope }, code, partsOf(code), false);
    return { ...Object.fromEntries(assigned), ...rest };
  };

  it.each<[string, object]>([
    ['n = 3', { n: '3' }],
    ['n = a = xs', { n: '[1, 7]', a: '[1, 7]' }],
    ['n, a = a, n', { n: "'x'", a: '2' }],
    ['n, a = b', { n: '3', a: '4' }],
    ['n, (a, xs) = 1, b', { n: '1', a: '3', xs: '4' }],
    ['n, (a) = b, [3]', { n: '(3, 4)', a: '[3]' }],
    ['(n), a = xs', { n: '1', a: '7' }],
    ['(n, a), xs = [xs, b]', { n: '1', a: '7', xs: '(3, 4)' }],
    ['n, a = {1: 2, 3: 4}', { n: '1', a: '3' }],
    ["n, a = 'ü\"'", { n: "'ü'", a: "'\"'" }],
    ['n, *a = 1, 2', { n: '1', a: '[2]' }],
    ['n, *a = xs', { n: '1', a: '[7]' }],
    ['n, xs, *a = b', { n: '3', xs: '4', a: '[]' }],
    ["*n, a = 'xyz'", { n: "['x', 'y']", a: "'z'" }],
    ['n, *a, a = 1, 2, 3', { n: '1', a: '3' }],
    ['[n, *a], xs = b, 2', { n: '3', a: '[4]', xs: '2' }],
    ['n, *(a, xs) = 1, 2, 3', { n: '1', a: '2', xs: '3' }],
    ['*a, = b', { a: '[3, 4]' }],
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
    ['xs[0] = xs[1]', { xs: '[7, 7]' }],
    ['xs[0] = float("-inf")', { xs: '[-inf, 7]' }],
    ['return xs', { returned: '[1, 7]' }],
    ['return', { returned: 'None' }],
    ['return n, None', { returned: '(2, None)' }],
    ['return -n', { returned: '-2' }],
  ])('what %s leaves', (line, expected) => {
    expect(told(line)).toEqual(expected);
  });

  it.each([
    'n = 1 + 2',
    'n += 1',
    'n = len(a) + 1',
    'n, a = {1, 2}',
    'n, *a = {1, 2}',
    'n, *b.x = 1, 2',
    'n, (a) = 1, 2, 3',
    'n, a, *b = (1,)',
    'xs[2] = 1',
    'xs[-3] = 1',
    'xs[a] = 1',
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
    'n = 3j',
    'return ~n + 1',
  ])('nothing of %s', (line) => {
    expect(told(line)).toEqual({});
  });

  it('a dict with another value, or one more', () => {
    const names = { ...locals, xs: "{'k': 1, 'm': [2]}" };
    expect(told("xs['m'] = n", names)).toEqual({ xs: "{'k': 1, 'm': 2}" });
    expect(told("xs[a], xs['k'] = b, {}", names)).toEqual({ xs: "{'k': {}, 'm': [2], 'x': (3, 4)}" });
    expect(told('xs[n] = n', names)).toEqual({ xs: "{'k': 1, 'm': [2], 2: 2}" });
    expect(told('xs[-5] = n', { ...locals, xs: '{}' })).toEqual({ xs: '{-5: 2}' });
    expect(told('xs[1.0] = n', { ...locals, xs: '{1: 0}' })).toEqual({});
    expect(told('xs[0] = n', { ...locals, xs: '{1, 2}' })).toEqual({});
    expect(told('xs[0] = g(n)')).toEqual({});
  });

  it('items of several lists, and names beside them, unless one may hold another', () => {
    const names = { ...locals, xs: '[[1, 0], [0, 1]]', b: '[3, 4]', a: '[1, 5]', n: '0' };
    expect(told('xs[n], a = a, xs[n]', names)).toEqual({ xs: '[[1, 5], [0, 1]]', a: '[1, 0]' });
    expect(told('xs[n], b[1] = 7, 8', names)).toEqual({ xs: '[7, [0, 1]]', b: '[3, 8]' });
    expect(told('a, b[n] = (3, 4)', names)).toEqual({ a: '3', b: '[4, 4]' });
    expect(told('xs[0][1], b[1], a = 7, n, xs[1]', names)).toEqual({
      xs: '[[1, 7], [0, 1]]',
      b: '[3, 0]',
      a: '[0, 1]',
    });
    // The row that changes may be what a name, or another list, is given.
    expect(told('xs[0][1], a = 7, xs[0]', names)).toEqual({});
    expect(told('xs[0], b[1] = b, 8', names)).toEqual({});
    expect(told('xs[1][0], b[0] = 5, 8', { ...names, b: '[0, 1]' })).toEqual({});
    expect(told('xs[0], xs = 1, 2', names)).toEqual({ xs: '2' });
  });

  it('nothing of what may come to be in itself', () => {
    const names = { ...locals, xs: '[[7], []]', b: '[[7], []]', n: '[7]' };
    for (const line of ['xs.append(b)', 'xs[0] = b', 'xs[0].append(n)', 'xs[0].append([b])', 'xs[1] = xs'])
      expect(told(line, names)).toEqual({});
    expect(told('xs.append([])', { ...names, xs: '[]' })).toEqual({ xs: '[[]]' });
    expect(told('xs[0] = [[7], []]', names)).toEqual({ xs: '[[[7], []], []]' });
  });

  it('texts and dicts are not taken apart for items', () => {
    for (const line of [
      "xs[0], xs[1] = 'xy'",
      "xs[0], a = {'k': 1, 'l': 2}",
      "xs[0], (xs[1], a) = 'p', 'qr'",
    ])
      expect(told(line)).toEqual({});
  });

  it('nothing of lists that may have methods of their own', () => {
    const derived = ['class L(list): pass'];
    for (const line of ['xs[0] = 1', 'xs[0], n = 1, 2', 'xs.append(1)', 'xs[:] = [1]'])
      expect(told(line, locals, derived)).toEqual(line.includes(', n') ? { n: '2' } : {});
  });

  it.each([
    'n, xs[n] = 1, 2',
    'xs[n], xs[xs[n]] = 1, 0',
    'xs[0], xs[xs[0] - 1] = 0, 1',
    'xs[0], xs[len(xs) - 1] = 0, 1',
    'n = xs[n] = 1',
    'xs[0], xs[0][1] = [1], 2',
    'a, (n, xs[a]) = 1, (0, 2)',
  ])('nothing of %s, which looks where it has assigned', (line) => {
    expect(told(line)).toEqual({});
  });

  it('attributes in turn', () => {
    const names = { n: '<g object {next: None, v: 1}>', a: '<g object {next: None, v: 2}>' };
    const before = ['class g: pass'];
    expect(told('n.next, n.v = 1, 2', names, before)).toEqual({ n: '<g object {next: 1, v: 2}>' });
    expect(told('n.next, n.next.v = a, 3', names, before)).toEqual({});
    expect(told('n, n.next = a, 3', names, before)).toEqual({});
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
      expect(told('xs[0][1] = a', { ...locals, xs: '[[1, 2], [1, 2]]' }, [repeated])).toEqual({});
    expect(told('xs[0][1] = a', grid, ['GRID = [[0] * 3] * 2'])).toEqual({ xs: "[[1, 'x'], [3]]" });
    const alike = { ...locals, xs: '[[1, 2], [1, 2]]' };
    const left = { xs: "[[1, 'x'], [1, 2]]" };
    expect(told('xs[0][1] = a', alike, ['GRID = [[0] * 3 for _ in [1]]'])).toEqual(left);
    expect(told('xs[0][1] = a', alike, ['ZERO = 0', 'GRID = [ZERO] * 3'])).toEqual(left);
    expect(told('xs[0][1] = a', alike, ['ZERO = []', 'GRID = [ZERO] * 3'])).toEqual({});
  });

  it.each<[string, string, object]>([
    ['xs.append(a)', 'deque([1])', { xs: "deque([1, 'x'])" }],
    ['xs.appendleft(n)', 'deque([])', { xs: 'deque([2])' }],
    ['n, a = xs.popleft()', 'deque([(3, 4), 5])', { n: '3', a: '4', xs: 'deque([5])' }],
    ['n = xs.pop()', 'deque([1, 2])', { n: '2', xs: 'deque([1])' }],
    ['xs.popleft()', 'deque([])', {}],
    ['xs.append(n)', 'deque([1], maxlen=1)', { xs: 'deque([2], maxlen=1)' }],
    ['xs.append(n)', 'deque([1], maxlen=2)', { xs: 'deque([1, 2], maxlen=2)' }],
    ['xs.appendleft(n)', 'deque([3, 1], maxlen=2)', { xs: 'deque([2, 3], maxlen=2)' }],
    ['xs.append(n)', 'deque([], maxlen=0)', { xs: 'deque([], maxlen=0)' }],
    ['xs.rotate(n)', 'deque([1, 2, 3], maxlen=3)', { xs: 'deque([2, 3, 1], maxlen=3)' }],
    ['xs.rotate(-1)', 'deque([1, 2, 3])', { xs: 'deque([2, 3, 1])' }],
    ['xs.rotate()', 'deque([])', { xs: 'deque([])' }],
    ['a = xs.pop(n)', '{2: 3, 4: 5}', { a: '3', xs: '{4: 5}' }],
    ['a = xs.pop(n, 0)', '{4: 5}', { a: '0', xs: '{4: 5}' }],
    ['xs.pop(n)', '{4: 5}', {}],
    ['xs.pop(n, 0)', '{2.0: 5}', {}],
    ['xs.setdefault(n, []).append(a)', '{4: []}', { xs: "{4: [], 2: ['x']}" }],
    ['xs.setdefault(n, []).append(a)', '{2: [1]}', { xs: "{2: [1, 'x']}" }],
    ['xs.setdefault(n, 0).append(a)', '{2: 1}', {}],
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
    ['xs.setdefault(n, a)', '{1: 1}', { xs: "{1: 1, 2: 'x'}" }],
    ['a = xs.setdefault(n, 5)', '{2: 1}', { xs: '{2: 1}', a: '1' }],
    ['xs.pop()', '[]', {}],
    ['xs.pop(2)', '[1]', {}],
    ['xs.pop(n)', '{2: 3}', { xs: '{}' }],
    ['xs.remove(n)', '[1]', {}],
    ['xs.remove(n)', '[1, 2.0]', {}],
    ['xs.remove(n)', '{1}', {}],
    ['xs.add(n)', "{'a'}", {}],
    ['xs.add(n)', '[1]', {}],
    ['xs.append(1, 2)', '[1]', {}],
    ['xs.append(*b)', '[1]', {}],
    ['xs.append(g(n))', '[1]', {}],
    ['xs.extend(b)', '[1]', { xs: '[1, 3, 4]' }],
    ['xs.insert(a, 1)', '[1]', {}],
    ['xs.append(n)', '<C object>', {}],
    ['xs = xs.pop()', '[[1]]', {}],
    ['n, a = xs.pop()', '[(1, 2)]', { n: '1', a: '2', xs: '[]' }],
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
    expect(told('n, xs[0] = 5, f(6)')).toEqual({ n: '5' });
  });

  it('nothing of a name that is no local', () => {
    const program = parseProgram('def f(n):\n    global k\n    k = n = 3\n', 'f(2)');
    const scope = program.scopes[0] as (typeof program.scopes)[number];
    const code = lineTokens(program, 3);
    const found = resultsOf(program, { frame: frameAt(3, { n: '2' }), scope }, code, partsOf(code), false);
    expect([...found.assigned]).toEqual([['n', '3']]);
  });

  it('what `getattr` looks up in an object that shows it', () => {
    const names = { ...locals, o: '<O object {k: 7, next: <O object {k: 8}>}>', a: "'k'" };
    const before = ['class O:', '    shared = 1'];
    const looked = (line: string) => (told(line, names, before) as Locals).n;
    expect(looked('n = getattr(o, a)')).toBe('7');
    expect(looked("n = getattr(o, 'next')")).toBe('<O object {k: 8}>');
    expect(looked("n = getattr(o, 'other', None)")).toBe('None');
    for (const line of ["n = getattr(o, 'other')", "n = getattr(o, 'shared', 2)"])
      expect(looked(line)).toBeUndefined();
    expect(looked("n = getattr(b, 'k', 2)")).toBeUndefined();
    expect(looked('n = getattr(o, q)')).toBeUndefined();
  });

  it('objects by name, but nothing that a call on the line may change', () => {
    expect(told('a = n', { ...locals, n: '<C object>' })).toEqual({ a: '<C object>' });
    expect(told('a, n = g(n), xs')).toEqual({});
    expect(told('a, n = g(n), b')).toEqual({ n: '(3, 4)' });
  });
});

describe('a deletion', () => {
  it.each<[string, string, object]>([
    ['del xs[1]', '[1, 7]', { xs: '[1]' }],
    ['del xs[-2]', '[1, 7]', { xs: '[7]' }],
    ["del xs['k']", "{'k': 1, 'm': 2}", { xs: "{'m': 2}" }],
    ['del xs[n]', '{2: 1}', { xs: '{}' }],
    ['del xs[2]', '[1, 7]', {}],
    ['del xs[0], xs[0]', '[1, 7]', {}],
    ['del xs[g(n)]', '[1, 7]', {}],
    ['del xs', '[1]', {}],
  ])('takes out an item by %s', (line, xs, expected) => {
    const program = withLine(line);
    const running = { frame: frameAt(2, { ...locals, xs }), scope: program.scopes[0] as Scope };
    const found = deletedBy(program, running, lineTokens(program, 2), false);
    expect(Object.fromEntries(found.assigned)).toEqual(expected);
  });
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

describe('a line that changes an object', () => {
  const staying = (line: string, names: Locals): string[] => {
    const program = withLine(line);
    const scope = program.scopes[0] as Scope;
    const code = lineTokens(program, 2);
    const results = resultsOf(program, { frame: frameAt(2, names), scope }, code, partsOf(code), false);
    return [...(results.stays ?? new Map()).keys()];
  };
  const names = { xs: '[1, 7]', a: '[2]', b: '[[1, 7], 3]', n: '2' };

  it.each([
    ['xs.append(n)', ['a', 'n']],
    ['n = xs.pop()', ['a']],
    ['b[0].append(n)', ['a', 'n']],
  ])('%s leaves alone what holds nothing of it', (line, expected) => {
    expect(staying(line, names)).toEqual(expected);
  });

  it('leaves nothing alone that it stores into or updates, nor what does not show what it holds', () => {
    expect(staying('xs.append(n)', { ...names, a: '<Box object>', n: '[2, …' })).toEqual([]);
  });
});
