/** Values and conditions where a frame is, worked out before a step is asked. */
import { expressionParts } from '../debugger/language/expression-parts.js';
import { toldIn } from '../debugger/language/frame-literals.js';
import { iterated } from '../debugger/language/iterated.js';
import { lineParts } from '../debugger/language/line-parts.js';
import { isLiteral } from '../debugger/language/literal-values.js';
import type { Value } from '../debugger/language/plan.js';
import { noResults, type Results, resultsOf } from '../debugger/language/results.js';
import { charToken, wordToken } from '../debugger/language/tokens.js';
import { enteringWorkings, valueWorkings, wholeWorkings } from '../debugger/language/workings.js';
import type { Running } from '../debugger/running.js';
import { type Paid, unasked } from './cost.js';
import type { AskedStep } from './settled.js';
import { mayBeChanged } from './stepping-frame.js';
import type { ModelAccess } from './submit-question.js';
import { type WorkedQuestion, workedCode, workOut } from './work-out.js';

/** What a condition comes to, if that is known. */
export interface Whether extends Paid {
  readonly holds?: boolean | undefined;
}

const [ifWord, colon] = [wordToken('if') as number, charToken(':')];

/**
 * Asks for the condition of these code tokens, as the head of an `if` has one. isInto: unless a step into it may enter something.
 * @throws ForetraceError as workOut
 */
export async function whetherHolds(
  access: ModelAccess,
  step: AskedStep,
  running: Running,
  condition: readonly number[],
  isInto = false,
): Promise<Whether> {
  const { program } = step;
  const workingsOf = isInto ? enteringWorkings : wholeWorkings;
  const workings = workingsOf(program, running.frame, [ifWord, ...condition, colon]);
  if (workings === undefined) return unasked;
  const worked = await workOut(access, step, workings);
  const parts = lineParts(worked.code);
  const results = parts && resultsOf(program, running, worked.code, parts, mayBeChanged(running));
  return { ...worked, holds: results?.holds };
}

/**
 * What a statement leaves that begins with this code in the frame.
 * @throws ForetraceError as workOut
 */
export async function workedResults(
  access: ModelAccess,
  step: AskedStep,
  running: Running,
  code: readonly number[],
): Promise<Paid & { readonly results: Results }> {
  const worked = await workedCode(access, step, code, wholeWorkings(step.program, running.frame, code));
  const line = lineParts(worked.code);
  const results = line
    ? resultsOf(step.program, running, worked.code, line, mayBeChanged(running))
    : noResults;
  return { ...worked, results };
}

/**
 * What something is gone through for that an expression comes to, `most` items at most.
 * @throws ForetraceError as workOut
 */
export async function workedItems(
  access: ModelAccess,
  question: WorkedQuestion,
  { frame }: Running,
  code: readonly number[],
  most: number,
): Promise<Paid & { readonly items?: readonly Value[] | undefined }> {
  const { program } = question;
  const worked = await workedCode(access, question, code, valueWorkings(program, frame, code));
  const part = expressionParts(worked.code);
  const items =
    part && iterated(worked.code, part, (inner) => toldIn(program, frame, worked.code, inner), most);
  return { ...worked, items: items?.every(isLiteral) ? items : undefined };
}

/**
 * What an expression comes to, if that is a literal.
 * @throws ForetraceError as workOut
 */
export async function workedValue(
  access: ModelAccess,
  question: WorkedQuestion,
  { frame }: Running,
  code: readonly number[],
): Promise<Paid & { readonly value?: Value | undefined }> {
  const { program } = question;
  const workings = valueWorkings(program, frame, code);
  if (workings === undefined) return unasked;
  const worked = await workOut(access, question, workings);
  const part = expressionParts(worked.code);
  const value = part && toldIn(program, frame, worked.code, part);
  return { ...worked, value: value && isLiteral(value) ? value : undefined };
}
