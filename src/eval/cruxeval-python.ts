/** Runs a command of the Python package: lines in, lines out. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const packageRoot = fileURLToPath(new URL('../../python/', import.meta.url));
/** Characters kept of what the Python side complains about. */
const maxComplaint = 2000;

export interface PythonOutcome {
  readonly code: number;
  readonly lines: readonly string[];
  /** The end of standard error. */
  readonly complaint: string;
}

/**
 * Runs `python -m foretrace ARGS` with `input` as its standard input. The exit code is the caller's to judge; a program that cannot be
 * started rejects with Node's error.
 */
export async function runForetracePython(
  python: string,
  args: readonly string[],
  input = '',
  onLine?: (line: string) => void,
): Promise<PythonOutcome> {
  const child = spawn(python, ['-m', 'foretrace', ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, PYTHONPATH: packageRoot, PYTHONHASHSEED: '0', PYTHONIOENCODING: 'utf-8' },
  });
  let complaint = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint = (complaint + text).slice(-maxComplaint);
  });
  const exit = new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
  // A child that ended before it read everything says so by its exit code.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const lines: string[] = [];
  const reading = (async () => {
    for await (const line of createInterface({ input: child.stdout })) {
      lines.push(line);
      onLine?.(line);
    }
  })();
  const [code] = await Promise.all([exit, reading]);
  return { code, lines, complaint };
}
