import { describe, expect, it } from 'vitest';
import { apiKeysOf } from '../../../src/cli/api-keys.js';

describe('API keys', () => {
  it('come from flags and environment, without the spaces around them', () => {
    expect(apiKeysOf()).toEqual([]);
    expect(apiKeysOf(['alpha', ' beta'])).toEqual(['alpha', 'beta']);
    expect(apiKeysOf(['alpha'], 'gamma, delta\n')).toEqual(['alpha', 'gamma', 'delta']);
  });

  it('may begin with a dash in the environment alone: a flag was meant to be an option there', () => {
    expect(apiKeysOf([], '-alpha')).toEqual(['-alpha']);
    for (const flags of [
      ['--host', '0.0.0.0'],
      ['alpha', ' -beta'],
    ])
      expect(() => apiKeysOf(flags)).toThrow(expect.objectContaining({ code: 'invalid_argument' }));
  });

  it.each<[string[] | undefined, string | undefined]>([
    [undefined, ''],
    [undefined, ','],
    [undefined, 'alpha,'],
    [undefined, ' , alpha'],
    [['alpha'], ''],
    [[''], undefined],
    [[' '], 'alpha'],
  ])('that are empty open no service to everybody: %j, %j', (flags, listed) => {
    expect(() => apiKeysOf(flags, listed)).toThrow(expect.objectContaining({ code: 'invalid_argument' }));
  });
});
