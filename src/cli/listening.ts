/** What commands that take clients share: an address that cannot be used, and the signal to end. */
import { ForetraceError } from '../errors.js';

export const unusableAddress = (host: string, port: number, cause: unknown): ForetraceError =>
  new ForetraceError(
    'unusable_address',
    `cannot listen on ${host}:${port}`,
    {
      expected: 'a free port and an address of this machine',
      actual: cause instanceof Error ? cause.message : String(cause),
    },
    { cause },
  );

/** A terminal and a package manager around this process may both pass on one Ctrl-C. */
const sameKeyPressMillis = 500;

/** Resolves at the first SIGTERM or SIGINT; a later one ends the process at once. */
export function stopSignal(): Promise<void> {
  let first: number | undefined;
  return new Promise((resolve) => {
    const stop = (): void => {
      first ??= performance.now();
      if (performance.now() - first > sameKeyPressMillis) process.exit(1);
      resolve();
    };
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, stop);
  });
}
