import { describe, expect, it } from 'vitest';
import { parseProgram } from '../../../src/debugger/program.js';
import { type LineKind, programFacts } from '../../../src/eval/program-facts.js';

const source = `import math
@cache
def f(a, b: int = 2, *rest, key=None, **more):
    total = 0
    for x in rest:
        total += x
        while total > 9: total -= 1
        if x:
            continue
        elif a:
            print(x)
    try:
        value = [
            y for y in rest
        ]
    except ValueError:
        raise
    with a as g:
        del key
    assert total
    total
    yield
    sent = yield total
    def inner(): return a
    return (
        total
    )
`;

describe('facts about a program', () => {
  const facts = programFacts(parseProgram(source, 'f(1)'));

  it('name the statement of every line', () => {
    const expected: LineKind[] = [
      'import',
      'definition',
      'definition',
      'assignment',
      'for',
      'augmented assignment',
      'while',
      'if',
      'other',
      'if',
      'call statement',
      'try',
      'assignment',
      'assignment',
      'assignment',
      'try',
      'raise',
      'with',
      'delete',
      'assert',
      'expression',
      'yield',
      'assignment',
      'definition',
      'return',
      'return',
      'return',
    ];
    expect(expected.map((_, index) => facts.kinds.get(index + 1))).toEqual(expected);
  });

  it('name the parameters of functions, decorated ones by both lines', () => {
    expect([...facts.parameters]).toEqual([
      [2, ['a', 'b', 'rest', 'key', 'more']],
      [3, ['a', 'b', 'rest', 'key', 'more']],
      [24, []],
    ]);
  });
});
