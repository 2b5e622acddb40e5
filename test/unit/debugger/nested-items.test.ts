/** Items of lists and dicts in each other, `defaultdict`s among them. */
import { expect, it } from 'vitest';
import { itemIn, withItemIn } from '../../../src/debugger/language/nested-items.js';
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
  ['7', ['0'], undefined],
])('%s at %j is %s', (value, path, expected) => {
  expect(text(itemIn(program, encoded(value), path.map(encoded)))).toBe(expected);
});

it.each<[string, string[], string | undefined]>([
  ['[[1, 2], [3]]', ['0', '1'], '[[1, 9], [3]]'],
  [lists, ['1', '0'], "defaultdict(<class 'list'>, {1: [9]})"],
  [lists, ['5'], "defaultdict(<class 'list'>, {1: [2], 5: 9})"],
  ["defaultdict(<class 'dict'>, {})", ['5', "'k'"], "defaultdict(<class 'dict'>, {5: {'k': 9}})"],
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
