import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { closed, jsonText, nextPhase, plain, refused } from '../../../../src/dialects/cwm/json-string.js';

/** The phase behind a text that begins a string. */
const behind = (text: string): number =>
  [...text].reduce((phase, character) => (phase < 0 ? refused : nextPhase(phase, character)), plain);

const wellFormed = fc.string({ unit: 'binary' }).filter((text) => !/\p{Cs}/u.test(text));

describe('the inside of a JSON string', () => {
  it('is what Python writes of any text, in ASCII', () => {
    fc.assert(
      fc.property(wellFormed, (text) => {
        const written = jsonText(text);
        expect(written).toMatch(/^[ -~]*$/);
        expect(behind(written)).toBe(plain);
        expect(behind(`${written}"`)).toBe(closed);
        expect(JSON.parse(`"${written}"`)).toBe(text);
      }),
    );
    expect(jsonText('é"\\\n\u{1f600}\u007f')).toBe('\\u00e9\\"\\\\\\n\\ud83d\\ude00\\u007f');
  });

  it('that ends is JSON, with no half of a character', () => {
    const pieces = fc.constantFrom(
      '\\',
      'u',
      'd',
      'D',
      '8',
      'c',
      '0',
      'a',
      'n',
      '/',
      'x',
      '\\u',
      'd83d',
      'de00',
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
        const text = parts.join('');
        if (behind(text) !== plain) return;
        expect(JSON.parse(`"${text}"`)).not.toMatch(/\p{Cs}/u);
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    '\n',
    '\u007f',
    'é',
    '\\x',
    '\\u12g',
    '\\ud83d',
    '\\ud83dx',
    '\\ud83d\\u0041',
    '\\ude00',
  ])('is not %j', (text) => {
    expect(behind(text)).not.toBe(plain);
    expect(behind(`${text}"`)).not.toBe(closed);
  });
});
