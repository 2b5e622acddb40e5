import { describe, expect, it } from 'vitest';
import type { ActionKind } from '../../../src/debugger/action.js';
import { frozenNames, isImmutable } from '../../../src/debugger/frozen.js';
import { DeltaDecoder } from '../../../src/debugger/language/decode.js';
import { isDecodeProblem } from '../../../src/debugger/language/decoded.js';
import { noResults } from '../../../src/debugger/language/results.js';
import { eventToken, lineToken, slotToken, special } from '../../../src/debugger/language/tokens.js';
import { parseProgram } from '../../../src/debugger/program.js';
import type { DebuggerState, EventKind } from '../../../src/debugger/state.js';

const world = (...lines: string[]) => parseProgram(`${lines.join('\n')}\n`, 'f([1], 2)');
const state = (
  event: EventKind,
  line: number,
  locals: Record<string, string>,
  its: number[] = [],
): DebuggerState => ({
  event,
  frames: [{ line, locals: new Map(Object.entries(locals)), its, gots: [] }],
  hiddenFrames: 0,
});
const frozen = (program: ReturnType<typeof world>, from: DebuggerState, kind: ActionKind = 'step_over') =>
  [...frozenNames(program, from, { kind, lines: [] })].sort();

describe('names that a step cannot change', () => {
  const plain = world(
    'def f(xs, n):',
    '    if n > len(xs):',
    '        n += 1',
    '    xs.append(n)',
    '    return xs',
  );

  it('are all names at a test without calls of the program', () => {
    expect(frozen(plain, state('line', 2, { xs: '[1]', n: '2' }))).toEqual(['n', 'xs']);
    expect(frozen(plain, state('call', 1, { xs: '[1]', n: '2' }))).toEqual(['n', 'xs']);
  });

  it('are not those that the statement binds', () => {
    expect(frozen(plain, state('line', 3, { xs: '[1]', n: '2' }))).toEqual(['xs']);
  });

  it('are the immutable ones where an object may be changed', () => {
    expect(frozen(plain, state('line', 4, { xs: '[1]', n: '2' }))).toEqual(['n']);
  });

  it('are not other names of a list that is extended in place', () => {
    const program = world('def f(xs, ys):', '    ys += xs', '    return xs');
    expect(frozen(program, state('line', 2, { xs: '[1]', ys: '[2]' }))).toEqual([]);
    expect(frozen(program, state('line', 2, { xs: '[1]', ys: '2' }))).toEqual(['xs']);
  });

  it('are not those that an inner function may bind', () => {
    const program = world(
      'def f(xs, n):',
      '    def g():',
      '        nonlocal n',
      '        n = 3',
      '    g()',
      '    return n',
    );
    expect(frozen(program, state('line', 5, { xs: '[1]', n: '2', g: '<function f.<locals>.g>' }))).toEqual([
      'g',
    ]);
    expect(frozen(program, state('line', 6, { xs: '[1]', n: '2', g: '<function f.<locals>.g>' }))).toContain(
      'n',
    );
  });

  it.each<[string, string, string[]]>([
    [
      'has methods and constants',
      "    'a box'\n    size = 2\n    def put(self, x):\n        self.x = x",
      ['k', 'xs'],
    ],
    ['has an operator that does not come in', '    def __len__(self):\n        return 1', ['k', 'xs']],
    ['has one that may', '    def __eq__(self, other):\n        return True', ['k']],
    ['has a class that is made of it', '    pass\nclass Sub(Box):\n    pass', ['k', 'xs']],
    ['has a base that is not of the program', '    pass\nclass Sub(list):\n    pass', ['k']],
    ['is an exception', '    pass\nclass Bad(ValueError):\n    pass', ['k', 'xs']],
    ['has what is run for an attribute', '    @property\n    def size(self):\n        return 1', ['k', 'xs']],
    [
      'has what another decorator makes',
      '    @cached_property\n    def size(self):\n        return 1',
      ['k'],
    ],
    [
      'has what is asked for like an attribute',
      '    def get(self):\n        return 1\n    size = property(get)',
      ['k'],
    ],
    [
      'has a method that is called like one of builtins',
      '    def index(self, x):\n        self.x = x',
      ['k'],
    ],
  ])('beside a class that %s', (_, body, names) => {
    const program = world(
      'class Box:',
      ...body.split('\n'),
      'def f(xs, n):',
      '    k = 1',
      '    n = xs.index(k)',
      '    return n',
    );
    const line = program.lines.findIndex((text) => text.includes('n = xs')) + 1;
    expect(frozen(program, state('line', line, { xs: '[1]', n: '2', k: '1' }))).toEqual(names);
  });

  it('are, going back, those that no line before can have changed', () => {
    expect(frozen(plain, state('line', 4, { xs: '[1]', n: '2' }), 'inv_step_over')).toEqual(['xs']);
  });

  it('are none for jumps', () => {
    expect(frozen(plain, state('line', 2, { xs: '[1]', n: '2' }), 'step_return')).toEqual([]);
  });
});

it('tells immutable values by their repr', () => {
  const immutable = [
    '1',
    '-2.5e-07',
    "'a[b'",
    'None',
    "(1, 'x', (2.0, True))",
    "b'['",
    'inf',
    '(1+2j)',
    "'cut…",
    '<function f.<locals>.g>',
    '(1, <function g>)',
  ];
  const mutable = ['[1]', '{}', '(1, [2])', '<A object>', 'A(1)', 'deque([1])', '(1, 2…', '{1}'];
  expect(immutable.filter((value) => !isImmutable(value))).toEqual([]);
  expect(mutable.filter(isImmutable)).toEqual([]);
});

it('passes over a change of a frozen name when it decodes', () => {
  const program = world('def f(xs, n):', '    return n');
  const slot = (name: string) => program.slots.get(name) ?? slotToken(0);
  const decoder = new DeltaDecoder(program, state('call', 1, { xs: '[1]', n: '2' }), {
    frozen: new Set(['n']),
    shared: new Map(),
    left: new Map(),
    results: noResults,
    heads: new Map(),
  });
  const tokens = [
    eventToken('line'),
    lineToken(2),
    slot('xs'),
    special.del,
    slot('n'),
    special.del,
    special.end,
  ];
  const parts = tokens.flatMap((token) => decoder.push(token));
  const decoded = decoder.finish();
  if (isDecodeProblem(decoded)) throw new Error(decoded.message);
  expect([...(decoded.state.frames[0]?.locals ?? [])]).toEqual([['n', '2']]);
  expect(parts.filter(({ kind }) => kind === 'local')).toHaveLength(1);
});
