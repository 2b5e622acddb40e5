import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readSource } from '../../../src/cli/source-file.js';

const folder = mkdtempSync(join(tmpdir(), 'foretrace-source-'));
const fileOf = (name: string, content: string | Uint8Array): string => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};

describe('the source of a program', () => {
  it('is read as UTF-8, with or without its mark', () => {
    expect(readSource(fileOf('plain.py', 'x = "é"\n'))).toBe('x = "é"\n');
    expect(readSource(fileOf('marked.py', '\ufeffx = 1\n'))).toBe('x = 1\n');
  });

  it.each([
    ['what is not there', join(folder, 'missing.py')],
    ['a folder', folder],
    // Reading it would never end.
    ['a device', '/dev/zero'],
    ['another encoding', fileOf('latin.py', Uint8Array.of(0xe9))],
    ['far too much', fileOf('large.py', new Uint8Array(17 * 1024 * 1024))],
  ])('is not %s', (_what, path) => {
    expect(() => readSource(path)).toThrowError(expect.objectContaining({ code: 'unreadable_file' }));
  });
});
