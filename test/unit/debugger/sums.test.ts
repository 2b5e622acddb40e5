/** Integers in columns: what is asked, and what other operations are made of. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asAssignment } from '../../../src/debugger/language/augmented.js';
import {
  DivisionDecoder,
  inColumns,
  type Operation,
  SumDecoder,
} from '../../../src/debugger/language/columns.js';
import { expressionParts } from '../../../src/debugger/language/expression-parts.js';
import { mutableDepth } from '../../../src/debugger/language/literal-values.js';
import type { Part } from '../../../src/debugger/language/parts.js';
import type { Plan } from '../../../src/debugger/language/plan.js';
import { operationOf, sumPlan } from '../../../src/debugger/language/sums.js';
import { operatorToken, slotToken, textTokens, tokenText } from '../../../src/debugger/language/tokens.js';
import { toldValue } from '../../../src/debugger/language/told.js';
import { codeOf, exact, textOf } from '../../support/on-paper.js';

/** Constants and displays of constants are told. */
function read<Found>(text: string, as: (...given: Parameters<typeof operationOf>) => Found): Found {
  const code = codeOf(text);
  return as(code, expressionParts(code) as Part, (part) => toldValue(code, part, () => undefined));
}
const operation = (text: string): Operation | undefined => read(text, operationOf);
const plan = (text: string): Plan | undefined => read(text, sumPlan);
const asked = (text: string): string | undefined => {
  const found = operation(text);
  const columns = found && inColumns(found);
  return columns && textOf(columns).replace(/^it/, '');
};

describe('in columns', () => {
  it.each([
    ['128+7', '8210+7000'],
    ['7+128', '7000+8210'],
    ['128-1007', '82100-70010'],
    ['28*6', '820*6'],
    ['28*0', '820*0'],
    ['divmod(54,7)', '54//7'],
  ])('%s is asked as %s', (text, columns) => expect(asked(text)).toBe(columns));

  it.each([
    '-5+128',
    '128*25',
    '6*128',
    '128//6',
    '128%6',
    '128//12',
    '128%100',
    'divmod(128,12)',
    'divmod(5,72)',
    'divmod(-128,7)',
    '128/4',
    '128**2',
    '128**3',
    '2**10',
    '1.5<128',
    '0.5>0.25',
  ])('%s is made of others', (text) => {
    expect(operation(text)).toBeDefined();
    expect(asked(text)).toBeUndefined();
  });

  it.each([
    '1+2',
    '9*9',
    '128//0',
    '128//-12',
    'divmod(128,0)',
    'divmod(128,-7)',
    'divmod(5,7)',
    '5/2',
    '128**1',
    '128**-2',
    '128**10',
    '5**2',
    '1**9',
    '2**33',
    '1.5+128',
    '1e16<128',
    'inf>128',
    `${'1'.repeat(21)}+1`,
  ])('%s is no operation on integers of several digits', (text) => expect(operation(text)).toBeUndefined());
});

const integer = fc.oneof(fc.integer({ min: -99, max: 99 }), fc.integer({ min: -9999, max: 9999 }));

describe('what is made of others', () => {
  it('comes to what Python says, and asks for nothing with signs or two long factors', () => {
    const operators = fc.constantFrom('+', '-', '*', '//', '%', '**2', '**3');
    fc.assert(
      fc.property(
        integer,
        operators,
        integer,
        fc.oneof(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 2000 })),
        (left, operator, other, digit) => {
          const isPower = operator.startsWith('**');
          const isDivision = operator === '//' || operator === '%';
          const right = isPower ? '' : isDivision ? digit : other;
          const value = plan(`${left}${operator}${right}`)?.value((code) => {
            expect(textOf(code)).toMatch(/^(\d+[-+]\d+|\d+\*\d|divmod\(\d+,\d\))$/);
            return exact(code);
          });
          if (value === undefined) return;
          const power = BigInt(left) ** BigInt(isPower ? operator.slice(2) : 1);
          const expected = isPower
            ? `${power}`
            : textOf(exact(codeOf(`${left}${operator}${right}`)) as number[]);
          expect(textOf(value as number[])).toBe(expected);
        },
      ),
      { numRuns: 1500 },
    );
  });

  it.each([
    ['128<1007', 'True'],
    ['128>=128', 'True'],
    ['128>128', 'False'],
    ['-128<=-1007', 'False'],
    ['-5>12', 'False'],
    ['1.5<12', 'True'],
    ['-0.5>=-0.25', 'False'],
    ['0.0<-0.0', 'False'],
    ['3<=3.0', 'True'],
    ['2.75>2.8', 'False'],
    ['divmod(1234,12)', '(102,10)'],
    ['divmod(5,72)', '(0,5)'],
    ['divmod(-128,7)', '(-19,5)'],
    ['divmod(-144,12)', '(-12,0)'],
    ['divmod(-5,72)', '(-1,67)'],
    ['divmod(1230,100)', '(12,30)'],
    ['2**10', '1024'],
    ['10**9', '1000000000'],
    ['-3**3', undefined],
    ['9**13', '2541865828329'],
    ['9**22', '984770902183611232881'],
    ['1625625-42925', '1582700'],
    ['9999999*7', '69999993'],
    ['12-1000000', '-999988'],
    ['1000000007//8', '125000000'],
    ['123456789012*987654', '121932591494857848'],
    ['128/4', '32.0'],
    ['-129/8', '-16.125'],
    ['1/16', '0.0625'],
    ['12/100', '0.12'],
    ['5/1000000', undefined],
    ['129/12', undefined],
    ['144/12', '12.0'],
    ['3/40', '0.075'],
    ['1.5+2', '3.5'],
    ['1.5+2.5', '4.0'],
    ['-0.25-0.5', '-0.75'],
    ['2.0*3', '6.0'],
    ['0.125*-12', '-1.5'],
    ['12.5-12.5', '0.0'],
    ['7.5/2', '3.75'],
    ['2.0/4', '0.5'],
    ['3.0/7', undefined],
    ['0.1+0.5', undefined],
    ['0.0*-2', undefined],
    ['-0.0+1', undefined],
    ['0.0078125*0.0078125', undefined],
    ['7.5/-2', undefined],
    ['1e5+0.5', '100000.5'],
    ['1e16+0.5', undefined],
    ['max(128,-5,1007,3)', '1007'],
    ['min([128,-5,1007])', '-5'],
    ['max((12,))', undefined],
    ['max(5,7)', undefined],
    ['sum([12,-30,7])', '-11'],
    ['sum((1,2,3,4))', '10'],
    ['sum([1,2,3])', '6'],
    ['sum([7])', undefined],
    ['sum([])', undefined],
    ['sum([12,30],5)', undefined],
    ["max([12,'a'])", undefined],
    ['1<22<333', undefined],
    ['abs(12,34)', undefined],
  ])('%s comes to %s', (text, expected) => {
    const found = plan(text)?.value(exact);
    expect(found && textOf(found as number[])).toBe(expected);
  });

  it('needs no more questions than are counted', () => {
    for (const text of [
      '909*1203',
      '999**3',
      '-5-128',
      '-129//7',
      '99999//11',
      '-98765%19',
      'divmod(98989,10)',
      '999/16',
      '9999/8',
      '7**11',
      '2**32',
      '123456*98765',
      '1234567-9876543',
      '987654321//7',
      '987654321%89',
      '12.5<3',
      'sum([12,3,45])',
      'max(12,345,6)',
      '12<34',
    ]) {
      let count = 0;
      const found = plan(text) as Plan;
      found.value((code) => {
        count += 1;
        return exact(code);
      });
      expect(count).toBeLessThanOrEqual(found.questions);
      expect(count > 0).toBe(text !== 'divmod(98989,10)');
    }
  });

  it('waits for an answer, and is not known where one is no integer', () => {
    for (const answer of ['waits', undefined] as const)
      for (const text of ['12*34', '-5-128', '128%7', '-128//7', '128%12', '128/16', '2**9', '1.5<12'])
        expect(plan(text)?.value(() => answer)).toBe(answer);
    for (const text of ['12*34', '-5-128', '128%7', '-129//7', '128%12', '128/16', '2**9', '1.5<12'])
      expect(plan(text)?.value(() => textTokens("'x'"))).toBeUndefined();
    expect(plan('128%7')?.value(() => textTokens('(1,2,3)'))).toBeUndefined();
  });
});

describe('answers', () => {
  const readBy = (decoder: SumDecoder | DivisionDecoder, text: string): string => {
    for (const token of textTokens(text)) {
      expect(decoder.accepts(token)).toBe(true);
      decoder.take(token);
    }
    return decoder.missing() ?? decoder.text();
  };

  it.each([
    ['531', '135'],
    ['-120', '21'],
    ['-179', '-29'],
    ['-00', '0'],
    ['-99', '-1'],
    ['-1', 'another digit'],
    ['-9', 'another digit'],
    ['-128', 'another digit'],
    ['0', '0'],
    ['001', '100'],
    ['00', 'another digit'],
    ['-0', 'another digit'],
    ['-', 'another digit'],
    ['', 'another digit'],
  ])('%j is read as %s', (text, expected) => expect(readBy(new SumDecoder(), text)).toBe(expected));

  it.each([
    ['057574', '(77, 4)'],
    ['0000', '(0, 0)'],
    ['057', 'another digit'],
    ['', 'another digit'],
  ])('of a division, %j is read as %s', (text, expected) =>
    expect(readBy(new DivisionDecoder(), text)).toBe(expected));
});

describe('an augmented assignment', () => {
  const name = slotToken(0);
  const shown = (text: string, value: string | undefined): string => {
    const operators = /(\+|-|\*\*|\*|\/\/|%|\/|&|\||\^|<<|>>|@)=/;
    const [before = '', after = ''] = text.split(operators.exec(text)?.[0] ?? '');
    const operator = operatorToken(operators.exec(text)?.[0] ?? '+=');
    const code = [name, ...codeOf(before), operator, ...codeOf(after)];
    const found = asAssignment(code, { value: value === undefined ? undefined : textTokens(value), end: 1 });
    return found === code ? 'as it is' : textOf(found).replaceAll(tokenText(name).slice(2, -2), 'x');
  };

  it('is the assignment it stands for, unless something is changed in place', () => {
    expect(shown('+=7', '5')).toBe('x=x+7');
    expect(shown('-=7*2', '5')).toBe('x=x-(7*2)');
    expect(shown('**=2', '5')).toBe('x=x**2');
    expect(shown('//=3', '5')).toBe('x=x//3');
    expect(shown('%=3', '5')).toBe('x=x%3');
    expect(shown('[1]+=7', '[1,2]')).toBe('x[1]=x[1]+7');
    expect(shown('[1][0]+=7', '[[1],[2]]')).toBe('x[1][0]=x[1][0]+7');
    expect(shown('/=3', '5')).toBe('x=x/3');
    expect(shown('&=3', '5')).toBe('x=x&3');
    expect(shown('|=4|3', '5')).toBe('x=x|(4|3)');
    expect(shown('^=3', '5')).toBe('x=x^3');
    expect(shown('<<=3', '5')).toBe('x=x<<3');
    expect(shown('>>=3', '5')).toBe('x=x>>3');
    expect(shown('@=3', '5')).toBe('as it is');
    expect(shown('|={1}', '{2}')).toBe('as it is');
    expect(shown('+=[1]', '[1,2]')).toBe('as it is');
    expect(shown('[1]+=[1]', '[[1],[2]]')).toBe('as it is');
    expect(shown('+=7', undefined)).toBe('as it is');
    expect(shown('+=', '5')).toBe('as it is');
    expect(shown('[1+=', '[1]')).toBe('as it is');
  });

  it('counts lists within lists, not brackets in strings', () => {
    const depths = ['5', '(1,2)', '[]', "['[[']", '[(1,[2]),{3:4}]', "{'a':{}}", "['\\'[']"];
    expect(depths.map((text) => mutableDepth(textTokens(text)))).toEqual([0, 0, 1, 1, 2, 2, 1]);
  });
});
