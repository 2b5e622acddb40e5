/** What a statement on several lines calls first, where the call stands on the line on which the statement begins. */
import { lineCalls } from '../debugger/language/line-calls.js';
import { lineParts } from '../debugger/language/line-parts.js';
import { wordToken } from '../debugger/language/tokens.js';
import { enteringWorkings } from '../debugger/language/workings.js';
import { placeOfLine, statementLines, statementTokens } from '../debugger/whole-statement.js';
import { unasked } from './cost.js';
import { type AskedStep, type Settled, settledEntering } from './settle.js';
import { mayBeChanged, steppingFrame } from './stepping-frame.js';
import type { ModelAccess } from './submit-question.js';
import { workOut } from './work-out.js';

const forWord = wordToken('for');

/**
 * undefined for other statements and for steps that enter nothing, where the frame has come from another of its lines, and where it is not told what is called first.
 * @throws ForetraceError as workOut
 */
export async function settledOpening(access: ModelAccess, step: AskedStep): Promise<Settled | undefined> {
  const { program, action } = step;
  const running = action.kind === 'step_into' ? steppingFrame(access, step) : undefined;
  if (running?.scope.flow === undefined || running.frame.lineBefore !== 0) return undefined;
  const { frame } = running;
  const code = statementTokens(program, running);
  const line = statementLines(running).size > 1 && code[0] !== forWord ? lineParts(code) : undefined;
  const [call] = line ? lineCalls(program, frame, code, [...line.values, ...line.inner]).calls : [];
  if (call === undefined) return undefined;
  const { first, end } = placeOfLine(program, running, frame.line);
  if (call.part.begin < first || call.part.until > end) return undefined;
  const workings = enteringWorkings(program, frame, code);
  const { code: worked, ...paid } = workings ? await workOut(access, step, workings) : { ...unasked, code };
  const settled = settledEntering(program, running, worked, false);
  return settled && { ...settled, ...paid, ended: mayBeChanged(running) ? undefined : settled.ended };
}
