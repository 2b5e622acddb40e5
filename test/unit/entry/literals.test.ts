import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { interpreter } from '../../../src/cli/python.js';
import { lex } from '../../../src/debugger/language/lexer.js';
import { floatRepr, LiteralReader } from '../../../src/debugger/literals.js';

const read = (text: string): string | null => new LiteralReader(lex(text)).value();
const pythonRoot = fileURLToPath(new URL('../../../python/', import.meta.url));

/** What the tracer shows for the values of these expressions. */
function traced(expressions: readonly string[]): string[] {
  const script = `
import json, sys
from foretrace.trace.values import canonical
print(json.dumps([canonical(eval(text)) for text in json.load(sys.stdin)]))`;
  const { stdout, stderr } = spawnSync(interpreter(), ['-c', script], {
    input: JSON.stringify(expressions),
    encoding: 'utf8',
    env: { ...process.env, PYTHONPATH: pythonRoot, PYTHONIOENCODING: 'utf-8' },
    maxBuffer: 1 << 26,
  });
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout) as string[];
}

const table: readonly (readonly [string, string])[] = [
  ['1', '1'],
  ['-0', '0'],
  ['0x_ff', '255'],
  ['1_000', '1000'],
  ['1.50', '1.5'],
  ['1e16', '1e+16'],
  ['1e15', '1000000000000000.0'],
  ['1e-05', '1e-05'],
  ['0.0001', '0.0001'],
  ['-0.0', '-0.0'],
  ['1e999', 'inf'],
  ['-1e999', '-inf'],
  ['"it\'s"', '"it\'s"'],
  ["b'\\x00a'", "b'\\x00a'"],
  ['(1,)', '(1,)'],
  ['()', '()'],
  ['((1))', '1'],
  ['[1, [2.0, None], (True, False)]', '[1, [2.0, None], (True, False)]'],
  ["{'b', 'a', 'é'}", "{'a', 'b', 'é'}"],
  ['{10, 9, 1}', '{1, 10, 9}'],
  ['{1, 1.0, True}', '{1}'],
  ["{1: 'a', 1.0: 'b', 'k': {}}", "{1: 'b', 'k': {}}"],
  ['{(1, 2), (1.0, 2)}', '{(1, 2)}'],
  ['{0, -0.0, False}', '{0}'],
];

describe('literals', () => {
  it.each(table)('%s is %s', (text, expected) => {
    expect(read(text)).toBe(expected);
  });

  it('of the table are what the tracer shows', () => {
    expect(traced(table.map(([text]) => text))).toEqual(table.map(([, expected]) => expected));
  });

  it.each([
    'x',
    '1j',
    "'a' 'b'",
    "f'{1}'",
    '[x]',
    '{[1]}',
    '{[1]: 2}',
    '-x',
    '(1, x)',
    `${'['.repeat(150)}${']'.repeat(150)}`,
  ])('%s is none', (text) => {
    expect(read(text)).toBeNull();
  });

  const scalar = fc.oneof(
    fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }).map(String),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => {
      const text = Math.abs(value).toString();
      return (value < 0 ? '-' : '') + (/[.e]/.test(text) ? text : `${text}.0`);
    }),
    fc.constantFrom('None', 'True', 'False'),
    fc.string({ unit: 'grapheme-ascii', maxLength: 12 }).map((text) => JSON.stringify(text)),
    fc
      .string({ unit: fc.constantFrom('é', '‘', '中', '\u{1f600}', 'a', "'"), maxLength: 200 })
      .map((text) => `"${text}"`),
  );
  const hashable = fc.oneof(
    scalar,
    fc.array(scalar, { maxLength: 3 }).map((items) => `(${items.map((item) => `${item},`).join('')})`),
  );
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      scalar,
      fc.array(tie('value'), { maxLength: 4 }).map((items) => `[${items.join(', ')}]`),
      fc
        .array(tie('value'), { maxLength: 4 })
        .map((items) => `(${items.map((item) => `${item},`).join(' ')})`),
      fc.array(hashable, { minLength: 1, maxLength: 5 }).map((items) => `{${items.join(', ')}}`),
      fc
        .array(fc.tuple(hashable, tie('value')), { maxLength: 4 })
        .map((pairs) => `{${pairs.map(([key, item]) => `${key}: ${item}`).join(', ')}}`),
    ),
  }));

  it('are what the tracer shows for them', () => {
    const long = fc
      .array(value as fc.Arbitrary<string>, { minLength: 20, maxLength: 40, size: 'max' })
      .map((items) => `[${items.join(', ')}]`);
    const expressions = fc.sample(
      fc.oneof({ arbitrary: value as fc.Arbitrary<string>, weight: 11 }, { arbitrary: long, weight: 1 }),
      { numRuns: 600, seed: 7 },
    );
    const shown = traced(expressions);
    expressions.forEach((expression, index) => {
      expect(read(expression), expression).toBe(shown[index]);
    });
    expect(shown.filter((text) => text.endsWith('…')).length).toBeGreaterThan(10);
  });
});

describe('floatRepr', () => {
  it('reads back as the same number and is what Python writes', () => {
    const numbers = fc.sample(fc.double({ noNaN: true, noDefaultInfinity: true }), {
      numRuns: 1000,
      seed: 11,
    });
    const shown = traced(numbers.map((number) => `float.fromhex('${hex(number)}')`));
    numbers.forEach((number, index) => {
      expect(floatRepr(number)).toBe(shown[index]);
      expect(Object.is(Number(floatRepr(number)), number)).toBe(true);
    });
    expect(floatRepr(Number.NaN)).toBe('nan');
  });
});

/** A float as Python's float.fromhex reads it, exactly. */
function hex(number: number): string {
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, number);
  const high = bits.getUint32(0);
  const exponent = (high >>> 20) & 0x7ff;
  const mantissa =
    (high & 0xfffff).toString(16).padStart(5, '0') + bits.getUint32(4).toString(16).padStart(8, '0');
  const sign = high >>> 31 ? '-' : '';
  return exponent === 0 ? `${sign}0x0.${mantissa}p-1022` : `${sign}0x1.${mantissa}p${exponent - 1023}`;
}
