/** Steps that CPython takes in programs made to break the claims about control flow and names, as real traces show them. */
import { expect, it } from 'vitest';
import type { ActionKind } from '../../../src/debugger/action.js';
import { frozenNames } from '../../../src/debugger/frozen.js';
import { encodeDelta } from '../../../src/debugger/language/encode.js';
import { compileGrammar } from '../../../src/debugger/language/grammar.js';
import { parseProgram } from '../../../src/debugger/program.js';
import { type DebuggerState, depth, type EventKind, type Frame } from '../../../src/debugger/state.js';
import { GrammarWalker } from '../../../src/native/grammar-walker.js';

type Locals = Record<string, string>;
const frame = (line: number, locals: Locals = {}, its: number[] = []): Frame => ({
  line,
  locals: new Map(Object.entries(locals)),
  its,
  gots: [],
});
const at = (event: EventKind, frames: Frame[], value?: string): DebuggerState => ({
  event,
  frames,
  hiddenFrames: 0,
  ...(value === undefined ? {} : { value }),
});

interface TrueStep {
  readonly what: string;
  readonly source: readonly string[];
  readonly call?: string;
  readonly before: DebuggerState;
  readonly after: DebuggerState;
  /** Frames that stay; without it, all of `before`. */
  readonly common?: number;
}

const generator = ['def g(xs):', '    try:', '        yield 1', '    finally:', '        xs.append(3)'];
const caught = [
  ...generator,
  'def f(n):',
  '    try:',
  '        for x in g([]):',
  '            raise ValueError',
];
const steps: readonly TrueStep[] = [
  {
    what: 'an argument that binds a name',
    source: ['def f(n):', '    print(n := n + 1)', '    return n'],
    before: at('line', [frame(2, { n: '1' })]),
    after: at('line', [frame(3, { n: '2' })]),
  },
  {
    what: 'a name that is bound to a list and updated on one line',
    source: ['def f(ys, x):', '    x = ys; x += [1]', '    return x'],
    before: at('line', [frame(2, { ys: '[1]', x: '5' })]),
    after: at('line', [frame(3, { ys: '[1, 1]', x: '[1, 1]' })]),
  },
  {
    what: 'an iterator of a module that is imported after a plain one',
    source: ['import math, itertools', 'def f(c):', '    e = list(zip(c, [1, 2]))', '    return e'],
    call: 'f(itertools.count(3))',
    before: at('line', [frame(3, { c: 'count(3)' })]),
    after: at('line', [frame(4, { c: 'count(6)', e: '[(3, 1), (4, 2)]' })]),
  },
  {
    what: 'a dictionary of typing that reading changes',
    source: [
      'from typing import DefaultDict',
      'def f():',
      '    d = DefaultDict(list)',
      '    x = d[3]',
      '    return x',
    ],
    call: 'f()',
    before: at('line', [frame(4, { d: "defaultdict(<class 'list'>, {})" })]),
    after: at('line', [frame(5, { d: "defaultdict(<class 'list'>, {3: []})", x: '[]' })]),
  },
  {
    what: 'a function that the entry hands on in an iterator',
    source: ['def g(x):', '    return x + 1', 'def f(m):', '    xs = list(m)', '    return xs'],
    call: 'f(map(g, [1, 2]))',
    before: at('line', [frame(4, { m: '<map object>' })]),
    after: at('call', [frame(4, { m: '<map object>' }), frame(1, { x: '1' })]),
  },
  {
    what: 'a call in the target of a loop',
    source: ['def g(d):', '    return 1', 'def f(d):', '    for d[g(d)] in d["xs"]:', '        pass'],
    before: at('line', [frame(4, { d: "{'xs': [1]}" }, [0])]),
    after: at('call', [frame(4, { d: "{'xs': [1]}" }, [0]), frame(1, { d: "{'xs': [1]}" })]),
  },
  {
    what: 'a yield in a test',
    source: ['def f(n):', '    if (yield n):', '        n = 3', '    for x in (yield 7):', '        n += x'],
    before: at('line', [frame(2, { n: '1' })]),
    after: at('return', [frame(2, { n: '1' })], '1'),
  },
  {
    what: 'a yield in the iterable of a loop',
    source: [
      'def f(n):',
      '    if (yield n):',
      '        n = 3',
      '    for x in (yield 7):',
      '        n += x',
      '    return n',
    ],
    before: at('line', [frame(4, { n: '1' }, [0])]),
    after: at('return', [frame(4, { n: '1' }, [0])], '7'),
  },
  {
    what: 'a generator that an exception closes before a handler runs',
    source: [...caught, '    except ValueError:', '        return 2'],
    before: at('return', [frame(9, { n: '1', x: '1' }, [0]), frame(5, { xs: '[3]' })], 'None'),
    after: at('line', [frame(10, { n: '1', x: '1' })]),
    common: 1,
  },
  {
    what: 'a generator that an exception closes before it leaves the frame',
    source: [...generator, 'def f(n):', '    for x in g([]):', '        n = n[0]'],
    before: at('return', [frame(8, { n: '1', x: '1' }, [0]), frame(5, { xs: '[3]' })], 'None'),
    after: at('return', [frame(8, { n: '1', x: '1' }, [0])], 'None'),
    common: 1,
  },
  {
    what: 'a list that the generator changes when an exception closes it',
    source: [...generator, 'def f(ys):', '    for x in g(ys):', '        ys[5]'],
    before: at('exception', [frame(8, { ys: '[]', x: '1' }, [0])], "IndexError('list index out of range')"),
    after: at('return', [frame(8, { ys: '[3]', x: '1' }, [0])], 'None'),
  },
  {
    what: 'a del that deletes nothing',
    source: ['def f(n):', '    n = 2', '    del ()', '    return n'],
    before: at('line', [frame(2, { n: '1' })]),
    after: at('line', [frame(4, { n: '2' })]),
  },
  {
    what: 'the end of a body that CPython 3.10 drops',
    source: ['def f(n):', '    if 0:', '        del n', '        n = 2', '    return n'],
    before: at('line', [frame(2, { n: '1' })]),
    after: at('line', [frame(4, { n: '1' })]),
  },
  {
    what: 'the next clause of an except*',
    source: [
      'def f(n):',
      '    try:',
      '        n()',
      '    except* ValueError as e:',
      '        a = 1',
      '    except* KeyError as e:',
      '        a = 2',
      '    return a',
    ],
    before: at('line', [frame(5, { n: '<function g>', e: "ExceptionGroup('a', [ValueError(1)])" })]),
    after: at('line', [frame(6, { n: '<function g>', a: '1' })]),
  },
  {
    what: 'a bare raise that leaves the frame',
    source: ['def f(n):', '    try:', '        return n[0]', '    except TypeError:', '        raise'],
    before: at('line', [frame(5, { n: '1' })]),
    after: at('return', [frame(5, { n: '1' })], 'None'),
  },
  {
    what: 'a bare raise that a handler around it takes',
    source: [
      'def f(n):',
      '    try:',
      '        try:',
      '            n[0]',
      '        except TypeError as e:',
      '            raise',
      '    except TypeError:',
      '        n = 2',
    ],
    before: at('line', [frame(6, { n: '1', e: 'TypeError()' })]),
    after: at('line', [frame(7, { n: '1' })]),
  },
  {
    what: 'the end of an except* that leaves a part of the group',
    source: [
      'def f(n):',
      '    try:',
      '        n()',
      '    except* ValueError:',
      '        n = 1',
      '    return n',
    ],
    before: at('line', [frame(5, { n: '<function g>' })]),
    after: at('return', [frame(5, { n: '1' })], 'None'),
  },
  {
    what: 'the end of an except* whose rest a handler around it takes',
    source: [
      'def f(n):',
      '    try:',
      '        try:',
      '            n()',
      '        except* ValueError:',
      '            if n:',
      '                n = 1',
      '    except* OSError:',
      '        n = 2',
    ],
    before: at('line', [frame(7, { n: '<function g>' })]),
    after: at('line', [frame(8, { n: '1' })]),
  },
  {
    what: 'a call in the body of a class',
    source: ['def g(x):', '    return x', 'def f(x):', '    class A:', '        y = g(x)', '    return A.y'],
    before: at('line', [frame(4, { x: '1' })]),
    after: at('call', [frame(4, { x: '1' }), frame(1, { x: '1' })]),
  },
  {
    what: 'the element of a generator expression where it is made',
    source: ['def f(xs):', '    return all(', '        x > 1', '        for x in xs', '    )'],
    before: at('line', [frame(2, { xs: '[1]' })]),
    after: at('line', [frame(3, { xs: '[1]' })]),
  },
  {
    what: 'the last line of a comprehension with an attribute',
    source: ['def f(n):', '    return [', '        n.real + i for i in range(2)', '    ]'],
    before: at('line', [frame(2, { n: '1' })]),
    after: at('line', [frame(4, { n: '1' })]),
  },
  {
    what: 'a choice whose first branch is an `or`, which is stopped on twice',
    source: ['def f(n):', '    m = n or 1 if n == 0 else 2', '    return m'],
    before: at('line', [frame(2, { n: '0' })]),
    after: at('line', [frame(2, { n: '0' })]),
  },
  {
    what: 'the first line of a lambda of several lines',
    source: ['def f(n):', '    return (lambda v: (', '        -v', '    ))(n)'],
    before: at('call', [frame(2, { n: '1' }), frame(2, { v: '1' })]),
    after: at('line', [frame(2, { n: '1' }), frame(2, { v: '1' })]),
  },
  {
    what: 'a handler that does not take the exception',
    source: ['def f(x):', '    try:', '        x = g(x)', '    except KeyError:', '        x = 1'],
    before: at('exception', [frame(3, { x: '1' })], 'ValueError()'),
    after: at('line', [frame(4, { x: '1' })]),
  },
  {
    what: 'the end of a frame that was left by an exception behind a `finally`',
    source: ['def f(x):', '    try:', '        x = g(x)', '    finally:', '        x = 1'],
    before: at('line', [frame(5, { x: '1' })]),
    after: at('return', [frame(3, { x: '1' })], 'None'),
  },
  {
    what: 'a StopIteration that a loop takes',
    source: ['def f(x):', '    for y in x:', '        g(y)', '    return x'],
    before: at('exception', [frame(2, { x: '1' }, [1])], 'StopIteration()'),
    after: at('line', [frame(4, { x: '1' })]),
  },
];

function refusedAt(step: TrueStep, from: DebuggerState, to: DebuggerState, kind: ActionKind): number {
  const program = parseProgram(`${step.source.join('\n')}\n`, step.call ?? 'f(1)');
  const delta = encodeDelta(program, from, to, step.common ?? Math.min(depth(from), depth(to)));
  const { data, start } = compileGrammar(program).forQuestion(from, { kind, lines: [] });
  const walker = new GrammarWalker(data, start.state, start.frames, delta.length + 200);
  return delta.findIndex((token) => !walker.accept(token));
}

function wronglyFrozen(step: TrueStep, from: DebuggerState, to: DebuggerState, kind: ActionKind): string[] {
  const program = parseProgram(`${step.source.join('\n')}\n`, step.call ?? 'f(1)');
  const names = [...frozenNames(program, from, { kind, lines: [] })];
  return names.filter((name) => from.frames[0]?.locals.get(name) !== to.frames[0]?.locals.get(name));
}

for (const step of steps) {
  const { what, before, after } = step;
  it(`allows ${what}, forward and back`, () => {
    expect(refusedAt(step, before, after, 'step_into')).toBe(-1);
    expect(refusedAt(step, after, before, 'inv_step_into')).toBe(-1);
    expect(wronglyFrozen(step, before, after, 'step_into')).toEqual([]);
    expect(wronglyFrozen(step, after, before, 'inv_step_into')).toEqual([]);
  });
}

it('allows nothing but a handler behind an exception that it may take', () => {
  const source = [
    'def f(x):',
    '    try:',
    '        x = g(x)',
    '    except KeyError:',
    '        x = 1',
    '    return x',
  ];
  const before = at('exception', [frame(3, { x: '1' })], 'ValueError()');
  const step: TrueStep = { what: '', source, before, after: before };
  for (const line of [2, 3, 5, 6])
    expect(refusedAt(step, before, at('line', [frame(line, { x: '1' })]), 'step_into')).toBe(1);
  expect(refusedAt(step, before, at('return', [frame(3, { x: '1' })], 'None'), 'step_into')).toBe(0);
});
