/** Roots, divisors, powers and rounding as on paper: with an exact reckoner they come to what Python comes to. */
import { describe, expect, it } from 'vitest';
import { encodeExpression } from '../../../src/debugger/language/expression.js';
import { expressionParts } from '../../../src/debugger/language/expression-parts.js';
import { mathCalls, type Operation } from '../../../src/debugger/language/mathematics.js';
import { reckoned } from '../../../src/debugger/language/reckoning.js';
import {
  charOf,
  isCharToken,
  operatorToken,
  textTokens,
  wordOf,
} from '../../../src/debugger/language/tokens.js';
import { parseProgram } from '../../../src/debugger/program.js';

const operators = new Map(['**', '//'].map((text) => [operatorToken(text), text]));
const written = (tokens: readonly number[]): string =>
  tokens
    .map((token) => operators.get(token) ?? (isCharToken(token) ? charOf(token) : wordOf(token)))
    .join('');

/** What Python makes of an operation on two integers. */
function exactly(code: readonly number[]): number[] {
  const [, left = '', sign = '', right = ''] =
    /^\(?(-?\d+)\)?(\*\*|\/\/|[-+*%])(-?\d+)$/.exec(written(code)) ?? [];
  const [a, b] = [BigInt(left), BigInt(right)];
  const floor = (): bigint => (a - (((a % b) + b) % b)) / b;
  const results: Record<string, () => bigint> = {
    '+': () => a + b,
    '-': () => a - b,
    '*': () => a * b,
    '%': () => ((a % b) + b) % b,
    '//': floor,
    '**': () => a ** b,
  };
  const result = results[sign];
  if (result === undefined) throw new Error(`nothing that is reckoned: ${written(code)}`);
  return textTokens(String(result()));
}

async function come(operation: Operation, ...given: string[]): Promise<string | undefined> {
  const found = await reckoned(operation, given.map(textTokens), async (code) => exactly(code));
  return found && written(found);
}

describe('what is reckoned as on paper', () => {
  it('finds roots of floats, and of integers that are no squares', async () => {
    for (const number of [
      2, 3, 13, 249, 5000, 123_457, 123_456_789_012, 0.5, 2.25, 0.1, 7.3, 1234.5678, 0.000123,
    ]) {
      const root = Math.sqrt(number);
      const shown = Number.isInteger(root) ? `${root}.0` : `${root}`;
      expect(await come('root', `${number}`)).toBe(shown);
    }
    for (const other of ['-2.5', '1e-05', '0.0', '-0.0']) expect(await come('root', other)).toBeUndefined();
  });

  it.each<[Operation, string, string]>([
    ['product', '0.1', '0.7'],
    ['product', '3.141592653589793', '3.141592653589793'],
    ['product', '-12.345', '9.87654321'],
    ['quotient', '-12.4', '17.401149387324963'],
    ['quotient', '180', '3.141592653589793'],
    ['quotient', '199792458', '299792458'],
  ])('finds the %s of %s and %s', async (operation, left, right) => {
    const [a, b] = [Number(left), Number(right)];
    expect(await come(operation, left, right)).toBe(String(operation === 'product' ? a * b : a / b));
  });

  it('squares floats', async () => {
    for (const number of ['-2.0', '0.1', '3.141592653589793']) {
      const square = Number(number) ** 2;
      const shown = Number.isInteger(square) ? `${square}.0` : `${square}`;
      expect(await come('square', number)).toBe(shown);
      expect(await come('power', number, '2')).toBe(shown);
    }
    expect(await come('square', '3')).toBeUndefined();
    expect(await come('power', '0.1', '3')).toBeUndefined();
    expect(await come('power', '0.1', '2', '5')).toBeUndefined();
  });

  it('leaves products and quotients of few questions to workings', async () => {
    expect(await come('product', '0.1', '3')).toBeUndefined();
    expect(await come('quotient', '45', '46')).toBeUndefined();
    expect(await come('quotient', '45', '0')).toBeUndefined();
  });

  it.each([
    ['2.675', '2', '2.67'],
    ['0.125', '2', '0.12'],
    ['0.375', '2', '0.38'],
    ['-0.001', '2', '-0.0'],
    ['1234.56789', '0', '1235.0'],
    ['0.3937296054222834', '15', '0.393729605422283'],
    ['17.5', '3', '17.5'],
    ['99.996', '2', '100.0'],
  ])('rounds %s to %s places', async (value, places, expected) =>
    expect(await come('nearest', value, places)).toBe(expected));

  it.each([
    ['0.00012', '5'],
    ['7', '2'],
    ['1.5', '-1'],
    ['1e-05', '3'],
  ])('leaves %s to %s places', async (value, places) => {
    const found = await come('nearest', value, places);
    expect(found === undefined || found === value).toBe(true);
  });

  it('finds roots', async () => {
    for (const number of [...Array(130).keys(), 9_999, 10_000, 123_456, 999_999, 1_002_001, 2_147_483_647]) {
      const root = Math.floor(Math.sqrt(number));
      const isSquare = root * root === number;
      expect(await come('floor root', `${number}`)).toBe(`${root}`);
      expect(await come('ceiling root', `${number}`)).toBe(`${isSquare ? root : root + 1}`);
      expect(await come('nearest root', `${number}`)).toBe(`${Math.round(Math.sqrt(number))}`);
      expect(await come('is square', `${number}`)).toBe(isSquare ? 'True' : 'False');
      expect(await come('root', `${number}`)).toBe(isSquare ? `${root}.0` : `${Math.sqrt(number)}`);
    }
    expect(await come('floor root', '-4')).toBeUndefined();
    expect(await come('floor root', '2.5')).toBeUndefined();
  });

  it.each<[Operation, string[], string | undefined]>([
    ['gcd', ['84', '-36'], '12'],
    ['gcd', ['0', '7'], '7'],
    ['lcm', ['4', '6'], '12'],
    ['lcm', ['0', '6'], '0'],
    ['factorial', ['0'], '1'],
    ['factorial', ['12'], '479001600'],
    ['factorial', ['-1'], undefined],
    ['power', ['-3', '3'], '-27'],
    ['power', ['2', '-1'], undefined],
    ['power', ['3', '200', '1000000007'], '136318165'],
    ['power', ['-2', '3', '7'], '6'],
    ['power', ['5', '0', '1'], '0'],
    ['power', ['5', '3', '0'], undefined],
    ['bit length', ['0'], '0'],
    ['bit length', ['-255'], '8'],
    ['binary', ['-6'], "'-0b110'"],
    ['binary', ['0'], "'0b0'"],
  ])('%s of %j is %s', async (operation, given, value) => {
    expect(await come(operation, ...given)).toBe(value);
  });

  it.each([
    ['2.5', '2', '3', '2'],
    ['3.5', '3', '4', '4'],
    ['2.51', '2', '3', '3'],
    ['-2.5', '-3', '-2', '-2'],
    ['-0.3', '-1', '0', '0'],
    ['-3.0', '-3', '-3', '-3'],
    ['7', '7', '7', '7'],
    ['1.777777777777777', '1', '2', '2'],
  ])('the integers around %s are %s, %s and %s', async (number, floor, ceiling, nearest) => {
    expect(await come('floor', number)).toBe(floor);
    expect(await come('ceiling', number)).toBe(ceiling);
    expect(await come('nearest', number)).toBe(nearest);
  });

  it('does not read what is no number', async () => {
    expect(await come('floor', '1e-05')).toBeUndefined();
    expect(await come('nearest', "'a.b'")).toBeUndefined();
    expect(await come('gcd', '2.0', '4')).toBeUndefined();
    expect(await come('gcd', `1${'0'.repeat(20)}`, '4')).toBeUndefined();
  });
});

describe('the calls of a line that are reckoned', () => {
  const program = parseProgram(
    'import math\nfrom math import sqrt, gcd as g\ndef f(n, round):\n    return n\n',
    'f(9, 1)',
  );
  const calls = (text: string, hasFloats = false): string[] => {
    const { tokens } = encodeExpression(program, text);
    const part = expressionParts(tokens);
    return mathCalls(program, tokens, part ? [part] : [], () => hasFloats).map(({ operation }) => operation);
  };

  it.each([
    ['int(sqrt(n)) + 1', ['floor root']],
    ['int(n ** 0.5)', ['floor root']],
    ['n ** 0.5', ['root']],
    ['math.ceil(math.sqrt(n))', ['ceiling root']],
    ['sqrt(n).is_integer()', ['is square']],
    ['math.gcd(n, pow(n, 2, 7))', ['power', 'gcd']],
    ['n.bit_length()', ['bit length']],
    // A name of the program, another module, a name that is bound inside, something else given.
    ['round(n)', []],
    ['g(n, 2)', []],
    ['[sqrt(f) for f in n]', []],
    ['pow(n, exp=2)', []],
    ['n ** 0.25', []],
  ])('%s: %j', (text, found) => {
    expect(calls(text)).toEqual(found);
  });

  it('are products, quotients and squares where there are floats', () => {
    expect(calls('n * 2 / n')).toEqual([]);
    expect(calls('n * 2 / n', true)).toEqual(['product', 'quotient']);
    expect(calls('n ** 2 + n ** 3', true)).toEqual(['square']);
  });
});
