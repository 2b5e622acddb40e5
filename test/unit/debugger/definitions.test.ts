/** What a definition binds its name to. */
import { describe, expect, it } from 'vitest';
import { definedBy } from '../../../src/debugger/language/definitions.js';
import { lineTokens, parseProgram } from '../../../src/debugger/program.js';
import { frameAt } from '../../support/states.js';

describe('a definition', () => {
  const defined = (lines: readonly string[], line: number) => {
    const program = parseProgram([...lines, ''].join('\n'), 'f()');
    const scope = program.scopes.findLast(({ lines }) => lines.includes(line));
    if (scope === undefined) throw new Error('the line is in a function');
    const code = lineTokens(program, line);
    return Object.fromEntries(definedBy(program, { frame: frameAt(line, {}), scope }, code).assigned);
  };

  it('leaves a function with its qualified name', () => {
    const inner = ['class C:', '    def f(self):', '        def g(a, b=[1]):', '            return a'];
    expect(defined(inner, 3)).toEqual({ g: '<function C.f.<locals>.g>' });
    const deeper = ['def f():', '    def g():', '        def h() -> int:', '            return 1'];
    expect(defined(deeper, 2)).toEqual({ g: '<function f.<locals>.g>' });
    expect(defined(deeper, 3)).toEqual({ h: '<function f.<locals>.g.<locals>.h>' });
    const made = [
      'def f():',
      '    class G(object):',
      '        n = 1',
      '        def h(self):',
      '            print()',
      '    f()',
    ];
    expect(defined(made, 2)).toEqual({ G: "<class 'f.<locals>.G'>" });
  });

  it.each<[string, readonly string[], number]>([
    ['has a decorator', ['def f():', '    @len', '    def g():', '        pass'], 3],
    ['calls something', ['def f():', '    def g(a=len([])):', '        pass'], 2],
    ['has more lines', ['def f():', '    def g(a,', '            b=1):', '        pass'], 2],
    ['has its body beside it', ['def f():', '    def g(): pass'], 2],
    ['is global', ['def f():', '    global g', '    def g():', '        pass'], 3],
    ['is a class with a base', ['def f():', '    class g(dict):', '        pass'], 2],
    ['is a class in whose body something is called', ['def f():', '    class g:', '        a = len([])'], 2],
    [
      'is a class whose method has a decorator that is made',
      ['def f():', '    class g:', '        @make()', '        def h(self):', '            pass'],
      2,
    ],
  ])('that %s is not told', (_, lines, line) => expect(defined(lines, line)).toEqual({}));
});
