/** What is known of the names of a loop's head: one line back, behind the loop, and in its next pass. */
import { describe, expect, it } from 'vitest';
import { headsBefore, nextPass, passesOf } from '../../../src/debugger/loop-heads.js';
import { lineTokens, type Program, parseProgram } from '../../../src/debugger/program.js';
import { frameAt } from '../../support/states.js';

const back = { kind: 'inv_step_into', lines: [] } as const;
type Locals = Record<string, string>;

const at = (line: number, its: readonly number[], locals: Locals) => ({
  event: 'line' as const,
  frames: [{ ...frameAt(line, locals), its: [...its] }],
  hiddenFrames: 0,
});

/** A loop with a body of one line, on lines 2 and 3, and a line behind it. */
const looping = (head: string, body = 'n += 1'): Program =>
  parseProgram(`def f(xs, d, s, n, g):\n    ${head}\n        ${body}\n    return n\n`, 'f([], {}, 0, 1, 2)');
const locals = { xs: '[5, [6], 5]', d: "{'a': 1, 'b': 2}", s: "'abc'", n: '4' };

describe('the head of a loop, one line back', () => {
  const head = (line: string, passes: number, more: Locals = {}, body?: string) =>
    Object.fromEntries(
      headsBefore(looping(line, body), at(3, [passes], { ...locals, ...more }), back).get(2) ?? [],
    );

  it.each<[string, number, Locals, Locals]>([
    ['for x in xs:', 2, { x: '5' }, { x: '[6]' }],
    ['for c in s:', 1, { c: "'b'" }, { c: "'a'" }],
    ['for k, v in d.items():', 1, { k: "'b'", v: '2' }, { k: "'a'", v: '1' }],
    ['for i, (a, b) in enumerate([(1, 2), (3, 4)]):', 1, { i: '1' }, { i: '0', a: '1', b: '2' }],
    ['for a, *b in [(1, 2), s, (4,)]:', 2, { a: '4', b: '[]' }, { a: "'a'", b: "['b', 'c']" }],
    ['for i in range(n):', 3, { i: '3' }, { i: '2' }],
    ['for i in range(g(n), 0, -2):', 3, { i: '3' }, { i: '5' }],
    ['for i in reversed(range(len(xs))):', 1, { i: '1' }, { i: '2' }],
    ['for i, x in enumerate(g(n)):', 2, { i: '2', x: '7' }, { i: '1' }],
    ['for x in reversed(xs):', 2, { x: '5' }, { x: '[6]' }],
  ])('%s of pass %i', (line, passes, now, before) => expect(head(line, passes, now, 'pass')).toEqual(before));

  it('is not bound before the first pass, where nothing else binds it', () => {
    const names = new Map([['x', undefined]]);
    expect(
      headsBefore(looping('for x in xs:', 'pass'), at(3, [0], { ...locals, x: '5' }), back).get(2),
    ).toEqual(names);
    const twice = parseProgram('def f(xs):\n    x = 1\n    for x in xs:\n        pass\n', 'f([])');
    expect(headsBefore(twice, at(4, [0], { xs: '[5]', x: '5' }), back).get(3)).toEqual(new Map());
    const inner = parseProgram(
      'def f(xs):\n    for y in xs:\n        for x in y:\n            pass\n',
      'f([])',
    );
    const inside = (outer: number) =>
      headsBefore(inner, at(4, [outer, 0], { xs: '[[5]]', y: '[5]', x: '5' }), back).get(3);
    expect(inside(0)).toEqual(names);
    expect(inside(1)).toEqual(new Map());
    const repeated = parseProgram(
      'def f(xs):\n    while xs:\n        for x in xs:\n            pass\n',
      'f([])',
    );
    expect(headsBefore(repeated, at(4, [0], { xs: '[5]', x: '5' }), back).get(3)).toEqual(new Map());
  });

  it.each<[string, string]>([
    ['for x in xs:', 'x = 1'],
    ['for x in xs:', 'xs = []'],
    ['for x in xs:', 'xs.append(1)'],
    ['for x in xs:', 'xs[0] = 1'],
    ['for x in xs:', 'g(xs)'],
    ['for x in g(xs):', 'pass'],
    ['for xs in xs:', 'pass'],
    ['for d.x in xs:', 'pass'],
  ])('is not told of %s with %s', (line, body) => expect(head(line, 1, { x: '5' }, body)).toEqual({}));

  it('is told of steps back by one from a line alone', () => {
    const program = looping('for x in xs:', 'pass');
    const state = at(3, [1], { ...locals, x: '[6]' });
    for (const kind of ['step_into', 'inv_continue'] as const)
      expect(headsBefore(program, state, { kind, lines: [] }).size).toBe(0);
    expect(headsBefore(program, { ...state, event: 'return', value: '1' }, back).size).toBe(0);
    expect(headsBefore(program, null, back).size).toBe(0);
  });
});

describe('the passes of a loop that is over', () => {
  const passes = (line: string, more: Locals = {}, isEntered = false) =>
    passesOf(looping(line, 'pass'), at(4, [], { ...locals, ...more }), 2, isEntered);

  it.each<[string, Locals, number | undefined]>([
    ['for x in xs:', { x: '5' }, 3],
    ['for i in range(n):', { i: '3' }, 4],
    ['for i in range(len(xs) - 1):', { i: '1' }, 2],
    ['for i in range(len(xs) - 1):', {}, 0],
    ['for i in range(10, g(n), -3):', { i: '4' }, 3],
    ['for i, x in enumerate(g(n)):', { i: '6', x: '1' }, 7],
    ['for i in range(g(n), 10):', { i: '6' }, undefined],
    ['for x in g(xs):', { x: '6' }, undefined],
    ['for n in range(len(xs)):', {}, 3],
    ['for n in range(g(xs)):', {}, undefined],
  ])('%s with %j', (line, more, expected) => expect(passes(line, more)).toBe(expected));

  it('are told by what the loop leaves, if it is taken to have been entered', () => {
    expect(passes('for n in range(g(xs)):', { n: '2' }, true)).toBe(3);
    expect(passes('for n in range(g(xs)):', { n: '2' }, false)).toBeUndefined();
  });
});

describe('the next pass of a loop', () => {
  const next = (line: string, passes: number, more: Locals = {}, body = 'pass') => {
    const program = looping(line, body);
    const [scope] = program.scopes;
    if (scope === undefined) throw new Error('the program has a function');
    const frame = { ...frameAt(2, { ...locals, ...more }), its: [passes] };
    const found = nextPass(program, { frame, scope }, [...lineTokens(program, 2)]);
    return found instanceof Map ? Object.fromEntries(found) : found;
  };

  it.each<[string, number, Locals | 'over']>([
    ['for x in xs:', 0, { x: '5' }],
    ['for x in xs:', 1, { x: '[6]' }],
    ['for x in xs:', 3, 'over'],
    ['for c in s:', 2, { c: "'c'" }],
    ['for k, v in d.items():', 1, { k: "'b'", v: '2' }],
    ['for i, (a, b) in enumerate([(1, 2), (3, 4)]):', 1, { i: '1', a: '3', b: '4' }],
    ['for a, *b in [(1, 2, 3), (4,)]:', 1, { a: '4', b: '[]' }],
    ["for *_, i in ['ab', xs]:", 0, { _: "['a']", i: "'b'" }],
    ['for i, (a, *b) in enumerate([s]):', 0, { i: '0', a: "'a'", b: "['b', 'c']" }],
    ['for i in range(n, 0, -2):', 1, { i: '2' }],
    ['for i in range(n, 0, -2):', 2, 'over'],
    ['for i in reversed(range(3)):', 0, { i: '2' }],
  ])('%s behind %i passes', (line, passes, expected) => expect(next(line, passes)).toEqual(expected));

  it('is told of objects, and of what an object holds, where nothing changes that', () => {
    const held = { xs: '<C object {a: [<C object {b: 1}>, <C object {b: 2}>]}>' };
    const second = { x: '<C object {b: 2}>' };
    expect(next('for x in xs.a:', 1, held, 'x.b += 1')).toEqual(second);
    expect(next('for i, x in enumerate(xs.a):', 1, held)).toEqual({ i: '1', ...second });
    expect(next('for x in xs.a:', 2, held)).toBe('over');
    for (const body of [
      'xs.a = []',
      'xs.a.pop()',
      'xs.a[0] = x',
      'xs.a += [x]',
      'del xs.a[0]',
      'n = xs.a',
      'g(xs.a)',
      'xs = n',
      'xs.a, n = n, x',
    ])
      expect(next('for x in xs.a:', 1, held, body)).toBeUndefined();
    const dict = { d: "{'a': <C object {b: 1}>, 'c': <C object {b: 2}>}" };
    expect(next('for k, v in d.items():', 1, dict, 'v.b += 1')).toEqual({ k: "'c'", v: '<C object {b: 2}>' });
    expect(next('for v in d.values():', 0, dict, 'd.clear()')).toEqual({ v: '<C object {b: 1}>' });
    expect(next('for v in d.values():', 1, dict, 'd.clear()')).toBeUndefined();
    expect(next('for k, v in d.items():', 0, { d: 'OrderedDict({1: <C object {b: 2}>})' })).toEqual({
      k: '1',
      v: '<C object {b: 2}>',
    });
    expect(next('for x in xs.a:', 0, { xs: '<C object {a: [<C object {b: 1}>, …' })).toBeUndefined();
  });

  it('is what stands at its place in a list by then, whatever the body does to it', () => {
    const body = 'xs.append(xs.pop(0))';
    expect(next('for x in xs:', 1, {}, body)).toEqual({ x: '[6]' });
    expect(next('for i, x in enumerate(xs):', 1, {}, body)).toEqual({ i: '1', x: '[6]' });
    expect(next('for x in xs:', 3, {}, body)).toBe('over');
    expect(next('for x in xs:', 1, {}, 'xs[0], n = n, xs[1]')).toEqual({ x: '[6]' });
    const objects = { xs: '[<C object {a: 1}>, <C object {b: <C ...>}>]' };
    expect(next('for x in xs:', 0, objects, body)).toEqual({ x: '<C object {a: 1}>' });
    expect(next('for x in xs:', 1, objects, body)).toBeUndefined();
    const cut = { xs: "[1, [2, ']'], [3, …" };
    expect(next('for x in xs:', 1, cut, body)).toEqual({ x: "[2, ']']" });
    expect(next('for x in xs:', 2, cut, body)).toBeUndefined();
    expect(next('for x in xs:', 1, { xs: '[1, 2…' }, body)).toBeUndefined();
    expect(next('for x in xs:', 1, { xs: 'deque([1, 2])' }, body)).toBeUndefined();
    for (const other of ['xs = xs[1:]', 'xs, n = n, xs'])
      expect(next('for x in xs:', 1, {}, other)).toBeUndefined();
    expect(next('for xs in xs:', 1, {}, body)).toBeUndefined();
    expect(next('for i, x in enumerate(xs, 1):', 1, {}, body)).toBeUndefined();
  });

  it('is told where the body catches and cleans up, unless one of its lines may bind a name', () => {
    const around = (head: string) => `try:\n            n += 1\n        ${head}\n            n = 0`;
    for (const head of ['except KeyError as e:', 'except KeyError:', 'finally:'])
      expect(next('for k, v in d.items():', 1, {}, around(head))).toEqual({ k: "'b'", v: '2' });
    expect(next('for x in xs:', 1, {}, 'with g(n) as s:\n            n += 1')).toEqual({ x: '[6]' });
    expect(next('for k, v in d.items():', 1, {}, around('except KeyError as d:'))).toBeUndefined();
    expect(next('for x in reversed(xs):', 1, {}, 'with g(n) as xs:\n            n += 1')).toBeUndefined();
  });

  it('is not told where the items may be others', () => {
    for (const line of [
      'for x in g(xs):',
      'for x in {1, 2}:',
      'for x, y in xs:',
      'for xs[0] in xs:',
      'for x in xs.a:',
    ])
      expect(next(line, 1)).toBeUndefined();
    expect(next('for x in xs:', 4)).toBeUndefined();
    for (const body of ['xs.append(n)', 'xs = [n]', 'g(xs)', 'del xs[0]'])
      expect([
        next('for x in reversed(xs):', 0, {}, body),
        next('for x in reversed(xs):', 1, {}, body),
      ]).toEqual([expect.any(Object), undefined]);
    expect(next('for x in reversed(xs):', 1, { g: locals.xs as string })).toBeUndefined();
    expect(next('for n in range(n):', 1)).toBeUndefined();
  });
});
