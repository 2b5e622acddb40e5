/** Statements of several lines: the lines that CPython 3.11 passes, run for run, and what is known of their order. */
import { describe, expect, it } from 'vitest';
import { parseProgram } from '../../../src/debugger/program.js';

/** Line 1 is the `def` line. */
function flowOf(lines: readonly string[]) {
  const body = lines.map((line) => `    ${line}`);
  const program = parseProgram(['def f(x):', ...body, '    return x', ''].join('\n'), 'f(1)');
  const flow = program.scopes[0]?.flow;
  if (flow === undefined) throw new Error('the function has no flow');
  const next = (line: number) => [...(flow.lines.get(line)?.next ?? [])].sort((a, b) => a - b);
  /** What may come next where the frame was on that line before. */
  const behind = (line: number, before: number | undefined) => {
    const { own, next: all, behind: ways } = flow.lines.get(line) ?? {};
    const known = ways?.get(before !== undefined && own?.has(before) ? before : 0);
    return [...(known?.next ?? all ?? [])].sort((a, b) => a - b);
  };
  return {
    entry: [...flow.entry].sort((a, b) => a - b),
    next,
    behind,
    at: (line: number) => flow.lines.get(line),
  };
}

/** What a statement is, its lines, and the lines of its runs, that of the statement behind it last. */
const runs: [what: string, lines: string[], runs: number[][]][] = [
  ['a call', ['y = g(', '    x,', '    1,', ')'], [[2, 3, 4, 2, 6]]],
  ['calls of methods', ['y = (x', '     .add(1)', '     .add(2))'], [[2, 3, 4, 2, 5]]],
  ['a list', ['y = [', '    x,', '    x,', ']'], [[3, 4, 2, 6]]],
  ['a list of constants', ['y = [', '    1,', '    2,', '    -3,', ']'], [[2, 7]]],
  ['a tuple of constants', ['y = (', '    1,', '    -2)'], [[2, 5]]],
  ['a dict', ['y = {', '    1: x,', '    2: x,', '}'], [[3, 4, 2, 6]]],
  ['sums', ['y = (x', '     + 1', '     - x)'], [[2, 3, 2, 4, 2, 5]]],
  [
    'a choice',
    ['y = (x', '     if x', '     else 1)'],
    [
      [3, 2, 5],
      [3, 2, 5],
      [3, 4, 2, 5],
    ],
  ],
  ['an update', ['x += g(', '    x, 2)'], [[2, 3, 2, 4]]],
  [
    'an assertion',
    ['assert x == [', '    x,', '    [x]], (', '    x)'],
    [
      [2, 3, 4, 2, 6],
      [2, 3, 4, 2, 5, 2],
    ],
  ],
  [
    'an assertion of several',
    ['assert (x and', '    x > 1), (', '    x)'],
    [
      [2, 3, 5],
      [2, 3, 4, 3],
    ],
  ],
  ['what is raised', ['raise ValueError(', '    x,', '    1)'], [[2, 3, 4, 2]]],
  ['two names', ['x, y = (1,', '        2)'], [[2, 4]]],
  [
    'a condition',
    ['if (x', '        and x > 1', '        or x < 0):', '    x = 1'],
    [
      [2, 3, 5, 6],
      [2, 4, 6],
      [2, 3, 4, 5, 6],
    ],
  ],
  [
    'a condition behind a bracket',
    ['if (', '    not x', '    or x > 1', '):', '    x = 1'],
    [
      [3, 2, 6, 7],
      [3, 2, 4, 6, 7],
      [3, 2, 4, 7],
    ],
  ],
  [
    'a condition of comparisons',
    ['if (0 <= x < 9 and', '        x > 1 and', '        x - 5):', '    x = 1'],
    [
      [2, 6],
      [2, 3, 6],
      [2, 3, 4, 3, 5, 6],
      [2, 3, 4, 3, 6],
    ],
  ],
  [
    'a condition that must not hold',
    ['if not (0 <= x < 9 and', '        0 < x < 7 and', '        x - 5):', '    x = 1'],
    [
      [2, 5, 6],
      [2, 3, 5, 6],
      [2, 3, 4, 3, 6],
      [2, 3, 4, 3, 5, 6],
    ],
  ],
  [
    'a comparison of three',
    ['y = (0', '     < x', '     < 9)'],
    [
      [2, 3, 2, 4, 2, 5],
      [2, 3, 2, 5],
    ],
  ],
  ['a comprehension', ['y = [', '    k', '    for k in (x,)', '    if k]'], [[2, 6]]],
  ['a comprehension with an attribute', ['y = [k', '     for k in x.real', '     .bits()]'], [[2, 4, 2, 5]]],
  ['a generator expression', ['y = any(', '    k', '    for k in (x,)', '    if k)'], [[2, 3, 2, 6]]],
  ['a lambda', ['y = (lambda v: (', '    v + x', '))'], [[2, 5]]],
  ['an annotated assignment', ['y: int = (', '    x', '    + 1)'], [[3, 4, 3, 2, 5]]],
  [
    'the condition of a loop',
    ['while (x and', '        x > 1):', '    x -= 1'],
    [
      [2, 3, 4, 2, 3, 5],
      [2, 5],
    ],
  ],
];

describe('the lines of', () => {
  it.each(runs)('%s come as in a run', (_, lines, all) => {
    const { entry, next, behind } = flowOf(lines);
    for (const run of all) {
      expect(entry).toContain(run[0]);
      for (const [at, line] of run.slice(0, -1).entries()) {
        expect(next(line)).toContain(run[at + 1]);
        expect(behind(line, run[at - 1])).toContain(run[at + 1]);
      }
    }
  });

  it('a call are told apart by the line before, where one comes twice', () => {
    const { behind } = flowOf(['y = g(', '    x,', '    1,', ')']);
    expect([behind(2, 1), behind(2, 4)]).toEqual([[3], [6]]);
    const nested = flowOf(['y = g(', '    h(', '        x),', '    1,', ')']).behind;
    expect([nested(2, 1), nested(3, 2), nested(3, 4), nested(2, 5)]).toEqual([[3], [4], [5], [7]]);
  });

  it('what is raised are told apart by the line before', () => {
    const { behind } = flowOf(['raise ValueError(', '    x)']);
    expect([behind(2, 1), behind(2, 3)]).toEqual([[3], []]);
  });

  it('a statement that follows itself tell nothing by the line before', () => {
    const { at } = flowOf(['while True:', '    g(', '        x)']);
    expect(at(3)?.behind).toBeUndefined();
  });

  it('a call have their order', () => {
    const { entry, next } = flowOf(['y = g(', '    x,', '    1,', ')']);
    expect([entry, next(2), next(3), next(4)]).toEqual([[2], [3, 6], [4], [2]]);
    // A frame never stops on the bracket: nothing is said of it.
    expect(next(5)).toEqual([2, 3, 4, 5, 6]);
  });

  it('a raise lead nowhere', () => {
    const { entry, next } = flowOf(['raise ValueError(', '    x,', '    y)']);
    expect([entry, next(2), next(3), next(4)]).toEqual([[2], [3], [4], [2]]);
  });

  it('a list begin with its first item, and end where it is built', () => {
    const { entry, next } = flowOf(['y = [', '    x,', ']']);
    expect([entry, next(2), next(3)]).toEqual([[3], [5], [2]]);
  });

  it('constants are passed at once, from three in a list or set on', () => {
    expect(flowOf(['y = [', '    1,', "    'a',", '    -3,', ']']).entry).toEqual([2]);
    expect(flowOf(['y = (', '    1,', '    (2, None))']).entry).toEqual([2]);
    expect(flowOf(['y = {', '    1,', '    2,', '}']).entry).toEqual([2, 3]);
  });

  it('a condition begin with its first operand', () => {
    const { entry, next } = flowOf(['if (', '    x', '    or x > 1', '):', '    x = 1']);
    expect([entry, next(2)]).toEqual([[3], [4, 6, 7]]);
  });

  it('a return leave the function on its first line', () => {
    const { at } = flowOf(['return g(', '    x,', '    3)']);
    expect(at(2)).toMatchObject({ returns: true });
    expect(at(3)).toMatchObject({ returns: false });
  });

  it('an annotation alone are none', () => {
    const { entry, next } = flowOf(['y: int', 'y = 1', 'z: int', 'x.z: int']);
    // CPython looks up what an attribute is annotated of.
    expect([entry, next(3)]).toEqual([[3], [5, 6]]);
  });

  it('a loop go back to where its condition begins', () => {
    const { next } = flowOf(['while (', '        x and', '        x > 1):', '    x -= 1']);
    expect(next(5)).not.toContain(4);
    expect(next(5)).toContain(3);
  });

  it.each<[string, string[]]>([
    ['a comprehension with a lambda', ['y = [', '    lambda: k for k in x', '    if k]']],
    ['starred arguments', ['y = g(', '    *x,', '    1)']],
    ['a yield', ['y = g(', '    (yield x))']],
  ])('%s are left open', (_, lines) => {
    const { next } = flowOf(lines);
    expect(next(2)).toEqual(expect.arrayContaining([2, 3]));
  });
});

/** What conditions come to for a number. */
const tests: Record<string, (x: number) => boolean> = {
  x: (x) => x !== 0,
  'x > 1': (x) => x > 1,
  'x < 0': (x) => x < 0,
  'x - 5': (x) => x !== 5,
  '0 <= x < 9': (x) => 0 <= x && x < 9,
  '0 < x < 7': (x) => 0 < x && x < 7,
  'x > 1 and x < 4': (x) => x > 1 && x < 4,
};

const either = ['if (x', '        and x > 1', '        or x < 0):', '    x = 1'];
const denied = ['if not (0 <= x < 9 and', '        0 < x < 7 and', '        x - 5):', '    x = 1'];
const bracket = ['if (', '    not x', '    or x > 1', '):', '    x = 1'];
const loop = ['while (x and', '        x > 1):', '    x -= 1'];
const choice = ['y = (x', '     if x > 1', '     else x < 0)'];
const value = ['y = (x', '     or x > 1', '     or x < 0)'];
const assertion = ['assert (x and', '    x > 1), (', '    x)'];

describe('what decides a statement leads where a run goes:', () => {
  it.each<[string[], number, number[]]>([
    [either, 3, [2, 3, 5]],
    [either, 0, [2, 4, 6]],
    [either, -1, [2, 3, 4, 5]],
    [either, 1, [2, 3, 4, 6]],
    [denied, 9, [2, 5]],
    [denied, 8, [2, 3, 5]],
    [denied, 5, [2, 3, 4, 3, 5]],
    [denied, 6, [2, 3, 4, 3, 6]],
    [bracket, 0, [3, 2, 6]],
    [bracket, 3, [3, 2, 4, 6]],
    [bracket, 1, [3, 2, 4, 7]],
    [loop, 3, [2, 3, 4]],
    [loop, 1, [2, 3, 5]],
    [loop, 0, [2, 5]],
    [choice, 3, [3, 2, 5]],
    [choice, 1, [3, 4, 2, 5]],
    [value, 3, [2, 5]],
    [assertion, 3, [2, 3, 5]],
    [assertion, 1, [2, 3, 4, 3]],
    [assertion, 0, [2, 3, 4, 3]],
  ])('%j, x = %i', (lines, x, run) => {
    const { at } = flowOf(lines);
    for (const [index, line] of run.slice(0, -1).entries()) {
      const truths = new Map<string, boolean>();
      const decided = () => at(line)?.decides?.(line, run[index - 1] ?? 0, truths);
      // As the session does: one test after the other, as long as there are several ways.
      for (let asked = 0; asked < lines.length && (decided()?.next.size ?? 0) > 1; asked += 1) {
        const test = decided()?.open[0] as string;
        truths.set(test, tests[test]?.(x) as boolean);
      }
      expect([...(decided()?.next ?? [])]).toEqual([run[index + 1]]);
    }
  });

  it('nothing is decided that has no conditions', () => {
    expect(flowOf(['y = g(', '    x,', '    1)']).at(2)?.decides).toBeUndefined();
    expect(flowOf(['if x:', '    x = 1']).at(2)?.decides).toBeUndefined();
  });
});
