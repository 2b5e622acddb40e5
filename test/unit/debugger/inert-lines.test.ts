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

const sized = ['class Sized:', '    def __len__(self):', '        return 1'];
const shown = ['class Shown:', '    def __repr__(self):', "        return f'Shown({self.x})'"];

describe('a program with operators of its own', () => {
  it('runs none where names and attributes are read and bound, or asked whether they are the same', () => {
    const lines = ['c = []', 'a.x = b', "d = {'k': (a, b.y)}", 'c = a is not None', 'return a.x'];
    expect(callsIn(sized, lines)).toEqual([false, false, false, false, false]);
  });

  it('may run one where something is made of them', () => {
    const lines = ['c = a + b', 'c = a[b]', 'c, d = a', 'd = {a: b}', 'c = [*a]', 'return not a'];
    expect(callsIn(sized, lines)).toEqual([true, true, true, true, true, true]);
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
    expect(callsIn(counting, ['c = 2', 'c = a + b'])).toEqual([false, true]);
  });
});
