/** Which lines run nothing of a program in whose classes anything may run. */
import { describe, expect, it } from 'vitest';
import { parseProgram } from '../../../src/debugger/program.js';

/** Whether line by line of `f(a, b)` something of the program may run, behind classes that are written before it. */
function callsIn(classes: readonly string[], lines: readonly string[]): boolean[] {
  const body = lines.map((line) => `    ${line}`);
  const program = parseProgram([...classes, 'def f(a, b):', ...body, ''].join('\n'), 'f(1, 2)');
  const flow = program.scopes.find(({ name }) => name === 'f')?.flow;
  const from = classes.length + 2;
  return lines.map((_, at) => {
    const effects = flow?.lines.get(from + at)?.effects;
    if (effects === undefined) throw new Error(`line ${from + at} has no flow`);
    return effects.calls;
  });
}

/** Whether a line may run a special method. */
function operatesIn(classes: readonly string[], line: string): boolean | undefined {
  const program = parseProgram(
    [...classes, 'def f(a, b, c, d):', `    ${line}`, ''].join('\n'),
    'f(1, 2, 3, 4)',
  );
  const flow = program.scopes.find(({ name }) => name === 'f')?.flow;
  return flow?.lines.get(classes.length + 2)?.effects.operates;
}

const sized = ['class Sized:', '    def __len__(self):', '        return 1'];
const shown = ['class Shown:', '    def __repr__(self):', "        return f'Shown({self.x})'"];

describe('a program with operators of its own', () => {
  it('runs none where names and attributes are read and bound, or asked whether they are the same', () => {
    const lines = ['c = []', 'a.x = b', "d = {'k': (a, b.y)}", 'c = a is not None', 'return a.x'];
    expect(callsIn(sized, lines)).toEqual([false, false, false, false, false]);
  });

  it.each([
    [['len'], ['c, d = a', 'c = [*a]', 'return not a', 'c = len(a)', 'c = a and b', 'c += a'], true],
    [['len'], ['c = a + b', 'c = a[b]', 'd = {a: b}', 'c = a == b', 'c = a < 1 and b', 'a.append(b)'], false],
    [
      ['len'],
      ['c = a.items() or b', "c = f'{a}'", 'c = not a == b', 'c = str(a)', 'c = (a + b) * -a'],
      false,
    ],
    [['add'], ['c = a + b', 'c = -a', 'c += 1', 'c = sum(a)', 'return [a + b]', 'c = pow(a, b)'], true],
    [['add'], ['c = a == b', 'c = a[1]', 'c = a in b', 'c = max(a)', 'a.x = b', 'c = list(a)'], false],
    [['eq'], ['c = a == b', 'c = a in b', 'a.remove(b)', 'c = sorted(a)'], true],
    // Objects that say which are equal have no hash, unless they say that, too.
    [['eq'], ['c = {a}', 'c = a[b]', 'c = a.get(b)'], false],
    [['eq', 'hash'], ['c = {a}', 'c = a[b]', 'c = a.get(b)', 'c = set(a)'], true],
    [['eq'], ['c = a + b', 'c = len(a)', "c = {'k': a}", 'a.append(b)', 'c = a is b', 'return not a'], false],
    [['getitem'], ['c = a[0]', 'c, d = a', 'a[0] = 1', 'del a[0]', 'c = 0 in a', 'c = list(a)'], true],
    [['getitem'], ['c = a.x', 'c = a + b', 'c = a == b', 'c = (a, b)', 'c = len(a)', "c = f'{a}'"], false],
    [
      ['iter'],
      [
        'c = next(a)',
        'a[0:1] = b',
        'c |= a',
        'c = [x for x in a]',
        'c = [x for (x, y) in [a, b]]',
        'c = sum(a)',
        'c = [*a, b]',
        'a.extend(b)',
        "c = ''.join(a)",
      ],
      true,
    ],
    [['iter'], ['c = [x for x in (a, b)]', 'c = a[0]', 'c = len(a)', 'c = [a, b]', 'c += 1'], false],
    [['str'], ["c = f'{a}'", "c = '%s' % a", "c = '{}'.format(a)", 'c = repr(a)', 'print(a)'], true],
    [['str'], ['c = a + b', 'c = a == b', "c = 'a'", "c = ''.join(a)", 'c = len(a)', 'c = a in b'], false],
    // What is not known may do anything.
    [['len'], ['c = a.x(b)', 'c = open(a)', 'c = a[0](b)', 'c = print(b, file=a)', 'c = (yield a)'], true],
    [['len'], ['c = sorted(a, key=len)', 'c = f(**a)', 'import re', 'c = (lambda: len(a))'], true],
    [['getattr'], ['c = 1', 'a.x = b'], true],
    [['exit'], ['c = 1', 'a.x = b'], true],
  ])('with %j: whether one may run in each of %j is %s', (names, lines, expected) => {
    const classes = ['class C:', ...names.map((name) => `    def __${name}__(self, *more): return 1`)];
    expect(lines.map((line) => [line, operatesIn(classes, line)])).toEqual(
      lines.map((line) => [line, expected]),
    );
  });

  it.each([
    [
      'attributes are looked up by a method',
      ['class A:', '    def __getattr__(self, name):', '        return 1'],
    ],
    ['objects are told that they are dropped', ['class A:', '    def __del__(self):', '        pass']],
    [
      'properties are made by something else',
      [
        'import functools',
        'class A:',
        '    @functools.cached_property',
        '    def x(self):',
        '        return 1',
      ],
    ],
  ])('may run one anywhere where %s', (_, classes) => {
    expect(callsIn(classes, ['c = a.x'])).toEqual([true]);
  });
});

describe('a program whose objects write themselves', () => {
  it('has that done where texts are made, and nowhere else', () => {
    const lines = ['c = a + b', 'c = a[b]', "c = f'{a}'", "c = '%s' % a", 'c = str(a)', "c = '{}'.format(a)"];
    expect(callsIn(shown, lines)).toEqual([false, false, true, true, true, true]);
  });

  it('may bind a variable of several functions then', () => {
    const counting = ['N = 0', 'class C:', '    def __repr__(self):', '        global N', '        N += 1'];
    expect(callsIn(counting, ['c = 2', 'c = a + b', "c = f'{a}'"])).toEqual([false, false, true]);
  });
});
