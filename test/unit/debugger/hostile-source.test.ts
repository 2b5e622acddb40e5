/** Programs that somebody wrote to keep everybody else waiting: each is refused, or read, by bounds that are counted and not timed. */
import { describe, expect, it } from 'vitest';
import { parseInTime } from '../../../src/debugger/language/bounded-parse.js';
import { lex } from '../../../src/debugger/language/lexer.js';
import { parseProgram } from '../../../src/debugger/program.js';
import { ForetraceError } from '../../../src/errors.js';

const size = 64_000;
const fill = (text: string): string => text.repeat(Math.floor(size / text.length));
const returning = (expression: string): string => `def f(x):\n    return ${expression}\n`;

function codeOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof ForetraceError) return error.code;
    throw error;
  }
  return 'none';
}

describe('a hostile source', () => {
  it.each<[string, string, string]>([
    ['nested brackets', returning(fill('[').slice(size / 2) + fill(']').slice(size / 2)), 'invalid_python'],
    ['brackets that never close', returning(fill('(')), 'invalid_python'],
    ['nested calls', returning(`${'f('.repeat(9000)}1${')'.repeat(9000)}`), 'invalid_python'],
    ['nested f-string fields', returning(`f"${fill('{x}')}"`), 'program_too_long'],
    ['one endless line of statements', `def f(x):\n    ${fill('x;')}x\n`, 'program_too_long'],
    ['constants that compile to nothing', `def f(x):\n    ${fill('1;')}1\n`, 'program_too_long'],
    ['joined lines', returning(`${fill('\\\n')}x`), 'program_too_long'],
    ['empty lines', fill('\n') + returning('x'), 'program_too_long'],
    ['many code lines', `def f(x):\n${fill('    x = 1\n')}`, 'program_too_long'],
    ['decorators', `${fill('@f\n')}def f(x):\n    return x\n`, 'program_too_long'],
    ['strings side by side', returning(fill("'a' ")), 'program_too_long'],
    [
      'deep blocks',
      `${Array.from({ length: 300 }, (_, level) => `${' '.repeat(level)}def f(x):\n`).join('')}${' '.repeat(302)}pass\n`,
      'program_too_deep',
    ],
    ['unary operators', returning(`${fill('not ')}x`), 'program_too_long'],
    [
      'constants, each made by a call of the one before',
      Array.from({ length: 4000 }, (_, at) => `x${at + 1} = f(x${at})\n`).join('') + returning('x'),
      'program_too_long',
    ],
    [
      'classes, each made of the one before',
      `${Array.from({ length: 2500 }, (_, at) => `class A${at}(A${at + 1}): pass\n`).join('')}def f(x):\n    return A0()\n`,
      'program_too_long',
    ],
    [
      'attributes by thousands of texts',
      `class A:\n${Array.from({ length: 500 }, (_, at) => `  def m${at}(self): pass\n`).join('')}def f(x):\n${Array.from({ length: 1000 }, (_, at) => `    getattr(A, "q${at}" + x)\n`).join('')}`,
      'program_too_long',
    ],
    ['a chain of attributes', returning(`x${fill('.a')}`), 'program_too_long'],
  ])('%s', (_name, source, code) => {
    expect(codeOf(() => parseProgram(source, 'f(1)'))).toBe(code);
  });

  it('is refused in the entry as well', () => {
    const call = `f(${'['.repeat(500)}${']'.repeat(500)})`;
    expect(codeOf(() => parseProgram('def f(x):\n    return x\n', call))).toBe('invalid_entry');
  });

  it('says where, and what was expected', () => {
    try {
      parseProgram(returning('['.repeat(300)), 'f(1)');
      expect.unreachable();
    } catch (error) {
      const { details } = error as ForetraceError;
      expect(details).toMatchObject({ line: 2, column: 212, actual: 'too many nested parentheses' });
    }
  });
});

describe('what is large and meant well', () => {
  it('is read: 200 open brackets, long joined lines, long strings over many lines', () => {
    const deep = returning(`${'['.repeat(200)}${']'.repeat(200)}`);
    expect(lex(deep)).toHaveLength(7 + 400);
    const joined = parseProgram(returning(`${'\\\n'.repeat(2000)}x`), 'f(1)');
    expect(joined.executableLines).toEqual([2, 2002]);
    const text = parseProgram(`def f(x):\n    y = '''${'\n'.repeat(2000)}'''\n    return y\n`, 'f(1)');
    expect(text.executableLines).toEqual([2, 2003]);
  });
});

describe('a parse', () => {
  it('ends when its time is over', () => {
    let now = 0;
    const tick = (): number => {
      now += 10;
      return now;
    };
    const text = returning(`${'x + '.repeat(500)}x`);
    expect(codeOf(() => parseInTime(text, 5, tick))).toBe('program_too_long');
    expect(parseInTime(text, 1_000_000, tick).topNode.name).toBe('Script');
  });
});
