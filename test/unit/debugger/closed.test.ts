/** Questions in which values stand for all names. */
import { describe, expect, it } from 'vitest';
import { closed } from '../../../src/debugger/language/closed.js';
import { encodeExpression } from '../../../src/debugger/language/expression.js';
import { withMethods } from '../../../src/debugger/language/known-calls.js';
import { tokenText } from '../../../src/debugger/language/tokens.js';
import { parseProgram } from '../../../src/debugger/program.js';
import { frameAt } from '../../support/states.js';

const source = `class Box:
    pass

LIMIT = 7

def f(x, d, s, xs, o, key, unbound):
    return x
`;
const program = parseProgram(source, 'f(1, 2, 3, 4, 5, 6, 7)');
const frame = frameAt(7, {
  x: '-3',
  d: '2.5',
  s: "'it'",
  xs: '[1, 2]',
  o: '<Box object {x: 4}>',
  key: '1',
});

function closedText(text: string): string | undefined {
  const code = withMethods(program, encodeExpression(program, text).tokens);
  return closed(program, code, frame)?.map(tokenText).join('');
}

describe('a closed question', () => {
  it.each([
    ['x + 1', '-3+1'],
    ['1 - x', '1--3'],
    ['x ** 2', '(-3)<|o:**|>2'],
    ['LIMIT < d', '7<2.5'],
    ['s.count(s)', "'it'.<|w:count|>('it')"],
    ['o.x * 2', '4*2'],
    ['max(xs)', '<|w:max|>([1,2])'],
    ['xs[1:]', '[1,<|it|>2][1:]'],
    ['3 in xs', '3<|w:in|>[1,2]'],
  ])('%s is %s', (text, expected) => expect(closedText(text)).toBe(expected));

  it.each([
    'unbound + 1',
    'f(x)',
    'o == 3',
    's.x',
    'sorted(xs, key=len)',
    '[x for x in xs]',
    'sum(x for x in xs)',
    '(lambda x: x)(2)',
    "f'{x}'",
  ])('none is made of %s', (text) => expect(closedText(text)).toBeUndefined());
});
