/** What is read as Python and what is not: exactly what CPython 3.11 parses, where the grammar underneath is of another mind. */
import { describe, expect, it } from 'vitest';
import { parseProgram } from '../../../src/debugger/program.js';

/** The names of each scope of a source, by the name of the scope. */
function namesOf(source: string): Record<string, readonly string[]> {
  const { scopes } = parseProgram(source, 'f(1)');
  return Object.fromEntries(scopes.map(({ name, names }) => [name, names]));
}

const refusal = expect.objectContaining({ code: 'invalid_python' });

describe('parameters', () => {
  it.each([
    ['lambda x, **kw: kw', ['x', 'kw']],
    ['lambda x=1, **k: k', ['x', 'k']],
    ['lambda x, *y, **k: k', ['x', 'y', 'k']],
    ['lambda **k: k', ['k']],
  ])('%s', (source, names) => {
    expect(namesOf(`f = ${source}\n`)).toEqual({ '<lambda>': names });
  });

  it.each(['lambda **k, x: k', 'lambda **k, *x: k', 'lambda x, **k, **m: k'])('not %s', (source) => {
    expect(() => parseProgram(`f = ${source}\n`, 'f(1)')).toThrow(refusal as Error);
  });
});
