/** Names the code that turns questions into answers, so that answers kept in a file are not given by another build of it. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { addonCandidates } from '../native/load.js';
import { packageVersion } from './version.js';

/** Language, grammar, decoding; and how questions are put. */
const folders = ['../debugger/', '../session/'].map((name) => fileURLToPath(new URL(name, import.meta.url)));

/** Digest of the version, of the code of debugger and session, and of the native engine. */
export function buildDigest(): string {
  const hash = createHash('sha256').update(packageVersion());
  for (const folder of folders) {
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    for (const name of names.filter((one) => /\.[jt]s$/.test(one)).sort())
      hash.update(`\0${name}\0`).update(readFileSync(join(folder, name)));
  }
  const addon = addonCandidates().find((path) => existsSync(path));
  if (addon !== undefined) hash.update(readFileSync(addon));
  return hash.digest('base64url').slice(0, 22);
}
