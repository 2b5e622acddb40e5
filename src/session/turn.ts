/** What comes in place of waiting for the model where nothing is asked of it: others have their turn, and what nobody wants any more ends. */
import { Turns } from '../scheduler/turns.js';
import { cancelled, tooLate } from '../scheduler/unwanted.js';
import type { AskOptions } from './submit-question.js';

/** There is one event loop, whoever works on it. */
const turns = new Turns();

/** @throws ForetraceError cancelled, deadline_exceeded */
export async function takeTurn({ signal, deadline }: Pick<AskOptions, 'signal' | 'deadline'>): Promise<void> {
  await turns.take(performance.now());
  if (signal?.aborted) throw cancelled();
  if (deadline !== undefined && deadline <= performance.now()) throw tooLate();
}
