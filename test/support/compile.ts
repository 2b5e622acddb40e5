/** Compiles the sources to dist/, once before all tests. */
import { spawnSync } from 'node:child_process';
import { root } from './command.js';

export default function compile(): void {
  const { status, stdout, stderr } = spawnSync('npx', ['--no-install', 'tsc', '-p', 'tsconfig.json'], {
    cwd: root,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${stdout}${stderr}`);
}
