/** `npm start` as a process manager has it: who ends npm ends the service. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { firstLine, root } from '../support/command.js';

const folder = mkdtempSync(join(tmpdir(), 'foretrace-npm-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** In the place of a script: says that it is there, and ends when it is told to. */
const standIn = `
process.on('SIGTERM', () => { console.log('told to end'); process.exit(0); });
console.log('up');
setTimeout(() => process.exit(3), 60_000);
`;

it.each(['start', 'test'])('npm %s passes on that it is to end', async (name) => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  mkdirSync(join(folder, 'scripts'), { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'x', version: '1.0.0', scripts }));
  writeFileSync(join(folder, 'scripts', 'setup.mjs'), '');
  writeFileSync(join(folder, 'scripts', `${name}.mjs`), standIn);
  const npm = spawn('npm', ['run', '--silent', name], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  npm.stdout.on('data', (text: Buffer) => {
    said += text;
  });
  await firstLine(npm);
  npm.kill('SIGTERM');
  expect(await once(npm, 'close')).toEqual([0, null]);
  expect(said).toBe('up\ntold to end\n');
});
