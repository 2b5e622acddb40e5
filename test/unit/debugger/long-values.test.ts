/** What statements leave that is too long to stand in a line: tables, and lists that are cut. */
import { describe, expect, it } from 'vitest';
import { withShownItem } from '../../../src/debugger/language/cut-lists.js';
import { settledLine } from '../../../src/session/settle.js';
import { withLine } from '../../support/one-line.js';
import { stateOf, stepOf } from '../../support/scripted-step.js';
import { frameAt } from '../../support/states.js';

const zeros = (count: number): string => `[${Array.from({ length: count }, () => '0').join(', ')}]`;
const cut = (text: string): string => (text.length > 1024 ? `${text.slice(0, 1023)}…` : text);

/** What the line leaves under `n`. */
function left(line: string, names: Readonly<Record<string, string>> = {}): string | undefined {
  const program = withLine(line, ['import string, collections']);
  const state = stateOf('line', [frameAt(3, { n: '2', xs: '[1, 7]', a: "'ab'", b: '3', ...names })]);
  return settledLine(stepOf(program, state, 'step_over')).results.assigned.get('n');
}

describe('a long value', () => {
  it.each<[string, string]>([
    ['n = [0] * 400', cut(zeros(400))],
    ['n = 400 * [0]', cut(zeros(400))],
    ['n = [[0] * 40 for _ in range(50)]', cut(`[${Array.from({ length: 50 }, () => zeros(40)).join(', ')}]`)],
    ['n = [[] for _ in range(30)]', `[${Array.from({ length: 30 }, () => '[]').join(', ')}]`],
    ['n = [[k, a] for k in range(2)]', "[[0, 'ab'], [1, 'ab']]"],
    ['n = {k: i for i, k in enumerate(a)}', "{'a': 0, 'b': 1}"],
    ['n = {k: [] for k in [3, 3, 4]}', '{3: [], 4: []}'],
    ["n = [float('-inf')] * b", '[-inf, -inf, -inf]'],
    ['n = range(b)', 'range(0, 3)'],
    ['n = list(range(300))', cut(`[${Array.from({ length: 300 }, (_, at) => at).join(', ')}]`)],
    ['n, k = range(2)', '0'],
    ['n = (b, [0] * 2)', '(3, [0, 0])'],
    ['n = collections.deque()', 'deque([])'],
    ['n = collections.deque([(b, a)])', "deque([(3, 'ab')])"],
    ['n = collections.deque(range(4), maxlen=2)', 'deque([2, 3], maxlen=2)'],
    ['n = collections.deque(xs, b)', 'deque([1, 7], maxlen=3)'],
  ])('of %s', (line, value) => expect(left(line)).toBe(value));

  it('holds what is cut, up to there, and objects as they are written', () => {
    const long = cut(zeros(400));
    expect(left('n = a, xs, b', { xs: long })).toBe(cut(`('ab', ${zeros(400)}, 3)`));
    expect(left('n = [(1, xs)]', { xs: long })).toBe(cut(`[(1, ${zeros(400)})]`));
    const made = 'defaultdict(<function f.<locals>.<lambda>>, {})';
    expect(left('n = [(b, (None, xs))]', { xs: made })).toBe(`[(3, (None, ${made}))]`);
    for (const other of ['<C object {me: ...}>', '<unrepresentable C>'])
      expect(left('n = (b, xs)', { xs: other })).toBeUndefined();
  });

  it.each([
    'n = [[k + 1] for k in xs]',
    'n = [k for k in xs if k > 3]',
    'n = [k for j in xs for k in a]',
    'n = {k for k in xs}',
    'n = {k: 1 for k in [1, 1.0]}',
    'n = [g()] * 3',
    'n = [*xs] * 2',
    "n = float('nan')",
    'n = collections.deque(xs, maxlen=0)',
    'n = collections.deque(xs, maxlen=None)',
    'n = collections.deque(g())',
    'n = deque([g()])',
  ])('is not told of %s', (line) => expect(left(line)).toBeUndefined());
});

describe('a list that is cut', () => {
  const long = cut(zeros(400));

  it('has another item where it is shown', () => {
    expect(left('n[0] = -1', { n: long })).toBe(`[-1, ${long.slice(4, -2)}…`);
    expect(left('n[b] = n[1] = 5', { n: long })).toBe(`[0, 5, 0, 5, ${long.slice(13)}`);
    const rows = cut(`[${Array.from({ length: 30 }, () => zeros(40)).join(', ')}]`);
    expect(left('n[1][2] = 7', { n: rows })).toBe(`${rows.slice(0, 130)}7${rows.slice(131)}`);
  });

  it('is not told where the item is not shown, or the rest would be', () => {
    expect(withShownItem(long, [350], '1')).toBeUndefined();
    expect(withShownItem(long, [340], '1')).toBe(`${long.slice(0, 1021)}1${long.slice(1022)}`);
    expect(withShownItem(long, [341], '1')).toBeUndefined();
    expect(withShownItem(long.replace('0', '10'), [0], '1')).toBeUndefined();
    expect(withShownItem(long, [0, 0], '1')).toBeUndefined();
    expect(withShownItem('[1, 2]', [0], '3')).toBeUndefined();
    expect(left('n[-1] = 5', { n: long })).toBeUndefined();
    expect(left('n[a] = 5', { n: long })).toBeUndefined();
  });

  it('has strings with brackets and commas in it', () => {
    const strings = cut(`['a, b', "]'", '\\'x', ${zeros(400).slice(1)}`);
    expect(withShownItem(strings, [2], "'long'")).toBe(cut(`['a, b', "]'", 'long', ${strings.slice(22)}`));
  });
});
