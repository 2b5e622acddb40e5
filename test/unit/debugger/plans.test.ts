/** What is made of other operations: what is put in order, sets, strings that are filled up. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expressionParts } from '../../../src/debugger/language/expression-parts.js';
import type { Part } from '../../../src/debugger/language/parts.js';
import type { Found, Plan } from '../../../src/debugger/language/plan.js';
import { planOf } from '../../../src/debugger/language/plans.js';
import { special, textTokens, tokenText, wordToken } from '../../../src/debugger/language/tokens.js';
import { toldValue } from '../../../src/debugger/language/told.js';

const words = /\b(?:sorted|max|min|set|len|key|reverse|union|ljust|rjust|zfill|in|True|False)\b/;
/** Code tokens: words outside quotes are those of the table. */
const codeOf = (text: string): number[] =>
  text
    .split(/('[^']*')/)
    .flatMap((piece) =>
      piece.startsWith("'")
        ? textTokens(piece)
        : piece
            .split(new RegExp(`(${words.source})`))
            .flatMap((name) => (words.test(name) ? [wordToken(name) as number] : textTokens(name))),
    );
const textOf = (code: readonly number[]): string =>
  code.map((token) => tokenText(token).replace(/^<\|w:(.+)\|>$/, ' $1 ')).join('');

function plan(text: string): Plan | undefined {
  const code = codeOf(text);
  return planOf(code, expressionParts(code) as Part, (part) => toldValue(code, part, () => undefined));
}

const literalValue = (text: string): unknown =>
  JSON.parse(text.trim().replaceAll("'", '"').replace(/[{(]/g, '[').replace(/[})]/g, ']'));
/** What Python says to the questions that plans have. */
function exact(code: readonly number[]): readonly number[] {
  const text = textOf(code);
  const [, left = '', operator, right = ''] = /^((?:'[^']*'|-?\d+))(?:( in |[<*+-]))(.*)$/.exec(text) ?? [];
  if (operator === undefined)
    return textTokens(`${(literalValue(text.replace('len', '')) as string[])[0]?.length}`);
  const [a, b] = [literalValue(left), literalValue(right)] as [number, number];
  if (operator === '<') return [a < b ? special.holds : special.fails];
  if (operator === ' in ') return [(b as unknown as unknown[]).includes(a) ? special.holds : special.fails];
  if (operator === '*') return textTokens(`'${`${a}`.repeat(b)}'`);
  return textTokens(operator === '-' ? `${a - b}` : `'${`${a}${b}`}'`);
}

/** What a plan comes to, and what it asks for. */
function made(text: string): { value: string; asked: string[] } | undefined {
  const asked: string[] = [];
  const value = plan(text)?.value((code) => {
    asked.push(textOf(code));
    return exact(code);
  });
  return typeof value === 'object' ? { value: textOf(value).replaceAll(' ', ''), asked } : undefined;
}

describe('what is made of others', () => {
  it.each([
    ['sorted([3,1,2])', '[1,2,3]', ['1<3', '2<1', '2<3']],
    ["sorted(['b','a'],reverse=True)", "['b','a']", ["'b'<'a'"]],
    ["max(['b','ab','c'])", "'c'", ["'b'<'ab'", "'b'<'c'"]],
    ["min([(1,'b'),(1,'a')])", "(1,'a')", ["'a'<'b'"]],
    ["set('aba')", "{'a','b'}", ["'b' in ['a']", "'a' in ['a','b']"]],
    ['{1,2}&{2,3}', '{2}', ['1 in {2,3}', '2 in {2,3}']],
    ['{1}-{1,2}', 'set()', ['1 in {1,2}']],
    ["'ab'.ljust(4,'*')", "'ab**'", [" len ('ab')", '4-2', "'*'*2", "'ab'+'**'"]],
    ["'ab'.zfill(3)", "'0ab'", [" len ('ab')", '3-2', "'0'+'ab'"]],
  ])('%s comes to %s', (text, value, asked) => expect(made(text)).toEqual({ value, asked }));

  it.each([
    'sorted([1])',
    "sorted([1,'a'])",
    'sorted([1.5,2])',
    'sorted([1,2],key=set)',
    'sorted([1,2],reverse=True,reverse=True)',
    'sorted([1,2],3)',
    'max([1,2],reverse=True)',
    'sorted([(1,2),(1,)])',
    'set({1,2})',
    'set([1])',
    '{1,2}|(3)',
    'set([1,1.0])',
    '{1}.union([1])',
    "'-5'.zfill(6)",
    "'ab'.ljust(40)",
    "'ab'.ljust(4,'ab')",
    '[3,1][2]',
    "'ab'[0.5]",
  ])('%s is asked as it is', (text) => expect(plan(text)).toBeUndefined());

  const short = fc.stringMatching(/^[a-c]{0,3}$/);
  const items = fc.oneof(
    fc.array(fc.nat({ max: 9 }), { minLength: 2, maxLength: 9 }),
    fc.array(short, { minLength: 2, maxLength: 9 }),
  );
  const written = (values: readonly (number | string)[]): string =>
    values.map((value) => (typeof value === 'string' ? `'${value}'` : value)).join();
  const compared = <T extends number | string>(a: T, b: T): number => Number(a > b) - Number(a < b);

  it('is in order, with no more questions than were counted', () => {
    fc.assert(
      fc.property(items, fc.boolean(), (values: (number | string)[], isBackwards) => {
        const text = `sorted([${written(values)}],reverse=${isBackwards ? 'True' : 'False'})`;
        const sorted = values.toSorted((a, b) => (isBackwards ? compared(b, a) : compared(a, b)));
        const found = made(text);
        expect(found?.value).toBe(`[${written(sorted)}]`);
        expect(found?.asked.length).toBeLessThanOrEqual(plan(text)?.questions as number);
      }),
    );
  });

  it('has each item once', () => {
    fc.assert(
      fc.property(items, (values: (number | string)[]) => {
        const found = made(`set([${written(values)}])`);
        const once = [...new Set(values)].map((value) => written([value]));
        expect(found?.value.slice(1, -1).split(',').sort()).toEqual(once.sort());
      }),
    );
  });

  it('waits for an answer, and is not known where there is none', () => {
    for (const answer of ['waits', undefined] as Found[])
      for (const text of ['sorted([3,1,2])', "max(['b','a'])", "set('ab')", '{1}|{2}', "'a'.zfill(3)"])
        expect(
          plan(text)?.value(() => answer),
          text,
        ).toBe(answer);
  });

  it('asks together what does not need one another', () => {
    const open: string[] = [];
    plan('sorted([3,1,2,0])')?.value((code) => {
      open.push(textOf(code));
      return 'waits';
    });
    expect(open).toEqual(['1<3', '0<2']);
  });
});
