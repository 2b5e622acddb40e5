import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DeltaDecoder } from '../../../src/debugger/language/decode.js';
import { isSequence } from '../../../src/debugger/language/displays.js';
import {
  isByteToken,
  isCharToken,
  isWordToken,
  special,
  vocabularySize,
} from '../../../src/debugger/language/tokens.js';
import { decodeValue, encodeValue } from '../../../src/debugger/language/values.js';
import { parseProgram } from '../../../src/debugger/program.js';
import { ForetraceError } from '../../../src/errors.js';
import { goldenPrograms, goldenTransitions, stateOf } from './golden.js';

const program = parseProgram('def f(alpha, count):\n    return alpha\n', 'f(1, 2)');
const piece = fc.oneof(
  fc.constantFrom(
    ...[
      ', ',
      ': ',
      ',',
      ':',
      "'",
      '"',
      '\\',
      'b',
      "b'",
      'alpha',
      'count',
      'len',
      '…',
      '(',
      ')',
      ' ',
      '1e5',
      '\n',
      'é',
      '😀',
      '\0',
    ],
  ),
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'binary' }),
);
const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
const wellFormed = (value: string): string =>
  Array.from(value, (char) => (/^[\ud800-\udfff]$/.test(char) ? '\ufffd' : char)).join('');

describe('values', () => {
  it('come back from any text, lone surrogates as U+FFFD', () => {
    fc.assert(
      fc.property(text, (value) => {
        expect(decodeValue(program, encodeValue(program, value))).toBe(wellFormed(value));
      }),
      {
        numRuns: 3000,
      },
    );
  });

  it('use only tokens of values', () => {
    const allowed = (token: number): boolean =>
      isCharToken(token) ||
      isByteToken(token) ||
      isWordToken(token) ||
      program.slotNames[token - (program.slots.get('f') ?? 0)] !== undefined ||
      [special.ref, special.raw, special.cut, special.bytes].includes(token as never);
    fc.assert(fc.property(text, (value) => encodeValue(program, value).every(allowed)));
  });

  it('are refused, not thrown, whatever the tokens', () => {
    const tokens = fc.array(fc.integer({ min: -2, max: vocabularySize + 1 }), { maxLength: 20 });
    let good = 0;
    fc.assert(
      fc.property(tokens, (list) => {
        const decoded = decodeValue(program, list);
        if (typeof decoded === 'string') good += 1;
        else expect(decoded.position).toBeLessThanOrEqual(list.length);
      }),
      { numRuns: 2000 },
    );
    expect(good).toBeGreaterThan(0);
  });
});

describe('deltas', () => {
  const golden = goldenTransitions().find(({ cases }) => cases.length > 3) as ReturnType<
    typeof goldenTransitions
  >[number];
  const world = parseProgram(golden.source, golden.call);

  it('decode to a value or a problem, whatever the tokens', () => {
    const mutated = fc.record({
      item: fc.nat(),
      at: fc.nat(),
      token: fc.integer({ min: -1, max: vocabularySize }),
      cut: fc.boolean(),
    });
    let problems = 0;
    fc.assert(
      fc.property(mutated, ({ item, at, token, cut }) => {
        const { stack, delta } = golden.cases[item % golden.cases.length] as (typeof golden.cases)[number];
        const tokens = [...delta];
        tokens[at % tokens.length] = token;
        if (cut) tokens.length = (at % tokens.length) + 1;
        const decoder = new DeltaDecoder(world, stateOf(stack));
        for (const each of tokens) decoder.push(each, -1);
        if ('code' in decoder.finish()) problems += 1;
      }),
      { numRuns: 2000 },
    );
    expect(problems).toBeGreaterThan(500);
  });

  it('give the probability of a field as the product over its tokens', () => {
    const { stack, delta } = golden.cases.find(
      ({ next }) => next.at(-1)?.event === 'return',
    ) as (typeof golden.cases)[number];
    const decoder = new DeltaDecoder(world, stateOf(stack));
    const parts = delta.flatMap((token) => decoder.push(token, -0.5));
    const decoded = decoder.finish();
    if ('code' in decoded) return expect.fail(decoded.message);
    expect(decoded.probability.line).toBeCloseTo(Math.exp(-0.5), 12);
    const valueTokens = delta.length - 1 - delta.indexOf(special.value);
    expect(decoded.probability.value).toBeCloseTo(Math.exp(-0.5 * valueTokens), 12);
    expect(parts.at(-1)).toEqual({ kind: 'end' });
    return undefined;
  });
});

describe('program text', () => {
  const sources = goldenPrograms().map(({ source }) => source);
  it('parses or is refused with a code, whatever it is', () => {
    const edit = fc.record({
      source: fc.nat(),
      at: fc.nat(),
      remove: fc.nat(4),
      insert: fc.oneof(
        fc.string({ maxLength: 4 }),
        fc.constantFrom('(', ':', '\n', '\n  ', '"', "f'{", '{', '@', ':=', '*', 'match x:', 'yield', '\\'),
      ),
    });
    let refused = 0;
    fc.assert(
      fc.property(
        edit,
        fc.string({ unit: 'binary', maxLength: 12 }),
        ({ source, at, remove, insert }, call) => {
          const text = sources[source % sources.length] as string;
          const place = at % (text.length + 1);
          const broken = text.slice(0, place) + insert + text.slice(place + remove);
          for (const [code, entry] of [
            [broken, 'f(1)'],
            [text, call],
          ] as const) {
            try {
              parseProgram(code, entry);
            } catch (error) {
              if (!(error instanceof ForetraceError)) throw error;
              refused += 1;
              if (error.code === 'invalid_python') expect(error.details.line).toBeGreaterThan(0);
            }
          }
        },
      ),
      { numRuns: 400 },
    );
    expect(refused).toBeGreaterThan(100);
  });

  it.each([
    '',
    'f',
    'f(1), 2',
    'x = f(1)',
    'f(1)\ng(2)',
    'f(1) + 1',
    'lambda: f()',
    'f(',
    'f(1);',
    '[f(1)]',
    'await f()',
  ])('refuses the entry %j', (call) => {
    expect(() => parseProgram('def f(x): return x', call)).toThrow(
      expect.objectContaining({ code: 'invalid_entry' }) as Error,
    );
  });
});

it.each([
  ['(2+0j)', false],
  ['(1, 2)', true],
  ['(1j, 2j)', true],
  ['()', true],
  ['[1j]', true],
])('%s is a list or a tuple: %s', (text, expected) => {
  expect(isSequence(encodeValue(parseProgram('def f(j):\n    return j\n', 'f(1)'), text))).toBe(expected);
});
