/** What is told without a question: what stands where in a value, numbers beside infinite ones, constants in other notations. */
import { describe, expect, it } from 'vitest';
import { constantsOf } from '../../../src/debugger/language/constants.js';
import { expressionParts } from '../../../src/debugger/language/expression-parts.js';
import { constantValue } from '../../../src/debugger/language/literal-constants.js';
import type { Part } from '../../../src/debugger/language/parts.js';
import { planOf } from '../../../src/debugger/language/plans.js';
import { operatorToken, textTokens, tokenText, wordToken } from '../../../src/debugger/language/tokens.js';
import { toldValue } from '../../../src/debugger/language/told.js';
import { parseProgram } from '../../../src/debugger/program.js';

const word =
  /\b(True|False|isinstance|ord|chr|int|float|str|bool|set|dict|len|in|not|get|index|find|min|max|inf|list|tuple|zip|join|map|range|items|reversed)\b/;
const operator = /(<=|>=|==|!=|<<|>>)/;
const tokensOf = (piece: string): readonly number[] => {
  if (operator.test(piece)) return [operatorToken(piece) as number];
  const token = word.test(piece) ? wordToken(piece) : undefined;
  return token === undefined ? textTokens(piece) : [token];
};
const codeOf = (text: string): number[] =>
  text.split(/('[^']*')/).flatMap((piece) =>
    piece.startsWith("'")
      ? textTokens(piece)
      : piece
          .split(word)
          .flatMap((inner) => inner.split(operator))
          .flatMap((one) => tokensOf(one.trim())),
  );
const textOf = (code: readonly number[]): string =>
  code.map((token) => tokenText(token).replace(/^<\|w:(.+)\|>$/, '$1')).join('');
const isInfinite = (code: readonly number[], { first, end }: Part): boolean =>
  end - first < 3 && code.slice(first, end).includes(wordToken('inf') as number);

function told(text: string): string | undefined {
  const code = codeOf(text);
  const part = expressionParts(code) as Part;
  const plan = planOf(code, part, (inner) =>
    toldValue(code, inner, (named) =>
      isInfinite(code, named) ? code.slice(named.first, named.end) : undefined,
    ),
  );
  const value = plan?.value(() => undefined);
  return typeof value === 'object' ? textOf(value) : undefined;
}

describe('what looks into what is told', () => {
  it.each([
    ['[3,1][-1]', '1'],
    ["(1,'a')[1]", "'a'"],
    ["{'a':1}['a']", '1'],
    ["'abc'[-3]", "'a'"],
    ['[[1,2],[3]][0][1]', '2'],
    ['[1,2,3][1:]', '[2,3]'],
    ['(1,2,3)[:1]', '(1,)'],
    ["'abcd'[::-2]", "'db'"],
    ["'abc'[5:]", "''"],
    ['[1,2,3,4][-3:9:2]', '[2,4]'],
    ['len([1,[2,3]])', '2'],
    ["len('')", '0'],
    ['2 in [1,2]', 'True'],
    ["'b' not in {'a':1}", 'True'],
    ["'bc' in 'abcd'", 'True'],
    ["{'a':1}.get('b')", 'None'],
    ["{'a':1}.get('b',7)", '7'],
    ['[5,6].index(6)', '1'],
    ["'abab'.find('c')", '-1'],
    ["'abab'.index('ba')", '1'],
  ])('%s is %s', (text, value) => expect(told(text)).toBe(value));

  it.each([
    '[3,1][2]',
    "{'a':1}['b']",
    "'ab'[2]",
    "'ab'[-3]",
    '[1][::0]',
    '[1,2].index(3)',
    "'ab'.index('c')",
    '1 in [1.0,2]',
    "1 in 'ab'",
    "[1]['a']",
    "'ab'.find('b',1)",
    '{1,2}[0]',
  ])('%s is asked', (text) => expect(told(text)).toBeUndefined());
});

describe('what puts together what is told', () => {
  it.each([
    ['[1,2]+[3]', '[1,2,3]'],
    ["'ab'*3", "'ababab'"],
    ["''*999999999", "''"],
    ['[1]*-1', '[]'],
    ["list('ab')", "['a','b']"],
    ["list({'a':1}.items())", "[('a',1)]"],
    ["list(zip([1,2],'ab'))", "[(1,'a'),(2,'b')]"],
    ['tuple(range(3))', '(0,1,2)'],
    ["', '.join(['a','b'])", "'a, b'"],
    ["''.join(reversed('ab'))", "'ba'"],
  ])('%s is %s', (text, value) => expect(told(text)).toBe(value));

  it.each(['[1]+(2,)', "'a'*97", '[0]*999999999', 'list({1,2})', "','.join([1,2])"])('%s is asked', (text) =>
    expect(told(text)).toBeUndefined());
});

describe('what a value is', () => {
  it.each([
    ['isinstance(3,int)', 'True'],
    ['isinstance(-2.5,int)', 'False'],
    ['isinstance(1e-7,float)', 'True'],
    ["isinstance('a',(int,str))", 'True'],
    ['isinstance([1],(tuple,set))', 'False'],
    ['isinstance({1:2},dict)', 'True'],
    ["ord('a')", '97'],
    ['chr(65)', "'A'"],
    ["int('-012')", '-12'],
    ['int(-0.5)', '0'],
    ['int(7.9)', '7'],
    ['str(-12)', "'-12'"],
    ["str('a')", "'a'"],
    ['float(3)', '3.0'],
    ["float('1.50')", '1.5'],
    ["bool('')", 'False'],
    ["list(map(int,'102'))", '[1,0,2]'],
    ["','.join(map(str,[1,23]))", "'1,23'"],
    ['chr(39)', '"\'"'],
  ])('%s is %s', (text, value) => expect(told(text)).toBe(value));

  it.each([
    'isinstance(3,3)',
    'isinstance(3,(int,3))',
    "ord('ab')",
    'chr(10)',
    'chr(92)',
    'chr(-1)',
    "chr('a')",
  ])('%s is asked', (text) => expect(told(text)).toBeUndefined());
});

describe('constants of the module', () => {
  it('are names that stand alone before the value', () => {
    const program = parseProgram('A, B = 1, 2\nC = D = 3\nE: int = 4\ndef f():\n    return A\n', 'f()');
    const names = [...constantsOf(program)].map(([slot, value]) => `${tokenText(slot)} ${textOf(value)}`);
    const slotOf = (name: string): string => tokenText(program.slots.get(name) as number);
    expect(names).toEqual([`${slotOf('C')} 3`, `${slotOf('E')} 4`]);
  });
});

describe('bits', () => {
  it.each([
    ['6&3', '2'],
    ['6|3', '7'],
    ['6^3', '5'],
    ['-5&3', '3'],
    ['1<<40', '1099511627776'],
    ['-5>>1', '-3'],
    ['1000000000000|1', '1000000000001'],
    ['True|False', 'True'],
    ['True^True', 'False'],
    ['True&3', '1'],
    ['True<<2', '4'],
  ])('%s is %s', (text, value) => expect(told(text)).toBe(value));

  it.each(['1<<65', '1<<-1', '6&1.5', '{1}|{2}', `1${'0'.repeat(40)}|1`])('%s is not told by them', (text) =>
    expect(told(text)).toBeUndefined());
});

describe('numbers beside infinite ones', () => {
  it.each([
    ['inf>3', 'True'],
    ['-inf==inf', 'False'],
    ['inf<=inf', 'True'],
    ['inf-3', 'inf'],
    ['3-inf', '-inf'],
    ['min(inf,7)', '7'],
    ['max(-inf,2.5)', '2.5'],
    ['max([3,inf,-inf])', 'inf'],
  ])('%s is %s', (text, value) => expect(told(text)).toBe(value));

  it.each(['inf-inf', 'inf*2', "inf<'a'", "max(inf,'a')"])('%s is asked', (text) =>
    expect(told(text)).toBeUndefined());

  it('leave the others to be asked', () => {
    const code = codeOf('min(7,inf,9)');
    const plan = planOf(code, expressionParts(code) as Part, (inner) =>
      toldValue(code, inner, (named) =>
        isInfinite(code, named) ? code.slice(named.first, named.end) : undefined,
      ),
    );
    const asked: string[] = [];
    plan?.value((question) => {
      asked.push(textOf(question));
      return undefined;
    });
    expect([plan?.questions, asked]).toEqual([1, ['min(7,9)']]);
  });
});

describe('a constant', () => {
  it.each([
    ['0x10', '16'],
    ['0b101', '5'],
    ['1_000', '1000'],
    ['1e3', '1000.0'],
    ['1.50', '1.5'],
    ['1e22', '1e+22'],
    ['0.00001', '1e-05'],
    ["'a''b'", "'ab'"],
    ["'a\\n'", "'a\\n'"],
  ])('%s is %s', (text, value) => expect(textOf(constantValue(textTokens(text)) ?? [])).toBe(value));

  it.each(['3j', `'a'"b'"`])('%s is not told', (text) =>
    expect(constantValue(textTokens(text))).toBeUndefined());
});
