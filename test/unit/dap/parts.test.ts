import { describe, expect, it } from 'vitest';
import { partsOf } from '../../../src/dap/parts.js';

/** name -> value -> Python for it. */
const shown = (value: string): string[] =>
  partsOf(value).map(({ name, value: part, expression }) => `${name} = ${part} | ${expression('x')}`);

describe('the parts of a value', () => {
  it.each([
    ['[1, [2, 3], "a, b"]', ['0 = 1 | x[0]', '1 = [2, 3] | x[1]', '2 = "a, b" | x[2]']],
    ['(1,)', ['0 = 1 | x[0]']],
    ["{'a': 1, 'b: c': [2]}", ["'a' = 1 | x['a']", "'b: c' = [2] | x['b: c']"]],
    ['{(1, 2): {3: 4}}', ['(1, 2) = {3: 4} | x[(1, 2)]']],
    ["{1, 'it\\'s'}", ['0 = 1 | 1', "1 = 'it\\'s' | 'it\\'s'"]],
    ["<Account object {owner: 'ann', log: []}>", ["owner = 'ann' | x.owner", 'log = [] | x.log']],
    ['<Node object {next: <Node object {next: None}>}>', ['next = <Node object {next: None}> | x.next']],
    ['Point(x=1, y=(2, 3))', ['x = 1 | x.x', 'y = (2, 3) | x.y']],
    ["Counter({'a': 2})", ["'a' = 2 | x['a']"]],
    ["defaultdict(<class 'list'>, {'a': [1]})", ["'a' = [1] | x['a']"]],
    ['deque([1, 2], maxlen=3)', ['0 = 1 | x[0]', '1 = 2 | x[1]']],
  ])('%s', (value, parts) => {
    expect(shown(value)).toEqual(parts);
  });

  it.each([
    '1',
    "'[1]'",
    'None',
    '[]',
    '{}',
    'set()',
    '<function f>',
    "<class 'int'>",
    '-1.5',
    'b"[1]"',
    'inf',
  ])('%s has none', (value) => {
    expect(partsOf(value)).toEqual([]);
  });

  it('leaves out what the cut of a value left unfinished', () => {
    expect(shown('[1, 22, 33…')).toEqual(['0 = 1 | x[0]', '1 = 22 | x[1]']);
    expect(shown('[[1], [2, 3…')).toEqual(['0 = [1] | x[0]']);
    expect(shown("{'a': 'b', 'c': 'd…")).toEqual(["'a' = 'b' | x['a']"]);
    expect(shown('<Account object {owner: 1, log: [2…')).toEqual(['owner = 1 | x.owner']);
  });
});
