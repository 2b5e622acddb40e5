/** What is read of a long source: the lines that a call reaches, where they were. */
import { describe, expect, it } from 'vitest';
import { excerptFor } from '../../../src/debugger/excerpts/excerpt.js';
import { lex } from '../../../src/debugger/language/lexer.js';
import { checkAction } from '../../../src/debugger/navigate.js';
import { parseProgram } from '../../../src/debugger/program.js';
import type { ForetraceError } from '../../../src/errors.js';

/** Lines that are kept of a source for a call. */
function kept(source: string, call = 'main(1)'): number[] | undefined {
  const excerpt = excerptFor(source, lex(call));
  return excerpt?.split('\n').flatMap((line, index) => (line === '' ? [] : [index + 1]));
}

const main = 'def main(x):\n    return x\n';

describe('an excerpt', () => {
  it.each<[string, string, number[]]>([
    ['leaves out what nothing names', `${main}def other():\n    return main(2)\n`, [1, 2]],
    [
      'has what is named in f-strings',
      'def main(x):\n    return f"{helper(x)}"\ndef helper(x): return x\n',
      [1, 2, 3],
    ],
    [
      'has imports that are used',
      `import re, math\nimport json\ndef main(x):\n    return re.sub("a", "b", x)\n`,
      [1, 3, 4],
    ],
    [
      'has future and star imports',
      `from __future__ import annotations\nfrom math import *\n${main}`,
      [1, 2, 3, 4],
    ],
    ['leaves out what only scripts run', `${main}if __name__ == '__main__':\n    main(3)\n`, [1, 2]],
    [
      'has every binding of a name',
      'N = 1\ntry:\n    N = 2\nexcept ValueError:\n    pass\ndef main(x):\n    return N\n',
      [1, 2, 3, 4, 5, 6, 7],
    ],
    [
      'has lines that go on',
      'N = [\n    1,\n    2]\nM = """\n"""\ndef main(x):\n    return N\n',
      [1, 2, 3, 6, 7],
    ],
    [
      'has decorators with what they decorate',
      '@wrap\n@wrap\ndef main(x):\n    return x\ndef wrap(f):\n    return f\ndef other():\n    pass\n',
      [1, 2, 3, 4, 5, 6],
    ],
    ['has what is done to the library', `import sys\nsys.setrecursionlimit(50)\n${main}`, [1, 2, 3, 4]],
  ])('%s', (_, source, lines) => {
    expect(kept(source)).toEqual(lines);
  });

  const shop = `class Shop:
    """Sells."""
    rate = 2

    def __init__(self, x):
        self.x = x

    def price(self):
        return self.x

    def closing(self):
        return 0

class Other:
    def unused(self):
        pass
`;

  it('has of a class what is named, what is special and what its body runs', () => {
    expect(kept(`${shop}def main(x):\n    return Shop(x).price()\n`)).toEqual([1, 2, 3, 5, 6, 8, 9, 17, 18]);
  });

  it('has the beginning of a class of which nothing is used', () => {
    expect(kept(`${shop}def main(x):\n    return Other\n`)).toEqual([14, 15, 16, 17, 18]);
  });

  it('has methods that a base of the library may call', () => {
    const source =
      'import ast\nclass Names(ast.NodeVisitor):\n    def visit_Name(self, node): pass\ndef main(x):\n    return Names().visit(x)\n';
    expect(kept(source)).toEqual([1, 2, 3, 4, 5]);
  });

  it.each<[string, string, number[]]>([
    ["getattr(A(), 'go_' + x)()", 'a name that begins so', [1, 2, 6, 7]],
    ["getattr(A(), 'stay')()", 'a name', [1, 4, 6, 7]],
    ['getattr(A(), x)()', 'any name', [1, 2, 4, 6, 7]],
    ["getattr(A(), f'go_{x}')()", 'a name that begins so, in an f-string', [1, 2, 6, 7]],
    ["'{0.stay}'.format(A())", 'a field', [1, 4, 6, 7]],
  ])('%s: %s', (expression, _, lines) => {
    const source = `class A:\n    def go_on(self): return 1\n\n    def stay(self): return 2\n\ndef main(x):\n    return ${expression}\n`;
    expect(kept(source)).toEqual(lines);
  });

  it('follows a name to the text that it is bound to', () => {
    const source = (value: string): string =>
      `class A:\n    def go_on(self): return 1\n    def stay(self): return 2\ndef main(x):\n    name = ${value}\n    return getattr(A(), name)()\n`;
    expect(kept(source("'go_' + x"))).toEqual([1, 2, 4, 5, 6]);
    expect(kept(source('x.lower()'))).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it.each<[string, string, number[]]>([
    [
      'a decorator registers a function',
      'ALL = []\ndef add(f):\n    ALL.append(f)\n    return f\n@add\ndef one(): return 1\ndef two(): return 2\ndef main(x):\n    return ALL[0]()\n',
      [1, 2, 3, 4, 5, 6, 8, 9],
    ],
    [
      'a call changes a list by its name',
      'ALL = []\ndef fill(): ALL.append(1)\nfill()\ndef main(x):\n    return ALL\n',
      [1, 2, 3, 4, 5],
    ],
    [
      'another name changes a list',
      'ALL = []\nSAME = ALL\nSAME.append(1)\ndef main(x):\n    return ALL\n',
      [1, 2, 3, 4, 5],
    ],
    [
      'a call changes what cannot be changed by itself',
      'N = 1\ndef rise():\n    global N\n    N = 2\nrise()\ndef main(x):\n    return N\n',
      [1, 2, 3, 4, 5, 6, 7],
    ],
    [
      'a call, whatever it does',
      'N = 1\ndef read(): return N\nM = read()\ndef main(x):\n    return N\n',
      [1, 2, 3, 4, 5],
    ],
    [
      'a call changes a class',
      'class A: n = 1\ndef rise(): A.n = 2\nrise()\ndef main(x):\n    return A.n\n',
      [1, 2, 3, 4, 5],
    ],
    [
      'a call is remembered',
      'import functools\n@functools.cache\ndef main(x):\n    return x\nREADY = main(1)\n',
      [1, 2, 3, 4, 5],
    ],
    [
      'a subclass is told of',
      'class A:\n    all = []\n    def __init_subclass__(cls): A.all.append(cls)\nclass B(A): pass\ndef main(x):\n    return A.all\n',
      [1, 2, 3, 4, 5, 6],
    ],
  ])('knows what the module does to what is reached: %s', (_, source, lines) => {
    expect(kept(source)).toEqual(lines);
  });

  it.each([
    'eval(x)',
    'globals()[x]()',
    'sys.modules[x]',
  ])('is none where anything is reached: %s', (expression) => {
    expect(kept(`def main(x):\n    return ${expression}\ndef other(): pass\n`)).toBeUndefined();
  });

  it('has all classes where arguments are hidden', () => {
    const source = `class A:\n    def run(self): return 1\n    def stop(self): return 2\ndef main(x):\n    return x.run()\ndef other(): pass\n`;
    expect(kept(source, 'main(...)')).toEqual([1, 2, 4, 5]);
  });
});

const filler = (count: number): string =>
  Array.from({ length: count }, (_, at) => `def f${at}(x):\n    return x + ${at}\n`).join('');

function errorOf(run: () => unknown): ForetraceError {
  try {
    run();
  } catch (error) {
    return error as ForetraceError;
  }
  throw new Error('nothing was thrown');
}

describe('a long source', () => {
  const source = `${filler(300)}def main(x):\n    return f3(x)\n`;

  it('is read as far as the call reaches, on the lines that it has', () => {
    const program = parseProgram(source, 'main(1)');
    expect(program.codeLines).toEqual([7, 8, 601, 602]);
    expect(program.whole).toBe(source);
    expect(program.scopes.map(({ name }) => name)).toEqual(['f3', 'main']);
  });

  it('is another program for another call, and the same one where other code differs', () => {
    const program = parseProgram(source, 'main(1)');
    expect(parseProgram(source, 'f5(1)').codeLines).toEqual([11, 12]);
    expect(parseProgram(source.replace('x + 4', 'x - 4'), 'main(1)').digest).toBe(program.digest);
    expect(parseProgram(source.replace('x + 3', 'x - 3'), 'main(1)').digest).not.toBe(program.digest);
  });

  it('stops on no line that is not reached', () => {
    const program = parseProgram(source, 'main(1)');
    const state = {
      event: 'call',
      frames: [{ line: 601, locals: new Map([['x', '1']]), its: [], gots: [] }],
      hiddenFrames: 0,
    } as const;
    const { code, message } = errorOf(() => checkAction(program, state, { kind: 'breakpoint', lines: [2] }));
    expect([code, message]).toEqual([
      'invalid_breakpoint',
      'Line 2 holds no code of a function that the call reaches.',
    ]);
  });

  it('is refused where the call reaches too much of it', () => {
    const all = `${filler(100)}def main(x):\n    return [${Array.from({ length: 100 }, (_, at) => `f${at}(x)`).join()}]\ndef other(): pass\n`;
    const { code, message } = errorOf(() => parseProgram(all, 'main(1)'));
    expect(code).toBe('program_too_long');
    expect(message).toBe('What the call reaches of the program has more than 160 code lines.');
  });

  it('that can be read is read altogether', () => {
    expect(parseProgram(filler(30), 'f1(1)').scopes).toHaveLength(30);
  });

  it('is cut down where it takes most of the context', () => {
    const wide = Array.from(
      { length: 12 },
      (_, at) => `def f${at}(x):\n    return [${'x, '.repeat(60)}]\n`,
    ).join('');
    expect(parseProgram(wide, 'f1(1)').scopes).toHaveLength(1);
  });

  it('may have many empty lines behind much code', () => {
    const function_ = `def f(x):\n    """${'words '.repeat(500)}"""\n    try:\n        y = x\n    except ValueError:\n        raise\n    z = 0 if x else y\n    return z`;
    expect(parseProgram(`${function_}${'\n'.repeat(2000)}`, 'f(1)').codeLines).toHaveLength(7);
  });
});
