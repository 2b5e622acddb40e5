/** The command line as a child process. */
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { interpreter } from '../../src/cli/python.js';

export const root = fileURLToPath(new URL('../../', import.meta.url));
export const tinyModel = fileURLToPath(new URL('../golden/model-tiny/', import.meta.url));

export interface Outcome {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export const start = (...args: string[]): ChildProcess => startWith({}, ...args);

/** As `start`, with variables of its own in the environment. */
export function startWith(variables: Readonly<Record<string, string>>, ...args: string[]): ChildProcess {
  return spawn(process.execPath, [`${root}bin/foretrace.js`, ...args], {
    cwd: root,
    env: { ...process.env, ...variables },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}

const inTerminal = 'import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))';

/** As `start`, but the process finds a terminal: what is written to it are keys. */
export function startInTerminal(...args: string[]): ChildProcess {
  const program = [process.execPath, `${root}bin/foretrace.js`, ...args];
  return spawn(interpreter(), ['-c', inTerminal, ...program], {
    cwd: root,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
}

/** Resolves when the process has ended, with all it wrote. `input`: all it reads; null: somebody else writes it. */
export function outcome(child: ChildProcess, input: string | null = ''): Promise<Outcome> {
  let out = '';
  let err = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  if (input !== null) child.stdin?.end(input);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, out, err }));
  });
}

/** Standard output as one JSON object a line. */
export const jsonLines = ({ out }: Outcome): Record<string, unknown>[] =>
  out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

export const command = (...args: string[]): Promise<Outcome> => outcome(start(...args));

/** The first line of standard output. */
export function firstLine(child: ChildProcess): Promise<string> {
  let text = '';
  return new Promise((resolve, reject) => {
    child.stdout?.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
      const end = text.indexOf('\n');
      if (end >= 0) resolve(text.slice(0, end));
    });
    child.once('close', (code) => reject(new Error(`ended with ${code} before it wrote a line`)));
  });
}
