/**
 * Where a frame goes on within a statement that stands on several lines, or behind it: which of its conditions hold that stand where the frame is, worked out one by one
 * before the step is asked.
 */
import { encodeExpression } from '../debugger/language/expression.js';
import type { LineFlow } from '../debugger/language/flow.js';
import { lineParts } from '../debugger/language/line-parts.js';
import { servedAs } from '../debugger/language/read-as.js';
import { changesLast } from '../debugger/language/results.js';
import type { Program } from '../debugger/program.js';
import type { Running } from '../debugger/running.js';
import { statementTokens } from '../debugger/whole-statement.js';
import { ForetraceError } from '../errors.js';
import { type Paid, sumOfPaid, unasked } from './cost.js';
import type { AskedStep } from './settled.js';
import { steppingFrame } from './stepping-frame.js';
import type { ModelAccess } from './submit-question.js';
import { type Whether, whetherHolds } from './worked-value.js';

/** Most conditions that are worked out for one step. */
const mostConditions = 16;

/** The line that comes next, if that is known. */
export interface SettledBranch extends Paid {
  readonly next?: number;
}

/** @throws ForetraceError as workOut */
export async function settledBranch(access: ModelAccess, step: AskedStep): Promise<SettledBranch> {
  const { program } = step;
  const running = steppingFrame(access, step);
  const flow = running?.scope.flow?.lines.get(running.frame.line);
  const lineBefore = running?.frame.lineBefore;
  if (!running || !flow?.decides || lineBefore === undefined || !staysAsItIs(program, running, flow))
    return unasked;
  const truths = new Map<string, boolean>();
  let paid = unasked;
  for (;;) {
    const found = flow.decides(running.frame.line, lineBefore, truths);
    const [next, ...others] = found?.next ?? [];
    const [test] = found?.open ?? [];
    const isOne = next !== undefined && others.length === 0 && !found?.returns;
    // What is evaluated on a line may raise something, or enter a function, though it leads to one other in any case.
    if (isOne && truths.size > 0) return { ...paid, next };
    if (test === undefined) return paid;
    const condition = truths.size < mostConditions ? conditionOf(program, test) : undefined;
    const asked: Whether = condition
      ? await whetherHolds(access, step, running, condition, step.action.kind === 'step_into')
      : unasked;
    paid = sumOfPaid(paid, asked);
    if (asked.holds === undefined) return paid;
    truths.set(test, asked.holds);
  }
}

/** Whether all that the statement evaluates comes to the same wherever in it the frame is. */
function staysAsItIs(program: Program, running: Running, { effects }: LineFlow): boolean {
  if (effects.quiet && !effects.calls) return true;
  const written = servedAs(program, running.frame, statementTokens(program, running));
  const parts = lineParts(written);
  return parts !== undefined && changesLast(written, parts);
}

/** The code tokens of a condition, in brackets; undefined where that is no question about a state. */
function conditionOf(program: Program, test: string): readonly number[] | undefined {
  try {
    // In brackets it may stand on several lines.
    return encodeExpression(program, `(${test})`).tokens;
  } catch (error) {
    if (error instanceof ForetraceError && error.code === 'invalid_expression') return undefined;
    throw error;
  }
}
