import { describe, expect, it } from 'vitest';
import { grammarOf } from '../../../src/debugger/language/grammar.js';
import { ProgramLibrary } from '../../../src/session/program-library.js';

const source = (name: string): string => `def ${name}(n):\n    return n + 1\n`;

describe('ProgramLibrary', () => {
  it('gives equal texts one program and one grammar, other calls another', () => {
    const library = new ProgramLibrary(1 << 20);
    const program = library.program(source('f'), 'f(1)');
    expect(library.program(source('f'), 'f(1)')).toBe(program);
    expect(grammarOf(library.program(source('f'), 'f(1)'))).toBe(grammarOf(program));
    expect(library.program(source('f'), 'f(2)')).not.toBe(program);
  });

  it('forgets the least recently used beyond its size, and throws what does not parse each time', () => {
    const library = new ProgramLibrary(3 * 160 * (source('f').length + 'f(1)'.length + 1));
    const first = library.program(source('f'), 'f(1)');
    for (const name of ['g', 'h', 'i']) library.program(source(name), `${name}(1)`);
    expect(library.program(source('f'), 'f(1)')).not.toBe(first);
    for (let round = 0; round < 2; round += 1) {
      expect(() => library.program('def f(:\n', 'f()')).toThrow(
        expect.objectContaining({ code: 'invalid_python' }),
      );
    }
  });
});
