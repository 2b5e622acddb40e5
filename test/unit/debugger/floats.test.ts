/** Floats as integers times powers of two. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expressionParts } from '../../../src/debugger/language/expression-parts.js';
import { floatPlan } from '../../../src/debugger/language/floats.js';
import type { Part } from '../../../src/debugger/language/parts.js';
import type { Plan } from '../../../src/debugger/language/plan.js';
import { planOf } from '../../../src/debugger/language/plans.js';
import { signPlan } from '../../../src/debugger/language/signs.js';
import { slotToken, textTokens } from '../../../src/debugger/language/tokens.js';
import { toldValue } from '../../../src/debugger/language/told.js';
import { codeOf, exact, textOf } from '../../support/on-paper.js';

type Planner = typeof planOf;
function planned(text: string, by: Planner = planOf): Plan | undefined {
  const code = codeOf(text);
  return by(code, expressionParts(code) as Part, (part) => toldValue(code, part, () => undefined));
}
/** What it comes to, and the questions that were asked for it. */
function worked(
  text: string,
  by?: Planner,
): { readonly text: string; readonly asked: ReadonlySet<string> } | undefined {
  const plan = planned(text, by);
  const asked = new Set<string>();
  const found = plan?.value((code) => {
    asked.add(textOf(code));
    return exact(code);
  });
  if (plan === undefined || typeof found !== 'object') return undefined;
  expect(asked.size).toBeLessThanOrEqual(plan.questions);
  return { text: textOf(found), asked };
}

/** As Python writes it; undefined with an exponent. */
function shown(number: number): string | undefined {
  const size = Math.abs(number);
  if (size !== 0 && (size < 1e-4 || size >= 1e16)) return undefined;
  if (Object.is(number, -0)) return '-0.0';
  return Number.isInteger(number) ? `${number}.0` : String(number);
}

describe('a float', () => {
  it.each([
    ['0.1+0.2', '0.30000000000000004'],
    ['0.3-0.1', '0.19999999999999998'],
    ['1.1*3', '3.3000000000000003'],
    ['15.13*32', '484.16'],
    ['45/46', '0.9782608695652174'],
    ['6/4', '1.5'],
    ['1/3', '0.3333333333333333'],
    ['-2/7', '-0.2857142857142857'],
    ['12/3', '4.0'],
    ['133.35/9', '14.816666666666666'],
    ['27.393729605422283-27', '0.3937296054222834'],
    ['0.1-0.1', '0.0'],
    ['0.5+0', '0.5'],
    ['0.1*0', '0.0'],
    ['-0.1*0', '-0.0'],
    ['0.1*-0.0', '-0.0'],
    ['0/7', '0.0'],
    ['-0.0/7', '-0.0'],
    ['2.5*0.1', '0.25'],
    ['15.555555555555555-70', '-54.44444444444444'],
  ])('%s is %s', (text, value) => expect(worked(text)?.text).toBe(value));

  it.each([
    '1/0',
    '1/0.0',
    '1+2',
    '2*3',
    '1e-05+0.1',
    '0.0001/10',
    '0.1**2',
    '0.1//3',
    '0.1<3',
  ])('nothing is made of %s so', (text) => expect(worked(text, floatPlan)).toBeUndefined());

  it.each(['0.1*0.1', '1.1/1.3', '0.7*123456789'])('%s takes more questions than there may be', (text) =>
    expect(planned(text)?.questions).toBeGreaterThan(128));

  const decimals = fc
    .tuple(fc.integer({ min: -10_000_000, max: 10_000_000 }), fc.integer({ min: 0, max: 5 }))
    .map(([digits, places]) => digits / 10 ** places);
  const floats = fc.oneof(
    decimals,
    fc.double({ min: 1e-3, max: 1e6, noNaN: true }),
    fc.double({ min: -1e6, max: -1e-3, noNaN: true }),
  );
  const operands = fc.oneof(floats.map(shown), fc.integer({ min: -99_999, max: 99_999 }).map(String));

  it('is reckoned with as processors do, by questions of few digits', () => {
    let made = 0;
    fc.assert(
      fc.property(operands, fc.constantFrom('+', '-', '*', '/'), operands, (left, operator, right) => {
        const isRead = left && right && (operator === '/' || left.includes('.') || right.includes('.'));
        const text = `${left}${operator}${right?.startsWith('-') ? `(${right})` : right}`;
        const found = isRead ? worked(text) : undefined;
        if (found === undefined) return;
        made += 1;
        const [a, b] = [Number(left), Number(right)];
        const exactly =
          operator === '+' ? a + b : operator === '-' ? a - b : operator === '*' ? a * b : a / b;
        expect(found.text).toBe(shown(exactly));
        for (const question of found.asked)
          for (const digits of question.match(/\d+/g) ?? []) expect(digits.length).toBeLessThanOrEqual(7);
      }),
      { numRuns: 2000 },
    );
    expect(made).toBeGreaterThan(1000);
  });
});

describe('a sign', () => {
  const told = (code: string, value: string): string | undefined => {
    const tokens = codeOf(code).map((token) => (token === textTokens('x')[0] ? slotToken(0) : token));
    const plan = signPlan(tokens, expressionParts(tokens) as Part, () => codeOf(value));
    const found = plan?.value(() => undefined);
    return typeof found === 'object' ? textOf(found) : undefined;
  };

  it.each([
    ['-x', '1.5', '-1.5'],
    ['-x', '-1.5', '1.5'],
    ['-x', '0', '0'],
    ['-x', '0.0', '-0.0'],
    ['+x', '-2', '-2'],
    ['abs(x)', '-25.55555555555555', '25.55555555555555'],
    ['abs(x)', '3', '3'],
    ['abs(x)', '-1e-05', '1e-05'],
  ])('%s of %s is %s', (code, value, expected) => expect(told(code, value)).toBe(expected));

  it.each([
    ['abs(x,2)', '1'],
    ['abs(x)', '[1]'],
    ['-x', '[1]'],
    ['~x', '1'],
    ['-x', "'1'"],
  ])('%s of %s is not told so', (code, value) => expect(told(code, value)).toBeUndefined());
});
