/** What a function that returns leaves in its caller: variables they share, and objects that were given to it by name. */
import { describe, expect, it } from 'vitest';
import { DeltaDecoder } from '../../../src/debugger/language/decode.js';
import { isDecodeProblem } from '../../../src/debugger/language/decoded.js';
import type { KnownParts } from '../../../src/debugger/language/known-parts.js';
import { noResults } from '../../../src/debugger/language/results.js';
import { eventToken, lineToken, special, textTokens } from '../../../src/debugger/language/tokens.js';
import { leftBehind } from '../../../src/debugger/left-behind.js';
import { type Program, parseProgram } from '../../../src/debugger/program.js';
import { sharedVariables } from '../../../src/debugger/shared-variables.js';
import type { DebuggerState } from '../../../src/debugger/state.js';
import { frameAt } from '../../support/states.js';

type Locals = Record<string, string>;
const step = { kind: 'step_over' as const, lines: [] };

/** A state in which the second frame returns to the first. */
const returning = (
  [line, names]: [number, Locals],
  [place, own]: [number, Locals],
  value = '1',
  gots: readonly string[] = [],
): DebuggerState => ({
  event: 'return',
  frames: [frameAt(line, names, gots), frameAt(place, own)],
  hiddenFrames: 0,
  value,
});
const left = (program: Program, state: DebuggerState): Record<string, string | undefined> =>
  Object.fromEntries(leftBehind(program, state, step));

const put = ['def put(ys, n=0):', '    ys.append(n)', '    return n'];
const callers: Locals = { xs: '[1]', zs: '[8]', i: '3', total: '0', d: '{}' };

/** Behind the return of `put`, which the line of `f` called; `functions` stand before them. */
function behind(
  line: string,
  {
    own = { ys: '[1, 3]', n: '3' },
    names = callers,
    gots = [],
    functions = put,
    before = [],
  }: {
    own?: Locals;
    names?: Locals;
    gots?: readonly string[];
    functions?: readonly string[];
    before?: readonly string[];
  } = {},
): Record<string, string | undefined> {
  const text = [
    ...before,
    ...functions,
    'def f(xs, zs, i, total, d):',
    ...line.split('\n').map((one) => `    ${one}`),
  ];
  const program = parseProgram([...text, '    return xs', ''].join('\n'), 'f([1], [8], 3, 0, {})');
  const callee = before.length + functions.length;
  return left(program, returning([callee + 2, names], [callee, own], '1', gots));
}

describe('what was given by name', () => {
  it.each([
    'put(xs, i)',
    'return put(xs, i)',
    'y = put(xs, i)',
    'total += put(xs, i)',
    'if put(xs, i):\n    pass',
    'for y in range(put(xs, i)):\n    pass',
    'y = put(n=i, ys=xs)',
    'y = put(xs, *zs)',
    'y = i and put(xs) + len(zs)',
    'y = [put(xs, k) for k in zs]',
    'y = put(xs, zs.pop())',
    'y = put(xs, 1) + put(xs, 2)',
  ])('is as the function has it: %s', (line) => {
    expect(behind(line).xs).toBe('[1, 3]');
  });

  it.each([
    ['the line binds it', 'xs = put(xs)'],
    ['the line updates it', 'xs += put(xs)'],
    ['the line binds it inside', 'y = put(xs, (xs := [2]))'],
    ['something is stored', 'xs[0] = put(xs)'],
    ['something is stored by a loop', 'y = [0 for zs[0] in put(xs)]'],
    ['something is deleted', 'del zs[put(xs)]'],
    ['a list is updated that may be the same', 'zs += put(xs)'],
    ['something else is called', 'y = put(xs), zs.pop()'],
    ['something else is called with what it gave', 'zs.append(put(xs))'],
    ['something else is called for the next item', 'y = [put(xs, zs.pop()) for k in range(2)]'],
    ['it is handed to a builtin that calls something', 'y = sorted([put(xs)], key=zs.append)'],
    ['the message of an assertion may call something', 'assert put(xs), zs.pop()'],
    ['an f-string may call something', "y = f'{put(xs)}{zs.pop()}'"],
    ['it may be the call in an f-string that returns', "y = f'{put(zs)}', put(xs)"],
    ['a comprehension has a variable of this name', 'y = [put(xs) for xs in zs]'],
    ['it is not told which call returns', 'y = i - 3 and put(xs) + put(zs)'],
    ['it is one of many arguments', 'y = put(*xs)'],
    ['its place among them is not known', 'y = put(*zs, xs)'],
    ['another statement stands on the line', 'put(xs); xs.append(1)'],
    ['a class begins on the line', 'class A: put(xs); xs.append(1)'],
  ])('is not told where %s', (_, line) => {
    expect(behind(line)).toEqual({});
  });

  it('of several calls it is that of the one that returns', () => {
    expect(behind('y = put(xs) + put(zs)').xs).toBe('[1, 3]');
    const second = behind('y = put(xs) + put(zs)', { own: { ys: '[8, 3]', n: '3' }, gots: ['3'] });
    expect(second).toMatchObject({ zs: '[8, 3]' });
    expect(second.xs).toBeUndefined();
  });

  it.each([
    ['is assigned', ['    ys = [3]']],
    ['is updated', ['    ys += [3]']],
    ['is deleted', ['    del ys']],
    ['is what a loop goes on with', ['    for ys in [[1, 3]]: pass']],
    ['is bound by `as`', ["    with open('x') as ys: pass"]],
    ['is bound in an expression', ['    if (ys := [3]): pass']],
    ['is bound in a comprehension', ['    [ys := [3] for k in range(2)]']],
    ['is bound by a pattern', ['    match n:', '        case [ys]: pass']],
    ['is the name of a function', ['    def ys(): pass']],
    [
      'is bound by an inner function',
      ['    def inner():', '        nonlocal ys', '        ys = [3]', '    inner()'],
    ],
    ['is bound by a class', ['    class A:', '        nonlocal ys', '        ys = [3]']],
  ])('is not told where the parameter %s', (_, body) => {
    expect(behind('y = put(xs)', { functions: [put[0] ?? '', ...body, '    return n'] })).toEqual({});
  });

  it('may be told where a comprehension inside has a variable of the same name, but not if that may be shown', () => {
    const quiet = [put[0] ?? '', '    k = [ys for ys in range(n)]', '    return n'];
    expect(behind('y = put(xs)', { functions: quiet }).xs).toBe('[1, 3]');
    const inside = [put[0] ?? '', '    k = 1', '    return [ys for ys in range(n)]'];
    expect(behind('y = put(xs)', { functions: inside })).toEqual({});
  });

  it('is not told where somebody else binds the variable', () => {
    const inner = 'def go():\n    nonlocal xs\n    xs = []\n';
    const program = parseProgram(
      [
        ...put,
        'def f(xs):',
        ...inner
          .trim()
          .split('\n')
          .map((one) => `    ${one}`),
        '    y = put(xs, go())',
        '    return y',
        '',
      ].join('\n'),
      'f([1])',
    );
    const names = { xs: '[1]', go: '<function f.<locals>.go>' };
    expect(left(program, returning([8, names], [3, { ys: '[1, 3]', n: 'None' }]))).toEqual({});
  });

  it('is told of methods, where an object of the program has them', () => {
    const method = ['class C:', '    def put(self, ys, n=0):', '        ys.append(n)', '        return n'];
    const own = { self: '<C object>', ys: '[1, 3]', n: '3' };
    const told = (line: string, i: string) =>
      behind(line, { functions: method, own, names: { ...callers, i } });
    expect(told('y = i.put(xs)', '<C object>').xs).toBe('[1, 3]');
    expect(told('C.put(i, xs)', '<C object>')).toEqual({});
    expect(told('y = i.put(xs)', "<class 'C'>")).toEqual({});
    expect(told('y = i.put(xs)', '<D object>')).toEqual({});
    expect(told('y = i.put(xs), i.put', '<C object>').xs).toBe('[1, 3]');
    const handed = ['def other(c):', '    return c.put'];
    const names = { ...callers, i: '<C object>' };
    expect(behind('y = i.put(xs)', { functions: method, own, names, before: handed }).xs).toBe('[1, 3]');
    expect(behind('y = other(i)(xs)', { functions: method, own, names, before: handed })).toEqual({});
  });

  it('is told of what was looked up to be given, where nothing else can have changed', () => {
    const give = ['class P:', '    pass', 'def put(ys, n=0):', '    ys.a = n', '    return n'];
    const own = { ys: '<P object {a: 3}>', n: '3' };
    const [before, after] = ['<P object {a: 1}>', '<P object {a: 3}>'];
    const names = { ...callers, d: `{'k': ${before}, 'l': <P object {a: 7}>}` };
    const told = (line: string, more: Locals = {}, functions = give, ownNow: Locals = own) =>
      behind(line, { functions, own: ownNow, names: { ...names, ...more } }).d;
    expect(told("put(d['k'], i)")).toBe(`{'k': ${after}, 'l': <P object {a: 7}>}`);
    expect(told("y = put(d['k'], i)")).toBe(`{'k': ${after}, 'l': <P object {a: 7}>}`);
    // It may stand there twice, or be reached by another way.
    expect(told("put(d['k'], i)", { d: `{'k': ${before}, 'l': ${before}}` })).toBeUndefined();
    expect(
      told("put(d['k'], i)", {}, ['ALL = []', ...give.slice(0, 3), '    ALL.append(ys)', '    return n']),
    ).toBeUndefined();
    // Given itself, it is what the function has.
    expect(told("put(d['k'], d)", {}, give, { ...own, n: names.d })).toBe(names.d);
    expect(told("d['m'] = put(d['k'], i)")).toBeUndefined();
  });

  it('is told of lists that the function has for itself', () => {
    const own = { ys: '[1, 3]', n: '3' };
    const names = { ...callers, found: '[7]' };
    const told = (...lines: string[]) => behind(lines.join('\n'), { own, names }).found;
    expect(told('y = put(xs); found = []')).toBeUndefined();
    const program = (...lines: string[]) =>
      parseProgram([...put, 'def f(xs):', ...lines.map((line) => `    ${line}`), ''].join('\n'), 'f([1])');
    const ended = (at: number, ...lines: string[]) =>
      left(program(...lines), returning([4 + at, { xs: '[1]', found: '[7]' }], [3, own])).found;
    expect(ended(2, 'found = []', 'y = put(xs)', 'return found')).toBe('[7]');
    expect(ended(2, 'found = []', 'xs[0] = put(xs)', 'found.append(1)', 'return len(found)')).toBe('[7]');
    expect(ended(2, 'found = []', 'y = put(xs)', 'xs.append(found)')).toBeUndefined();
    expect(ended(2, 'found = xs', 'y = put(xs)', 'return found')).toBeUndefined();
    expect(ended(3, 'found = []', 'g = lambda: found.append(2)', 'y = put(xs)')).toBeUndefined();
    // What the line itself changes is told where it is worked out.
    expect(ended(2, 'found = []', 'found.append(put(xs))')).toBeUndefined();
  });

  it('is told of a statement on several lines, where all its calls were given the same', () => {
    const own = { ys: '[1, 3]', n: '3' };
    const told = (...lines: string[]) => {
      const source = [...put, 'def f(xs, zs):', ...lines.map((line) => `    ${line}`), ''].join('\n');
      const program = parseProgram(source, 'f([1], [8])');
      return left(program, returning([6, { xs: '[1]', zs: '[8]' }], [3, own]));
    };
    expect(told('return [', '    put(xs),', '    put(xs, 2),', ']')).toEqual({ xs: '[1, 3]' });
    // Which of them it was is not told: what those before it gave is not there any more.
    expect(told('return [', '    put(zs),', '    put(xs),', ']')).toEqual({});
  });

  it('is not told where a keyword may be no parameter', () => {
    const functions = ['def put(ys=0, /, **more):', '    more.clear()', '    return ys'];
    expect(behind('y = put(ys=xs)', { functions, own: { ys: '0', more: '{}' } })).toEqual({});
    expect(behind('y = put(xs)', { functions, own: { ys: '[1, 3]', more: '{}' } })).toEqual({ xs: '[1, 3]' });
  });

  it('is not told where other code may run unseen', () => {
    expect(behind('y = put(xs), d[3]', { before: ['from collections import deque, defaultdict'] })).toEqual(
      {},
    );
    expect(
      behind("y = put(xs), '%(a)s' % d", { before: ['from collections import deque, defaultdict'] }),
    ).toEqual({});
    expect(behind('y = put(xs) + i', { before: ['from collections import deque'] }).xs).toBe('[1, 3]');
    expect(behind('y = put(xs)', { before: ['import threading'] })).toEqual({});
    expect(
      behind('y = put(xs)', { before: ['from collections import defaultdict', 'make = defaultdict'] }),
    ).toEqual({});
    expect(behind('y = put(xs)', { before: ['class A:', '    __add__ = list.extend'] })).toEqual({});
  });

  it('is told by an exception too, after which nothing of the line runs', () => {
    const functions = [put[0] ?? '', '    ys.append(n)', '    raise ValueError(n)'];
    expect(behind('xs[zs.pop()] = put(xs)', { functions }).xs).toBe('[1, 3]');
    expect(behind('xs = put(xs)', { functions }).xs).toBe('[1, 3]');
    expect(behind('y = [put(xs) for xs in zs]', { functions })).toEqual({});
  });

  it('is not told of generators', () => {
    const functions = [put[0] ?? '', '    yield 1', '    return n'];
    expect(behind('for y in put(xs): pass', { functions })).toEqual({});
    expect(behind('y = put(xs)\nyield y')).toEqual({});
    expect(behind('y = put(xs)\nreturn y').xs).toBe('[1, 3]');
  });
});

describe('shared variables', () => {
  const program = (...lines: string[]) =>
    parseProgram(
      [
        'def f(n, xs):',
        '    total = 0',
        '    def add(x):',
        '        nonlocal total',
        '        total += x',
        '        xs.append(x)',
        '        return x',
        ...lines.map((line) => `    ${line}`),
        '',
      ].join('\n'),
      'f(2, [1])',
    );
  const add = '<function f.<locals>.add>';
  const outer = { n: '2', xs: '[1]', total: '0', add };
  const inner = { x: '3', xs: '[1, 3]', total: '3' };

  it('are as the function shows them, also those that it has bound', () => {
    expect(left(program('return add(3)'), returning([8, outer], [7, inner]))).toEqual({
      total: '3',
      xs: '[1, 3]',
    });
  });

  it('are unbound if they are there', () => {
    const found = leftBehind(
      program('return add(3)'),
      returning([8, outer], [7, { x: '3', xs: '[1, 3]' }]),
      step,
    );
    expect(found.has('total')).toBe(true);
    expect(found.get('total')).toBeUndefined();
  });

  it('keep what cannot change, whatever the line does', () => {
    const state = returning([8, outer], [7, inner]);
    expect(left(program('xs.append(add(3))'), state)).toEqual({ total: '3' });
    expect(left(program('total = add(3)'), state)).toEqual({ xs: '[1, 3]' });
    expect(left(program('total += add(3)'), state)).toEqual({});
    expect(left(program('return [add(total) for total in [3]]'), state)).toEqual({ xs: '[1, 3]' });
  });

  it('are told to a function that calls itself', () => {
    const source =
      'def f(xs):\n    def down(k):\n        xs.append(k)\n        return k and down(k - 1)\n    return down(4)\n';
    const down = '<function f.<locals>.down>';
    const own = { k: '3', xs: '[4, 3]', down };
    const state = returning([4, { k: '4', xs: '[4]', down }], [4, own]);
    expect(left(parseProgram(source, 'f([])'), state)).toEqual({ xs: '[4, 3]', down });
  });

  it('are not told where the function may be that of another call', () => {
    const handed = program('return add(3) + len([add])');
    expect(left(handed, returning([8, outer], [7, inner]))).toEqual({});
  });

  it('are not told where arguments are hidden: what has no value may be unknown', () => {
    const hidden = parseProgram(program('return add(3)').source, 'f(...)');
    expect(left(hidden, returning([8, outer], [7, inner]))).toEqual({});
  });

  it('begin the next call', () => {
    const both = program('return add(3) + add(4)');
    const state = returning([8, outer], [7, inner]);
    const known = leftBehind(both, state, step);
    const shared = sharedVariables(both, state, step, undefined, known).get(3);
    expect(Object.fromEntries(shared ?? [])).toEqual({ xs: '[1, 3]', total: '3' });
  });
});

it('only single steps into the caller are told of', () => {
  const program = parseProgram([...put, 'def f(xs):', '    return put(xs)', ''].join('\n'), 'f([1])');
  const state = returning([5, { xs: '[1]' }], [3, { ys: '[1, 3]', n: '3' }]);
  const found = (kind: 'step_into' | 'step_return' | 'continue' | 'inv_step_over') =>
    leftBehind(program, state, { kind, lines: [] }).size;
  expect([found('step_into'), found('step_return'), found('continue'), found('inv_step_over')]).toEqual([
    1, 1, 0, 0,
  ]);
  expect(leftBehind(program, { ...state, event: 'line' }, step).size).toBe(0);
});

describe('an answer', () => {
  const program = parseProgram(
    [...put, 'def f(xs, i):', '    y = put(xs, i)', '    return y', ''].join('\n'),
    'f([1], 3)',
  );
  const state = returning([5, { xs: '[1]', i: '3' }], [3, { ys: '[1, 3]', n: '3' }], '3');
  const known: KnownParts = {
    frozen: new Set(),
    shared: new Map(),
    results: noResults,
    heads: new Map(),
    left: new Map([['xs', '[1, 3]']]),
  };
  const slot = (name: string): number => program.slots.get(name) ?? -1;
  const callerAfter = (...tokens: number[]): object => {
    const decoder = new DeltaDecoder(program, state, known);
    for (const token of [special.pop, ...tokens, special.end]) decoder.push(token);
    const decoded = decoder.finish();
    if (isDecodeProblem(decoded)) throw new Error(decoded.message);
    return Object.fromEntries(decoded.state.frames[0]?.locals ?? []);
  };

  it('is completed with it where the caller goes on', () => {
    expect(callerAfter(eventToken('line'), lineToken(6))).toEqual({ xs: '[1, 3]', i: '3' });
    expect(callerAfter(eventToken('line'), lineToken(6), slot('xs'), ...textTokens('[9]'))).toEqual({
      xs: '[1, 3]',
      i: '3',
    });
    const raised = [eventToken('exception'), lineToken(5), special.value, ...textTokens('E()')];
    expect(callerAfter(...raised)).toEqual({ xs: '[1, 3]', i: '3' });
  });

  it('leaves a caller that calls again as it was', () => {
    const call = [
      special.push,
      lineToken(5),
      eventToken('call'),
      lineToken(1),
      slot('ys'),
      ...textTokens('7'),
    ];
    expect(callerAfter(...call, slot('n'), ...textTokens('3'))).toEqual({ xs: '[1]', i: '3' });
  });
});
