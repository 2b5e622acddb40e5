import { describe, expect, it } from 'vitest';
import { buildDigest } from '../../../src/cli/build-digest.js';

describe('the digest of a build', () => {
  it('is the same for the same build', () => {
    expect(buildDigest()).toMatch(/^[\w-]{22}$/);
    expect(buildDigest()).toBe(buildDigest());
  });
});
