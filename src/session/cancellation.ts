import { setMaxListeners } from 'node:events';

/** Why what is left over is stopped. Nobody reads it; without a reason each `abort` makes an exception with a stack. */
const over = 'over';

/** Runs questions that belong together: when one fails the others are stopped, and the first error is thrown. */
export async function withCancellation<Result>(
  outer: AbortSignal | undefined,
  run: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  // Each of its questions listens.
  setMaxListeners(0, controller.signal);
  const follow = (): void => controller.abort(over);
  if (outer?.aborted) follow();
  outer?.addEventListener('abort', follow, { once: true });
  try {
    return await run(controller.signal);
  } finally {
    outer?.removeEventListener('abort', follow);
    controller.abort(over);
  }
}
