import { describe, expect, it } from 'vitest';
import { parseProgram } from '../../../src/debugger/program.js';

/** The flow of the function `f` of a source whose first line is `def f(...)`. */
function flowOf(lines: readonly string[]) {
  const program = parseProgram(`${lines.join('\n')}\n`, 'f(1)');
  const flow = program.scopes.find(({ name }) => name === 'f')?.flow;
  if (flow === undefined) throw new Error('the function has no flow');
  const next = (line: number) => [...(flow.lines.get(line)?.next ?? [])].sort((a, b) => a - b);
  const cleanup = (line: number) => [...(flow.cleanups.get(line) ?? [])].sort((a, b) => a - b);
  return { next, cleanup, entry: [...flow.entry], at: (line: number) => flow.lines.get(line) };
}

describe('control flow', () => {
  it('goes on to the next statement, and ends after the last', () => {
    const { next, entry, at } = flowOf(['def f(x):', '    y = x + 1', '    z = y', '    g(z)']);
    expect(entry).toEqual([2]);
    expect(next(2)).toEqual([3]);
    expect(at(2)).toMatchObject({ returns: false, effects: { calls: false } });
    expect(next(4)).toEqual([]);
    expect(at(4)).toMatchObject({ returns: true, effects: { calls: true } });
  });

  it('takes either branch of an if', () => {
    const { next, at } = flowOf([
      'def f(x):',
      '    if x:',
      '        return 1',
      '    elif x is None:',
      '        x = 2',
      '    return x',
    ]);
    expect(next(2)).toEqual([3, 4]);
    expect(next(4)).toEqual([5, 6]);
    expect(next(5)).toEqual([6]);
    expect(at(2)?.returns).toBe(false);
    expect(at(3)).toMatchObject({ returns: true });
    expect(next(3)).toEqual([]);
  });

  it('comes back to the header of a loop, and leaves it by break and at its end', () => {
    const { next, at } = flowOf([
      'def f(xs):',
      '    for x in xs:',
      '        if x:',
      '            continue',
      '        break',
      '    else:',
      '        x = 0',
    ]);
    expect(next(2)).toEqual([3, 7]);
    expect(next(3)).toEqual([4, 5]);
    expect(next(4)).toEqual([2]);
    expect(next(5)).toEqual([]);
    expect(at(5)?.returns).toBe(true);
  });

  it('may stop on any line of a statement of several lines whose order is not known', () => {
    const { next, entry } = flowOf(['def f(x):', '    y = [', '        *x,', '    ]', '    return y']);
    expect(entry).toContain(3);
    expect(next(3)).toEqual([2, 3, 4, 5]);
  });

  it('makes a function between its decorators and their calls', () => {
    const [first, second, head] = ['    @d', '    @e(1)', '    def g():'];
    const one = flowOf(['def f(x):', first as string, head as string, '        pass', '    return x']);
    expect(one.next(2)).toEqual([3]);
    expect(one.next(3)).toEqual([2, 5]);
    expect(one.at(2)?.returns).toBe(false);
    const two = flowOf([
      'def f(x):',
      first as string,
      second as string,
      head as string,
      '        pass',
      '    return x',
    ]);
    expect([2, 3, 4].map(two.next)).toEqual([
      [3, 4],
      [2, 4],
      [3, 6],
    ]);
    const long = flowOf([
      'def f(x):',
      '    @e(',
      '        1)',
      '    def g():',
      '        pass',
      '    return x',
    ]);
    expect(long.next(2)).toContain(2);
  });

  it('leaves handlers, finally and with open', () => {
    const { at } = flowOf([
      'def f(x):',
      '    try:',
      '        x = 1',
      '    except ValueError:',
      '        x = 2',
      '    finally:',
      '        x = 3',
      '    with x:',
      '        x = 4',
    ]);
    expect([4, 7, 8].map(at)).toEqual([undefined, undefined, undefined]);
    expect([...(at(3)?.next ?? [])]).toEqual([7]);
  });

  it('tries the cases of a match one after the other', () => {
    const { next, at } = flowOf([
      'def f(x):',
      '    for y in x:',
      '        match y, x[0]:',
      '            case [1, *a] | {"k": a} if a:',
      '                break',
      '            case (',
      '                int(b) as c',
      '            ): continue',
      '            case str(): x = 1',
      '        match x:',
      '            case _ if (z := y):',
      '                pass',
      '            case d:',
      '                x = 2',
    ]);
    expect([3, 4, 9, 10, 11, 12, 13, 14].map(next)).toEqual([
      [4],
      [5, 6, 7, 8],
      [9, 10],
      [11],
      [12, 13],
      [2],
      [14],
      [2],
    ]);
    expect([6, 8].map(next)).toEqual([
      [6, 7, 8, 9],
      [2, 6, 7, 8, 9],
    ]);
    expect([4, 6, 9, 11, 13].map((line) => [...(at(line)?.effects.binds ?? [])].sort())).toEqual([
      ['a'],
      ['b', 'c'],
      ['x'],
      ['z'],
      ['d'],
    ]);
    expect(at(4)?.trial).toMatchObject({ match: 3, isUntouched: true });
    expect([6, 9].map((line) => at(line)?.trial)).toEqual([undefined, undefined]);
    expect(at(13)?.trial).toMatchObject({ match: 10, fails: { ends: false } });
  });

  it('may end on a case, and leaves one open that CPython decides or the frame may be left in', () => {
    const { at } = flowOf([
      'def f(x):',
      '    match x:',
      '        case 1 if True:',
      '            x = 2',
      '    match (yield x):',
      '        case 1:',
      '            x = 2',
      '    match x:',
      '        case x:',
      '            match x:',
      '                case 2:',
      '                    pass',
      '        case 3 if z := y:',
      '            match y := z:',
      '                case 3:',
      '                    pass',
    ]);
    expect([2, 3, 5, 6, 8, 9, 13, 14, 15].map(at)).toEqual(Array(9).fill(undefined));
    expect(at(11)).toMatchObject({ returns: true, trial: { fails: { ends: true, lines: new Set() } } });
    // CPython 3.10 comes back to the last case.
    expect([...(at(12)?.next ?? [])]).toEqual([11]);
  });

  it('goes on behind an exception where it is caught or cleaned up behind, or ends', () => {
    const { at } = flowOf([
      'def f(x):',
      '    try:',
      '        x = g(x)',
      '        for y in h(x):',
      '            g(y)',
      '    except KeyError:',
      '        x = h(x)',
      '    except (ValueError,',
      '            TypeError):',
      '        raise KeyError(x)',
      '    else:',
      '        x = k(x)',
      '    finally:',
      '        x = 1',
      '    with x as y:',
      '        g(y)',
      '    y = [g(z) for z in x]',
      '    return g(x)',
    ]);
    const caught = (line: number) => {
      const found = at(line)?.caught;
      return found && [...found.lines, ...(found.ends ? ['end'] : [])];
    };
    expect([3, 5, 7, 10, 12].map(caught)).toEqual([[6], [6], [14], [14], [14]]);
    expect([16, 18].map(caught)).toEqual([[15], ['end']]);
    // An iterator's StopIteration is no exception that leaves the line.
    expect([4, 17].map(caught)).toEqual([undefined, undefined]);
  });

  it('goes on behind a `finally` where what it cleans up behind may lead', () => {
    const { cleanup, at } = flowOf([
      'def f(x):',
      '    for y in x:',
      '        try:',
      '            try:',
      '                if y:',
      '                    continue',
      '                return 3',
      '            finally:',
      '                if x:',
      '                    x = 1',
      '                x = 2',
      '        except KeyError:',
      '            break',
      '        x = 4',
      '    return x',
    ]);
    expect([9, 10].map(cleanup)).toEqual([[10, 11], [11]]);
    expect(cleanup(11)).toEqual([2, 12, 14, 15]);
    expect([9, 10, 11].map(at)).toEqual([undefined, undefined, undefined]);
  });

  it('expects calls that nobody wrote where the program has operators or generators', () => {
    const lines = ['def f(x):', '    y = x + 1', '    return y'];
    expect(flowOf(lines).at(2)?.effects.calls).toBe(false);
    expect(flowOf([...lines, 'class A:', '    pass']).at(2)?.effects.calls).toBe(false);
    const adding = ['class A:', '    def __add__(self, other):', '        return 1'];
    expect(flowOf([...lines, ...adding]).at(2)?.effects.calls).toBe(true);
  });
});
