/** The line of a step as it is read before its parts are worked out: with what calls, functions of mathematics and f-strings come to in their place. */
import { goingOn } from '../debugger/language/here.js';
import { readAs, servedAs } from '../debugger/language/read-as.js';
import { runningFrame } from '../debugger/running.js';
import { tokensOnLine } from '../debugger/whole-statement.js';
import { Asking } from './asking.js';
import { type Paid, sumOfPaid, unasked } from './cost.js';
import type { AskedStep } from './settled.js';
import type { ModelAccess } from './submit-question.js';
import { withMathematics } from './worked-mathematics.js';
import { withTexts } from './worked-texts.js';

/**
 * undefined where a line is read as it is written.
 * @throws ForetraceError as workOut
 */
export async function workedLine(
  access: ModelAccess,
  step: AskedStep,
): Promise<(Paid & { readonly code: readonly number[] }) | undefined> {
  const { program, state, action } = step;
  const isSingle = action.kind === 'step_into' || action.kind === 'step_over';
  const frame = state && isSingle ? goingOn(state) : undefined;
  const running = state && frame ? runningFrame(program, state) : undefined;
  if (!state || !frame || !running || program.reboundNames.size > 0) return undefined;
  const isOld = state.event === 'return';
  const written = readAs(program, frame, tokensOnLine(program, frame, running));
  const begins = (known: typeof running): Asking => new Asking(access, step, known);
  let code = servedAs(program, frame, tokensOnLine(program, frame, running));
  let paid: Paid = unasked;
  const reckoned = await withMathematics(begins, program, running, code, isOld);
  if (reckoned) [code, paid] = [reckoned.code, reckoned];
  const spelled = isOld ? undefined : await withTexts(begins, program, running, code);
  if (spelled) [code, paid] = [spelled.code, sumOfPaid(paid, spelled)];
  return code.join() === written.join() ? undefined : { ...paid, code };
}
