// Brings a fresh clone to a state that can serve: npm packages, native addon, compiled TypeScript. Does only what is missing.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { requireTools, run } from './tools.mjs';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
requireTools();

function installPackages() {
  const digest = createHash('sha256').update(readFileSync('package-lock.json')).digest('hex');
  const stamp = join('node_modules', '.foretrace-lock');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === digest) return;
  run('installing npm packages', 'npm', ['ci', '--no-audit', '--no-fund']);
  writeFileSync(stamp, digest);
}

installPackages();
run('building the native engine', 'npx', [
  '--no-install',
  'cmake-js',
  'compile',
  '--log-level',
  'warn',
  '--parallel',
  '2',
]);
run('compiling TypeScript', 'npx', ['--no-install', 'tsc', '-p', 'tsconfig.json']);
