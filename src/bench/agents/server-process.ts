/** The service under test, as a process of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { ForetraceError } from '../../errors.js';

export interface ServerProcess {
  /** For example `http://127.0.0.1:41231`. */
  readonly base: string;
  /** What the service said about itself when it began to listen. */
  readonly facts: Readonly<Record<string, unknown>>;
  stop(): Promise<void>;
}

/**
 * Starts `foretrace serve` on a free port of the loopback interface and waits until it listens.
 * @param args options of `serve` beside address and output
 * @throws ForetraceError disconnected, when it ends before; its own message is on standard error
 */
export async function startServer(script: string, args: readonly string[]): Promise<ServerProcess> {
  const child = spawn(
    process.execPath,
    [script, 'serve', '--host', '127.0.0.1', '--port', '0', '--json', ...args],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  // Whatever ends this process must not leave the service behind.
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  const facts = await firstFacts(child);
  const stop = async (): Promise<void> => {
    const ended = once(child, 'exit');
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM');
      await ended;
    }
    process.removeListener('exit', kill);
  };
  return { base: String(facts.address), facts, stop };
}

async function firstFacts(child: ChildProcess): Promise<Record<string, unknown>> {
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  const first = once(lines, 'line').then(([line]) => JSON.parse(String(line)) as Record<string, unknown>);
  const ended = once(child, 'exit').then(([code]) => {
    throw new ForetraceError('disconnected', 'the service did not start', {
      expected: 'a line with its address',
      actual: `it ended with ${code}`,
    });
  });
  try {
    return await Promise.race([first, ended]);
  } finally {
    ended.catch(() => undefined);
  }
}
