/** Whether a condition holds where a frame is, worked out before the step is asked. */
import { lineParts } from '../debugger/language/line-parts.js';
import { resultsOf } from '../debugger/language/results.js';
import { charToken, wordToken } from '../debugger/language/tokens.js';
import { wholeWorkings } from '../debugger/language/workings.js';
import type { Running } from '../debugger/running.js';
import { unasked } from './cost.js';
import type { AskedStep, Settled } from './settle.js';
import type { ModelAccess } from './submit-question.js';
import { workOut } from './work-out.js';

/** What a condition comes to, if that is known. */
export interface Whether extends Pick<Settled, 'logProbability' | 'cost'> {
  readonly holds?: boolean | undefined;
}

const [ifWord, colon] = [wordToken('if') as number, charToken(':')];

/**
 * Asks for the condition of these code tokens, as the head of an `if` has one.
 * @throws ForetraceError as workOut
 */
export async function whetherHolds(
  access: ModelAccess,
  step: AskedStep,
  running: Running,
  condition: readonly number[],
): Promise<Whether> {
  const { program } = step;
  const workings = wholeWorkings(program, running.frame, [ifWord, ...condition, colon]);
  if (workings === undefined) return unasked;
  const worked = await workOut(access, step, workings);
  const parts = lineParts(worked.code);
  const isStale = running.scope.flow?.cleansUp !== false;
  return { ...worked, holds: parts && resultsOf(program, running, worked.code, parts, isStale).holds };
}
