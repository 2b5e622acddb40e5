import { describe, expect, it } from 'vitest';
import { equalityKey, valuesEqual } from '../../../src/eval/cruxeval-value.js';

describe('values are equal as Python holds them equal', () => {
  it.each([
    ['1', '1.0'],
    ['True', '1'],
    ['-0.0', '0'],
    ['0x10', '16'],
    ['1_000', '1000'],
    ['1e3', '1000'],
    ['[1, 2]', '[ 1,2, ]'],
    ["'a'", '"a"'],
    [`"it's"`, String.raw`'it\'s'`],
    ["b'a'", 'b"a"'],
    ["{'a': 1, 'b': [2]}", "{'b': [2.0], 'a': True}"],
    ['{1: 2, 1: 3}', '{1: 3}'],
    ['{2, 1, 1}', '{1, 2}'],
    ['set()', 'frozenset()'],
    ['frozenset({1, 2})', '{2, 1}'],
    ['(1)', '1'],
    ['(1,)', '(1.0,)'],
    ['<Box object>', ' <Box object> '],
  ])('%s and %s', (a, b) => {
    expect(valuesEqual(a, b)).toBe(true);
    expect(valuesEqual(b, a)).toBe(true);
  });

  it.each([
    ['1', '2'],
    ['1', "'1'"],
    ["'a'", "b'a'"],
    ['[1]', '(1,)'],
    ['(1,)', '1'],
    ['{}', 'set()'],
    ['[1, 2]', '[2, 1]'],
    ['{1: 2}', '{1, 2}'],
    ['None', 'False'],
    ['9007199254740993', '9007199254740992.0'],
    ["'abc…", "'abc…"],
    ['[1, …', '[1, …'],
    ['Box(1)', 'Box(2)'],
    ["'a", "'a'"],
    ['', '0'],
  ])('%s and %s are not', (a, b) => {
    expect(valuesEqual(a, b)).toBe(false);
    expect(valuesEqual(b, a)).toBe(false);
  });

  it.each([
    '1 + 1',
    '[1',
    '{[]: 1}',
    '{[1]}',
    "'a' 'b'",
    '1j',
    'x',
    "f'{1}'",
    '1, 2',
    'set({1: 2})',
    '('.repeat(500),
  ])('%s is no literal', (text) => expect(equalityKey(text)).toBeNull());
});
