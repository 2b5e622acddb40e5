/** Evaluation cases from programs that say how they are called: real runs, one question a step. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { ForetraceError } from '../../errors.js';
import { type EvaluationCase, readCases } from '../../eval/cases.js';
import { readText, writeFile } from '../../eval/files.js';

/** The line that names the entry call of an example. */
const callLine = /^# Debug: (.+)$/m;

/** Runs a command of the Python side and gives what it prints. */
export type PythonOutput = (args: readonly string[]) => string;

/** The cases of every Python file of a folder with such a line. @throws ForetraceError unreadable_file */
export async function exampleCases(
  folder: string,
  python: string,
  output: PythonOutput,
): Promise<readonly EvaluationCase[]> {
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.py'))
    .sort();
  const lines = files.flatMap((name) => caseLine(join(folder, name), output) ?? []);
  if (lines.length === 0) {
    throw new ForetraceError('unreadable_file', `${folder} holds no programs`, {
      expected: 'Python files with a line `# Debug: CALL`',
      actual: files.join(', ') || 'no Python files',
    });
  }
  const scratch = mkdtempSync(join(tmpdir(), 'foretrace-cases-'));
  try {
    const file = join(scratch, 'cases.jsonl');
    writeFile(file, `${lines.join('\n')}\n`);
    return (await readCases(file, python)).cases;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** One case: its run, step by step. */
function caseLine(file: string, output: PythonOutput): string | null {
  const source = readText(file, 'a Python program');
  const call = callLine.exec(source)?.[1]?.trim();
  if (call === undefined) return null;
  const states = output(['trace', file, '--call', call, '--json'])
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { depth?: number });
  for (const state of states) delete state.depth;
  const actions = states.slice(1).map(() => ({ action: 'step_into' }));
  return JSON.stringify({ id: basename(file), source, call, actions, states });
}
