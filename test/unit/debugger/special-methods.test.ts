/** Which methods operators and functions of builtins enter, by the classes of what they are given. */
import { describe, expect, it } from 'vitest';
import { returnedLine } from '../../../src/debugger/language/returned.js';
import { parseProgram } from '../../../src/debugger/program.js';
import { settledLine } from '../../../src/session/settle.js';
import { stateOf, stepOf } from '../../support/scripted-step.js';
import { frameAt } from '../../support/states.js';

const method = (name: string, ...parameters: string[]): string[] => [
  `    def ${name}(${['self', ...parameters].join(', ')}):`,
  '        return 1',
];
const classes = [
  'class A:',
  ...['__len__', '__neg__', '__iter__', '__str__'].flatMap((name) => method(name)),
  ...['__add__', '__radd__', '__eq__', '__getitem__', '__contains__'].flatMap((name) =>
    method(name, 'other'),
  ),
  ...method('__setitem__', 'key', 'value'),
  'class B(A):',
  ...method('__bool__'),
  ...method('plain'),
  'class Empty:',
  ...method('plain'),
];
const locals = { a: '<A object>', b: '<B object {n: 1}>', e: '<Empty object>', n: '2', xs: '[1, 2]' };

/** The function that a line enters first, with what is told of its parameters. */
function entered(line: string, before: readonly string[] = classes) {
  const body = line.endsWith(':') ? [`    ${line}`, '        pass'] : [`    ${line}`];
  const source = [...before, 'def f(a, b, e, n, xs):', ...body, '    return n', ''].join('\n');
  const program = parseProgram(source, 'f(1, 2, 3, 4, 5)');
  const frame = { ...frameAt(before.length + 2, locals), its: line.startsWith('for') ? [0] : [] };
  const { ended, entered: found } = settledLine(stepOf(program, stateOf('line', [frame]), 'step_into'));
  const scope = program.scopes.find(({ firstLine }) => firstLine === found?.line);
  return scope && [ended, scope.qualifiedName, ...(found?.values.values() ?? [])];
}

describe('a line enters', () => {
  it.each([
    ['n = len(a)', 'A.__len__', locals.a],
    ['n = len(b) + 1', 'A.__len__', locals.b],
    ['n = str(a)', 'A.__str__', locals.a],
    ['n = a + n', 'A.__add__', locals.a, '2'],
    ['n = 3 + a', 'A.__radd__', locals.a, '3'],
    ['n = -a', 'A.__neg__', locals.a],
    ['n = a == n', 'A.__eq__', locals.a, '2'],
    ['n = a != n', 'A.__eq__', locals.a, '2'],
    ['n = n in a', 'A.__contains__', locals.a, '2'],
    ['n = n not in b', 'A.__contains__', locals.b, '2'],
    ['n = a[n]', 'A.__getitem__', locals.a, '2'],
    ['a[n] = 5', 'A.__setitem__', locals.a, '2', '5'],
    ['n = not a', 'A.__len__', locals.a],
    ['if b:', 'B.__bool__', locals.b],
    ['while a:', 'A.__len__', locals.a],
    ['n = a and n', 'A.__len__', locals.a],
    ['for x in a:', 'A.__iter__', locals.a],
    ['n = [x for x in a]', 'A.__iter__', locals.a],
    ['n = list(a)', 'A.__iter__', locals.a],
    ['n = xs.append(len(a))', 'A.__len__', locals.a],
  ])('%s', (line, ...call) => {
    expect(entered(line)).toEqual(['enters', ...call]);
  });

  it.each([
    // No class of the program is behind it, or one that has no such method.
    'n = len(xs)',
    'n = e == n',
    'if e:',
    'a += n',
    // What is compared may be in the list; what is added may be anything.
    'n = a in xs',
    'n = xs + a',
    'n = e + a',
    // The class of the right operand is made of the other.
    'n = a + b',
    'n = a < b',
  ])('nothing that is told: %s', (line) => expect(entered(line)).toBeUndefined());

  it('what its object is known to have: by its name, or by what it is bound to', () => {
    const within = [
      'class C:',
      ...method('__len__'),
      ...method('put', 'x'),
      '    def run(self):',
      '        n = len(self)',
      '        return self.put(n)',
    ];
    const program = parseProgram([...within, ''].join('\n'), 'C().run()');
    const on = (line: number, more: Record<string, string>) => {
      const state = stateOf('line', [frameAt(line, { self: '<C obj…', ...more })]);
      const { ended, entered: found } = settledLine(stepOf(program, state, 'step_into'));
      return [ended, found?.line, Object.fromEntries(found?.values ?? [])];
    };
    expect(on(7, {})).toEqual(['enters', 2, { self: '<C obj…' }]);
    expect(on(8, { n: '1' })).toEqual(['enters', 4, { self: '<C obj…', x: '1' }]);
  });

  it('static methods without their object, class methods with their class', () => {
    const made = [
      'class C:',
      '    @staticmethod',
      '    def half(x):',
      '        return x',
      '    @classmethod',
      '    def make(cls, x):',
      '        return x',
    ];
    expect(entered('n = C.half(n)', made)).toEqual(['enters', 'C.half', '2']);
    expect(entered('n = C.make(n)', made)).toEqual(['enters', 'C.make', "<class 'C'>", '2']);
  });
});

describe('behind such a method the line has', () => {
  const body = [
    '    n = bool(a)',
    '    n = n in a',
    '    n = n not in a',
    '    n = a != n',
    '    n = a and n',
    '    n = len(a)',
  ];
  const program = parseProgram(
    [...classes, 'def f(a, n):', ...body, '    return n', ''].join('\n'),
    'f(1, 2)',
  );
  const on = (line: string, callee: string, value: string) => {
    const at = program.lines.indexOf(`    ${line}`) + 1;
    const scope = program.scopes.find(({ qualifiedName }) => qualifiedName === `A.${callee}`);
    const own = { self: '<A object>', ...(scope?.parameters.has('other') ? { other: '2' } : {}) };
    const frames = [frameAt(at, { a: '<A object>', n: '2' }), frameAt(scope?.lastLine ?? 0, own)];
    return returnedLine(program, { event: 'return', frames, hiddenFrames: 0, value })?.value;
  };

  it.each([
    ['n = len(a)', '__len__', '3', '3'],
    ['n = n in a', '__contains__', 'True', 'True'],
    ['n = n not in a', '__contains__', 'True', 'False'],
    ['n = a != n', '__eq__', 'False', 'True'],
    // What it gives is not what the line comes to.
    ['n = bool(a)', '__len__', '3', undefined],
    ['n = n in a', '__contains__', '[1]', undefined],
    ['n = a != n', '__eq__', 'NotImplemented', undefined],
    ['n = a and n', '__len__', '0', undefined],
  ])('%s, where %s gives %s: %s', (line, callee, value, expected) => {
    expect(on(line, callee, value)).toBe(expected);
  });
});

describe('an object whose class has a repr of its own', () => {
  const program = parseProgram(
    [
      'class C:',
      '    def __init__(self, a):',
      '        self.a = a',
      '        self.b = [a]',
      '    def __repr__(self):',
      '        return str(self.b)',
      'def f(n):',
      '    return C(n)',
      '',
    ].join('\n'),
    'f(1)',
  );
  const into = (line: number, names: Record<string, string>) =>
    settledLine(stepOf(program, stateOf('line', [frameAt(line, names)]), 'step_into'));

  it('begins without attributes and is told one after the other', () => {
    expect(into(8, { n: '2' }).entered?.values.get('self')).toBe('<C object>');
    expect(into(3, { self: '<C object>', a: '2' }).results.assigned.get('self')).toBe('<C object {a: 2}>');
    expect(into(4, { self: '<C object {a: 2}>', a: '2' }).results.assigned.get('self')).toBe(
      '<C object {a: 2, b: [2]}>',
    );
  });
});

it.each([
  ['n = o.val if o else 0', '7'],
  ['n = 3 if not o else o.val', '7'],
  ['n = o.next if o is None else 4', '4'],
  ['n = o.val if o.next else n', '2'],
  ['n = o.val if n > 1 else 0', undefined],
])('a choice that an object decides is told: %s', (line, value) => {
  const source = ['class O:', ...method('plain'), 'def f(o, n):', `    ${line}`, '    return n', ''];
  const program = parseProgram(source.join('\n'), 'f(1, 2)');
  const state = stateOf('line', [frameAt(5, { o: '<O object {val: 7, next: None}>', n: '2' })]);
  expect(settledLine(stepOf(program, state, 'step_into')).results.assigned.get('n')).toBe(value);
});
