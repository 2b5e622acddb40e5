/** What a statement leaves that takes something out of lists and deques: the rest of it is a step from the state in which that is taken. */
import { lineParts } from '../debugger/language/line-parts.js';
import { changesLast } from '../debugger/language/results.js';
import { takenFirst } from '../debugger/language/taken-first.js';
import { ToldLine } from '../debugger/language/told-line.js';
import { wholeWorkings } from '../debugger/language/workings.js';
import { withFrame } from '../debugger/state.js';
import { alone, statementTokens } from '../debugger/whole-statement.js';
import { sumOfPaid } from './cost.js';
import { settledLine } from './settle.js';
import { settledLibrary } from './settle-library.js';
import { settledTally } from './settle-tally.js';
import type { AskedStep, Settled } from './settled.js';
import { mayBeChanged, steppingFrame } from './stepping-frame.js';
import type { ModelAccess } from './submit-question.js';
import { workedCode } from './work-out.js';

/**
 * undefined where a statement takes nothing, where what it takes is not told, or where it calls what may change something besides. worked: its code tokens, as far as they were
 * worked out.
 * @throws ForetraceError as workOut
 */
export async function settledTakings(
  access: ModelAccess,
  step: AskedStep,
  worked?: readonly number[],
): Promise<Settled | undefined> {
  const { program, state } = step;
  const running = alone(step.program, steppingFrame(access, step));
  if (!running || !state) return undefined;
  const code = worked ?? statementTokens(program, running);
  const line = lineParts(code);
  const told = new ToldLine(program, running, code, mayBeChanged(running));
  const taken = line && takenFirst(program, running, code, line, told);
  const parts = taken && lineParts(taken.code);
  if (!parts || !changesLast(taken.code, parts)) return undefined;
  const frame = { ...running.frame, locals: new Map([...running.frame.locals, ...taken.left]) };
  const rest = { ...step, state: withFrame(state, running.frame, frame) };
  const { code: whole, ...paid } = await workedCode(
    access,
    rest,
    taken.code,
    wholeWorkings(program, frame, taken.code),
  );
  const found =
    (await settledLibrary(access, rest, whole)) ??
    (await settledTally(access, rest, whole)) ??
    settledLine(rest, whole);
  const { assigned, stays, ...results } = found.results;
  const others = [...taken.others].filter(([name]) => stays === undefined || stays.has(name));
  return {
    ...found,
    ...sumOfPaid(paid, found),
    results: { ...results, assigned: new Map([...taken.left, ...assigned]), stays: new Map(others) },
  };
}
