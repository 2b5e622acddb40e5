/**
 * What is known of a step within a statement that stands on several lines, before it is asked: what the whole of it comes to, which is worked out like that of a
 * statement on one line. Wherever the frame is in it, nothing has been changed yet, unless what it assigns to stands on several lines.
 */
import { lineParts } from '../debugger/language/line-parts.js';
import { servedAs } from '../debugger/language/read-as.js';
import { changesLast, endingWith, noResults, resultsOf } from '../debugger/language/results.js';
import { wordTokens } from '../debugger/language/tokens.js';
import { wholeWorkings } from '../debugger/language/workings.js';
import { assignsApart, flowAt, statementTokens } from '../debugger/whole-statement.js';
import { sumOfPaid, unasked } from './cost.js';
import { settledWithin } from './settle-within.js';
import type { AskedStep, Settled } from './settled.js';
import { mayBeChanged, steppingFrame } from './stepping-frame.js';
import type { ModelAccess } from './submit-question.js';
import { workedCode } from './work-out.js';

/** Statements that branch. */
const branching = new Set<number | undefined>(wordTokens('if elif while for assert'));

/**
 * undefined where the frame is in no such statement, or that branches, comes right after itself, assigns in several steps, or calls what may change something.
 * @throws ForetraceError as workOut
 */
export async function settledStatement(access: ModelAccess, step: AskedStep): Promise<Settled | undefined> {
  const { program } = step;
  const running = steppingFrame(access, step);
  const flow = running && flowAt(running);
  if (running === undefined || flow === undefined) return undefined;
  const within = flow.own;
  if (within.size < 2 || flow.comesAgain || assignsApart(program, running)) return undefined;
  const written = servedAs(program, running.frame, statementTokens(program, running));
  const parts = lineParts(written);
  if (parts === undefined || branching.has(written[0]) || !changesLast(written, parts)) return undefined;
  const mayEnd = flow.returns || [...flow.next].some((line) => !within.has(line));
  const called = (await settledWithin(access, step)) ?? { ...unasked, results: noResults };
  if (!mayEnd) return { ...called, results: { ...noResults, within } };
  const { code, ...paid } = await workedCode(
    access,
    step,
    written,
    wholeWorkings(program, running.frame, written),
  );
  const worked = lineParts(code);
  if (worked === undefined) return undefined;
  const results = endingWith(
    resultsOf(program, running, code, worked, mayBeChanged(running)),
    program,
    running,
    code,
  );
  return { ...called, ...sumOfPaid(called, paid), results: { ...results, within } };
}
