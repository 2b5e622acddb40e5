/** A function with a line to look at, and what the names on it stand for. */
import { type Program, parseProgram } from '../../src/debugger/program.js';

/** The line is the second, behind those that come before the function. */
export const withLine = (line: string, before: readonly string[] = []): Program =>
  parseProgram(
    [...before, 'def f(n, xs, a, b):', `    ${line}`, '    return n', ''].join('\n'),
    'f(2, [1], 3, 4)',
  );
export const locals = { n: '2', xs: '[1, 7]', a: "'x'", b: '(3, 4)' };
