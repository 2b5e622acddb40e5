/** What comes in place of waiting for the model where nothing is asked of it: others have their turn, and what nobody wants any more ends. */
import { ForetraceError } from '../errors.js';
import type { AskOptions } from './submit-question.js';

/** Milliseconds of work without a question after which timers and sockets get a turn. */
const mostMillisWithoutTurn = 4;
let lastTurn = 0;

/** @throws ForetraceError cancelled, deadline_exceeded */
export async function takeTurn({ signal, deadline }: Pick<AskOptions, 'signal' | 'deadline'>): Promise<void> {
  if (performance.now() - lastTurn >= mostMillisWithoutTurn) {
    await new Promise<void>((resolve) => setImmediate(resolve));
    lastTurn = performance.now();
  }
  if (signal?.aborted) throw new ForetraceError('cancelled', 'The request was cancelled');
  if (deadline !== undefined && deadline <= performance.now())
    throw new ForetraceError(
      'deadline_exceeded',
      'The answer did not come within the time the request allows',
    );
}
