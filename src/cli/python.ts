/** Runs the Python side (tracer, corpus tools) as a child process. */
import { execFileSync, type SpawnOptions, spawn, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { ForetraceError } from '../errors.js';

const packageRoot = fileURLToPath(new URL('../../python/', import.meta.url));

const interpreterVariable = 'FORETRACE_PYTHON';

const canTrace = (name: string): boolean =>
  spawnSync(name, ['-c', 'import sys; sys.exit(sys.version_info < (3, 10))']).status === 0;

/** A Python that can trace: the one of the variable where that is set, and no other then. @throws ForetraceError missing_tool */
export function interpreter(): string {
  const named = process.env[interpreterVariable];
  const candidates = named ? [named] : ['python3', 'python'];
  const found = candidates.find(canTrace);
  if (found) return found;
  const message = named ? `what ${interpreterVariable} names is no Python for this` : 'no Python was found';
  throw new ForetraceError('missing_tool', message, {
    expected: `Python 3.10 or newer as python3 or in ${interpreterVariable} (Debian: apt-get install python3)`,
    actual: candidates.join(', '),
  });
}

/** Runs `python -m foretrace ARGS`; resolves to its exit code. Output goes where `stdio` says. */
export function runPython(
  args: readonly string[],
  stdio: SpawnOptions['stdio'] = 'inherit',
): Promise<number> {
  const child = spawn(interpreter(), ['-m', 'foretrace', ...args], {
    stdio,
    env: { ...process.env, PYTHONPATH: packageRoot },
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
}

/** What `python -m foretrace ARGS` prints; throws if it fails. */
export const pythonOutput = (args: readonly string[]): string =>
  execFileSync(interpreter(), ['-m', 'foretrace', ...args], {
    encoding: 'utf8',
    maxBuffer: 1 << 26,
    env: { ...process.env, PYTHONPATH: packageRoot, PYTHONHASHSEED: '0', PYTHONIOENCODING: 'utf-8' },
  });
