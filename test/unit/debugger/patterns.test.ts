/** Patterns of `case` and what comes of trying them, as CPython does. */
import { describe, expect, it } from 'vitest';
import { matched } from '../../../src/debugger/language/pattern-match.js';
import { patternIn } from '../../../src/debugger/language/patterns.js';
import { textOf } from '../../../src/debugger/language/told-values.js';
import { encodeValue } from '../../../src/debugger/language/values.js';
import { lineTokens, nameOfSlot, parseProgram } from '../../../src/debugger/program.js';

type Bound = Record<string, string>;

/** What the pattern binds; false: it does not match; undefined: that is not told. */
function tried(pattern: string, value: string, before: readonly string[] = []): Bound | false | undefined {
  const lines = [
    ...before,
    'def f(x):',
    '    match x:',
    `        case ${pattern}:`,
    '            return x',
    '',
  ];
  const program = parseProgram(lines.join('\n'), 'f(1)');
  const code = [...lineTokens(program, before.length + 3)].slice(1);
  const read = patternIn(program, code);
  if (read === undefined || read.end !== code.length - 1) throw new Error(`${pattern} is not read`);
  const found = matched(program, read.pattern, encodeValue(program, value));
  if (!found) return found;
  return Object.fromEntries(
    [...found].map(([slot, held]) => [nameOfSlot(program, slot), textOf(program, held) ?? '']),
  );
}

describe('a pattern', () => {
  it.each<[string, string, Bound | false]>([
    ['1', '1', {}],
    ['1', '2', false],
    ['1', 'True', {}],
    ['1', '1.0', {}],
    ['-2', '-2', {}],
    ['0x10', '16', {}],
    ['1.5', "'1.5'", false],
    ['True', '1', false],
    ['None', 'None', {}],
    ['None', '0', false],
    ['None', '<C object {a: 1}>', false],
    ['"a"', "'a'", {}],
    ['"a" "b"', "'ab'", {}],
    ['"it\'s"', '"it\'s"', {}],
    ['"1"', '1', false],
    ['"a"', "['a']", false],
    ['"+" | "-"', "'-'", {}],
    ['"+" | "-"', "'*'", false],
    ['_', '<C object {a: 1}>', {}],
    ['y', '<C object {a: 1}>', { y: '<C object {a: 1}>' }],
    ['(1 | 2) as y', '2', { y: '2' }],
    ['[]', '[]', {}],
    ['()', '[]', {}],
    ['[]', "''", false],
    ['[a, b]', '(1, [2])', { a: '1', b: '[2]' }],
    ['[a, b]', "'ab'", false],
    ['[a, b]', '{1, 2}', false],
    ['a, *r', '[1]', { a: '1', r: '[]' }],
    ['*r, a', '(1, 2, 3)', { r: '[1, 2]', a: '3' }],
    ['["x", *_]', "['x', 1]", {}],
    ['["x", *_]', "['y', 1]", false],
    ['[a, *_, b]', '[1]', false],
    ['(a,)', '(1, 2)', false],
    ['[1, (2 | 3) as a, [b, *_]]', '[1, 2, (3, 4)]', { a: '2', b: '3' }],
    ['[a, b]', '[<C object {v: 1}>, 2]', { a: '<C object {v: 1}>', b: '2' }],
    ['{}', '{1: 2}', {}],
    ['{}', '[]', false],
    ['{"a": 1, "b": y}', "{'b': [2], 'a': 1, 'c': 3}", { y: '[2]' }],
    ['{"a": 1, "b": y}', "{'a': 1}", false],
    ['{"a": 2}', "{'a': 1}", false],
    ['{"a": y, **r}', "{'z': 0, 'a': 1, 2: 3}", { y: '1', r: "{'z': 0, 2: 3}" }],
    ['{**r}', '{}', { r: '{}' }],
    ['{1: y}', '{True: 2}', { y: '2' }],
    ['int()', '3', {}],
    ['int()', 'True', {}],
    ['bool()', '1', false],
    ['float()', '3', false],
    ['str(y)', "'a'", { y: "'a'" }],
    ['str(y)', "['a']", false],
    ['int(1 | 2) | str()', "'z'", {}],
    ['int() | float() as y', '2.5', { y: '2.5' }],
    ['list([a])', '[4]', { a: '4' }],
    ['tuple()', '[4]', false],
    ['dict({"k": y})', "{'k': 1}", { y: '1' }],
    ['set()', '{1}', {}],
    ['[int(), str(s)]', "(1, 'b')", { s: "'b'" }],
    ['[1, Color.RED]', '[2, 3]', false],
    ['1 | Color.RED', '1', {}],
  ])('%s tried on %s', (pattern, value, expected) => expect(tried(pattern, value)).toEqual(expected));

  it.each<[string, string]>([
    ['Color.RED', '1'],
    ['Color.RED()', '1'],
    ['Point(x=0)', 'Point(x=0)'],
    ['[Color.RED, 2]', '[1, 3]'],
    ['1', '<C object {a: 1}>'],
    ['[1, 2]', '<C object {a: 1}>'],
    ['[a, *_]', 'deque([1, 2])'],
    ['{"a": y}', "Counter({'a': 1})"],
    ['[a, *_]', '[1, 2, …'],
    ['int()', '<E.A: 1>'],
    ['int(real=1)', '1'],
    ['bytes()', "b'a'"],
    ['99999999999999999.0', '99999999999999999'],
    ['{Color.RED: 1}', '{1: 1}'],
    ['{1: 1}', '{<C object {a: 1}>: 1}'],
  ])('is not told of %s tried on %s', (pattern, value) => expect(tried(pattern, value)).toBeUndefined());

  it('is not told where values may be of classes of the program', () => {
    expect(tried('int()', '1', ['int = str'])).toBeUndefined();
    expect(tried('1', '1', ['class C(int):', '    pass'])).toBeUndefined();
  });
});
