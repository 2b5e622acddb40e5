/** The commands of docs/evaluation.md do what is written there, one after the other, from a clean folder; with less to do, and a tiny model. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { root } from '../support/command.js';
import { engine } from '../support/debugged-program.js';

const folder = mkdtempSync(join(tmpdir(), 'foretrace-docs-'));
for (const name of ['python', 'examples']) symlinkSync(join(root, name), join(folder, name));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const commands = readFileSync(join(root, 'docs/evaluation.md'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('    '))
  .map((line) => line.replace(/ +#.*/, '').trim());

/** The same with few programs, the command line of this folder and a tiny model. */
const smaller = (command: string): string =>
  command
    .replace(/--(programs|count) \d+/, '--$1 2')
    .replace(/^npx foretrace eval .*/, (evaluation) => `${evaluation} '${engine.join("' '")}'`)
    .replace(/^npx foretrace/, `'${process.execPath}' '${root}bin/foretrace.js'`);

describe('docs/evaluation.md', () => {
  it('shows how files are made and how they are measured', () => {
    expect(commands.filter((command) => command.startsWith('PYTHONPATH=python python3 '))).toHaveLength(3);
    expect(commands.filter((command) => command.startsWith('npx foretrace '))).toHaveLength(7);
  });

  it.each(commands)('%s', (command) => {
    const { status, stderr } = spawnSync('sh', ['-c', smaller(command)], { cwd: folder, encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
  });
});
