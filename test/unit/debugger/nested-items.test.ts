/** Items of lists and dicts in each other, `defaultdict`s among them. */
import { expect, it } from 'vitest';
import { changedIn, itemIn, withItemIn, withoutItemIn } from '../../../src/debugger/language/nested-items.js';
import { wordToken } from '../../../src/debugger/language/tokens.js';
import { decodeValue, encodeValue } from '../../../src/debugger/language/values.js';
import { parseProgram } from '../../../src/debugger/program.js';

const program = parseProgram('def f(x):\n    return x\n', 'f(1)');
const encoded = (text: string) => encodeValue(program, text);
const text = (value: readonly number[] | undefined) => value && decodeValue(program, value);
const lists = "defaultdict(<class 'list'>, {1: [2]})";

it.each<[string, string[], string | undefined]>([
  ['[[1, 2], [3]]', ['0', '1'], '2'],
  ['[[1, 2], [3]]', ['-1'], '[3]'],
  ["{'a': {1: [2]}}", ["'a'", '1', '0'], '2'],
  [lists, ['1', '0'], '2'],
  [lists, ['5'], '[]'],
  ["defaultdict(<class 'dict'>, {})", ['5', "'k'"], undefined],
  ['defaultdict(<function <lambda>>, {})', ['5'], undefined],
  ['[1]', ['3'], undefined],
  ["OrderedDict({'a': [1]})", ["'a'", '0'], '1'],
  ['OrderedDict()', ['1'], undefined],
  ['7', ['0'], undefined],
])('%s at %j is %s', (value, path, expected) => {
  expect(text(itemIn(program, encoded(value), path.map(encoded)))).toBe(expected);
});

it.each<[string, string[], string | undefined]>([
  ['[[1, 2], [3]]', ['0', '1'], '[[1, 9], [3]]'],
  [lists, ['1', '0'], "defaultdict(<class 'list'>, {1: [9]})"],
  [lists, ['5'], "defaultdict(<class 'list'>, {1: [2], 5: 9})"],
  ["defaultdict(<class 'dict'>, {})", ['5', "'k'"], "defaultdict(<class 'dict'>, {5: {'k': 9}})"],
  ['OrderedDict()', ['1'], 'OrderedDict({1: 9})'],
  ["[defaultdict(<class 'int'>, {})]", ['0', '3'], "[defaultdict(<class 'int'>, {3: 9})]"],
  ['defaultdict(<function <lambda>>, {})', ['5', '0'], undefined],
  ["{(0, 'a'): 1, 'a': 2}", ["(0, 'a')"], "{(0, 'a'): 9, 'a': 2}"],
  ['{(0, 1): 1}', ['(0, (1, None))'], '{(0, 1): 1, (0, (1, None)): 9}'],
  ['{(0, 1.0): 1}', ['(0, 1)'], undefined],
  ['{0: 1}', ['True'], undefined],
  ['[1]', ['3'], undefined],
])('%s with 9 at %j is %s', (value, path, expected) => {
  expect(text(withItemIn(program, encoded(value), path.map(encoded), encoded('9')))).toBe(expected);
});

it('are taken out, and changed by methods', () => {
  const ordered = encoded("OrderedDict({'a': 1, 'b': 2})");
  expect(text(withoutItemIn(program, ordered, encoded("'a'")))).toBe("OrderedDict({'b': 2})");
  expect(text(withoutItemIn(program, encoded("OrderedDict({'a': 1})"), encoded("'a'")))).toBe(
    'OrderedDict()',
  );
  expect(text(withoutItemIn(program, ordered, encoded("'c'")))).toBeUndefined();
  const other = parseProgram('def f(x, move_to_end):\n    x.move_to_end(1)\n    x.pop(1)\n', 'f(1, 2)');
  const changed = (method: number | undefined, value: string, ...given: string[]) => {
    const found = changedIn(
      other,
      method ?? -1,
      encodeValue(other, value),
      given.map((one) => encodeValue(other, one)),
    );
    return found && [decodeValue(other, found.left), decodeValue(other, found.given)];
  };
  const moveToEnd = other.slots.get('move_to_end');
  expect(changed(moveToEnd, "OrderedDict({'a': 1, 'b': 2})", "'a'")).toEqual([
    "OrderedDict({'b': 2, 'a': 1})",
    'None',
  ]);
  expect(changed(moveToEnd, "OrderedDict({'a': 1})", "'c'")).toBeUndefined();
  expect(changed(moveToEnd, "defaultdict(<class 'int'>, {1: 2})", '1')).toBeUndefined();
  expect(changed(wordToken('pop'), "OrderedDict({'a': 1, 'b': 2})", "'a'")).toEqual([
    "OrderedDict({'b': 2})",
    '1',
  ]);
  expect(changed(wordToken('pop'), "defaultdict(<class 'int'>, {1: 2})", '1')).toEqual([
    "defaultdict(<class 'int'>, {})",
    '2',
  ]);
});
