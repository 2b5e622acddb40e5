/** The line of a step as it is read before its parts are worked out: with what calls, functions of mathematics and f-strings come to in their place. */
import { goingOn } from '../debugger/language/here.js';
import { readAs, withMoreTold } from '../debugger/language/read-as.js';
import type { Program } from '../debugger/program.js';
import { type Running, runningFrame } from '../debugger/running.js';
import { tokensOnLine } from '../debugger/whole-statement.js';
import { Asking } from './asking.js';
import { type Paid, sumOfPaid, unasked } from './cost.js';
import type { AskedStep } from './settled.js';
import type { ModelAccess } from './submit-question.js';
import { withMathematics } from './worked-mathematics.js';
import { mayHaveTexts, withTexts } from './worked-texts.js';

/** Code tokens of a line, and what it took to read them. */
type Read = Paid & { readonly code: readonly number[] };

/**
 * undefined where a line is read as it is written, and at once where that needs no question.
 * @throws ForetraceError as workOut
 */
export function workedLine(access: ModelAccess, step: AskedStep): Promise<Read> | Read | undefined {
  const { program, state, action } = step;
  const isSingle = action.kind === 'step_into' || action.kind === 'step_over';
  const frame = state && isSingle ? goingOn(state) : undefined;
  const running = state && frame ? runningFrame(program, state) : undefined;
  if (!state || !frame || !running || program.reboundNames.size > 0) return undefined;
  const written = readAs(program, frame, tokensOnLine(program, frame, running));
  const code = withMoreTold(program, frame, written);
  const begins = (known: Running): Asking => new Asking(access, step, known);
  const isOld = state.event === 'return';
  const reckoned = withMathematics(begins, program, running, code, isOld);
  const hasTexts = !isOld && mayHaveTexts(code);
  if (reckoned === undefined && !hasTexts) return code === written ? undefined : { ...unasked, code };
  return spelled(begins, program, running, { ...unasked, code }, reckoned, hasTexts);
}

async function spelled(
  begins: (running: Running) => Asking,
  program: Program,
  running: Running,
  read: Read,
  reckoning: Promise<Read | undefined> | undefined,
  hasTexts: boolean,
): Promise<Read> {
  const reckoned = (await reckoning) ?? read;
  const texts = hasTexts ? await withTexts(begins, program, running, reckoned.code) : undefined;
  return texts ? { ...sumOfPaid(reckoned, texts), code: texts.code } : reckoned;
}
