import { describe, expect, it } from 'vitest';
import { checkState } from '../../../src/debugger/navigate.js';
import { parseProgram } from '../../../src/debugger/program.js';
import {
  argumentsText,
  canonicalValue,
  entryFunction,
  returnStates,
} from '../../../src/eval/cruxeval-entry.js';
import { stateAt as state } from '../../support/states.js';

const entryOf = (source: string, name = 'f') => entryFunction(parseProgram(source, `${name}(...)`), name);

const several = `def f(x):
    return 0

def f(items, limit):
    def inner(y):
        return y
    for item in items:
        if item > limit: return item
    if not items:
        return
    total = sum(items); return total
    return 'none'

def g(f):
    return f
`;

describe('the entry function', () => {
  it('is the last of its name, and its returns are its own', () => {
    const entry = entryOf(several);
    expect(entry.scope.firstLine).toBe(4);
    expect(entry.parameters?.map(({ name }) => name)).toEqual(['items', 'limit']);
    expect(entry.returns).toEqual([
      { line: 8, name: 'item' },
      { line: 10, literal: 'None' },
      { line: 11, name: 'total' },
      { line: 12, literal: "'none'" },
    ]);
    expect(entryOf(several, 'g').returns).toEqual([{ line: 15, name: 'f' }]);
  });

  it('has returns that only running tells', () => {
    const source = 'LIMIT = 3\ndef f(x):\n    if x:\n        return x + 1\n    return LIMIT\n';
    expect(entryOf(source).returns).toEqual([{ line: 4 }, { line: 5 }]);
    expect(entryOf('def f(x): return (\n    x,\n    2)\n').returns).toEqual([{ line: 1 }]);
  });

  it.each([
    ['is not there', 'def g():\n    pass\n'],
    ['is a method', 'class A:\n    def f(self):\n        return 1\n'],
    ['is inside another', 'def g():\n    def f():\n        return 1\n    return f\n'],
    ['is a generator', 'def f():\n    yield 1\n'],
  ])('%s: an error', (_name, source) => {
    expect(() => entryOf(source)).toThrow(expect.objectContaining({ code: 'invalid_entry' }));
  });
});

describe('states a run may end in', () => {
  const program = parseProgram(several, 'f(...)');
  const states = (output: string) => returnStates(program, entryFunction(program, 'f'), output);

  it('one for each return that can give the value, with no more than what is known', () => {
    expect(states('7')).toEqual([
      {
        event: 'return',
        frames: [{ line: 8, locals: new Map([['item', '7']]), its: [0], gots: [] }],
        hiddenFrames: 0,
        value: '7',
      },
      state('return', 11, { total: '7' }, '7'),
    ]);
    const given = states('"none"');
    expect(given.map(({ frames }) => frames[0]?.line)).toEqual([8, 11, 12]);
    expect(given[2]).toEqual(state('return', 12, {}, "'none'"));
  });

  it('fit the program', () => {
    for (const output of ['7', 'None', '<Thing>', "'none'"])
      for (const one of states(output)) checkState(program, one);
  });

  it('all returns where none can give the value, the last line where there is none', () => {
    const constant = parseProgram('def f(x):\n    if x:\n        return 1\n    return 2\n', 'f(...)');
    const lines = (output: string) =>
      returnStates(constant, entryFunction(constant, 'f'), output).map(({ frames }) => frames[0]?.line);
    expect(lines('2.0')).toEqual([4]);
    expect(lines('3')).toEqual([3, 4]);
    const silent = parseProgram('def f(x):\n    x.append(1)\n    x.pop()\n', 'f(...)');
    expect(returnStates(silent, entryFunction(silent, 'f'), 'None')).toEqual([
      state('return', 3, {}, 'None'),
    ]);
  });

  it('claim nothing of a name that a finally may bind anew', () => {
    const source = 'def f(x):\n    try:\n        return x\n    finally:\n        x = 0\n';
    const finishing = parseProgram(source, 'f(...)');
    expect(returnStates(finishing, entryFunction(finishing, 'f'), '1')).toEqual([
      state('return', 3, {}, '1'),
    ]);
  });

  it('are bounded in number and in length', () => {
    const lines = Array.from({ length: 20 }, (_, index) => `    if x == ${index}: return x\n`).join('');
    const many = parseProgram(`def f(x):\n${lines}`, 'f(...)');
    const found = returnStates(many, entryFunction(many, 'f'), `'${'a'.repeat(2000)}'`);
    expect(found).toHaveLength(8);
    expect(Array.from(found[0]?.value ?? '')).toHaveLength(1024);
  });
});

describe('values and arguments as text', () => {
  it.each([
    ['{2, 1}', '{1, 2}'],
    ['"a"', "'a'"],
    [' <Thing> ', '<Thing>'],
    ["'open", "'open"],
  ])('%s is written %s', (text, canonical) => expect(canonicalValue(text)).toBe(canonical));

  const source = 'def f(a, b=2, c=3, *rest, d, e=5, **more):\n    return a\n';
  const text = (locals: Record<string, string>) => argumentsText(entryOf(source), state('call', 1, locals));

  it('bind the parameters as the state shows them', () => {
    expect(text({ a: '1', b: "'x'", c: '[]', rest: '(8, 9)', d: 'None', e: '0', more: "{'k': 1}" })).toBe(
      "1, 'x', [], *(8, 9), d=None, e=0, **{'k': 1}",
    );
    expect(text({ a: '1', b: '2', c: '3', rest: '()', d: '4', e: '5', more: '{}' })).toBe(
      '1, 2, 3, d=4, e=5',
    );
  });

  it('go on by name behind a default, and need what has none', () => {
    expect(text({ a: '1', c: '7', d: '4' })).toBe('1, c=7, d=4');
    expect(text({ b: '1', d: '4' })).toBeNull();
    expect(text({ a: '1' })).toBeNull();
    const positional = entryOf('def f(a, b=1, /):\n    return a\n');
    expect(argumentsText(positional, state('call', 1, { a: '1' }))).toBeNull();
    expect(argumentsText(entryOf('def f():\n    return 1\n'), state('call', 1, {}))).toBe('');
  });
});
