import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { plain } from '../../../../src/dialects/cwm/json-string.js';
import { Vocabulary } from '../../../../src/dialects/cwm/vocabulary.js';
import { cwmTokenizer, cwmTokens } from '../../../support/cwm-tokenizer.js';

const vocabulary = new Vocabulary(cwmTokenizer, cwmTokens);
const written = (tokens: readonly number[]): string =>
  tokens.map((token) => vocabulary.textOf(token)).join('');

describe('a vocabulary', () => {
  it('cuts texts as it was trained to', () => {
    const tokens = vocabulary.encode('{"total": "10"}');
    expect(written(tokens)).toBe('{"total": "10"}');
    expect(tokens.map((token) => vocabulary.textOf(token))).toEqual(['{"', 'total', '":', ' "', '10', '"}']);
    expect(vocabulary.encode('é\n').map((token) => vocabulary.textOf(token))).toEqual(['', '', '']);
  });

  it('reads no delimiter out of a text', () => {
    const { special } = vocabulary;
    const tokens = vocabulary.encode('x = "<|frame_sep|>"');
    expect(tokens).not.toContain(special.frame);
    expect(written(tokens)).toBe('x = "<|frame_sep|>"');
  });

  it('knows what tokens do inside a string', () => {
    const { staying, closing } = vocabulary.inside;
    const has = (text: string) => {
      const [token = -1, ...more] = vocabulary.encode(text);
      expect(more).toEqual([]);
      return (((staying[plain]?.get(plain)?.bits[token >>> 5] ?? 0) >>> (token & 31)) & 1) === 1;
    };
    expect([has('total'), has('\\"'), has('\\'), has('"')]).toEqual([true, true, false, false]);
    const behind = new Map(closing[plain]?.map((one) => [vocabulary.textOf(one.token), one.behind]));
    expect(behind.get('"}')).toBe('}');
    expect(behind.get('\'",')).toBe(',');
    expect(behind.has('\\"')).toBe(false);
  });

  it.each([
    [{ ...cwmTokenizer, model: { type: 'Unigram' } }, cwmTokens, /byte-level BPE/],
    [{ ...cwmTokenizer, added_tokens: cwmTokenizer.added_tokens.slice(3) }, cwmTokens, /frame_sep/],
    [cwmTokenizer, cwmTokens - 3, /trace_context_start/],
  ])('is refused where it cannot write the format (%#)', (file, size, expected) => {
    expect(() => new Vocabulary(file, size)).toThrowError(
      expect.objectContaining({
        code: 'invalid_model',
        details: expect.objectContaining({ expected: expect.stringMatching(expected) }),
      }),
    );
  });

  it('need not have a token that texts begin with', () => {
    const added = cwmTokenizer.added_tokens.slice(1);
    const own = new Vocabulary({ ...cwmTokenizer, added_tokens: added }, cwmTokens);
    expect(own.special).toEqual({ ...vocabulary.special, begin: undefined });
  });

  it('is read from the directory of a model', () => {
    const directory = mkdtempSync(join(tmpdir(), 'foretrace-vocabulary-'));
    expect(() => Vocabulary.read(directory, cwmTokens)).toThrowError(
      expect.objectContaining({ code: 'invalid_model' }),
    );
    writeFileSync(join(directory, 'tokenizer.json'), JSON.stringify(cwmTokenizer));
    expect(Vocabulary.read(directory, cwmTokens).special).toEqual(vocabulary.special);
    rmSync(directory, { recursive: true });
  });
});
