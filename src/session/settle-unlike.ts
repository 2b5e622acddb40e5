/** Programs whose objects may be written like literals: what a line was worked out to says what a step does only where that is surely of builtins. */
import { isReverse } from '../debugger/action.js';
import { lineCalls } from '../debugger/language/line-calls.js';
import { lineParts } from '../debugger/language/line-parts.js';
import { showsLiterals } from '../debugger/language/own-reprs.js';
import { noResults } from '../debugger/language/results.js';
import { runningFrame } from '../debugger/running.js';
import { alone, statementLines, statementTokens } from '../debugger/whole-statement.js';
import { settledEntering } from './settle.js';
import type { AskedStep, Settled } from './settled.js';
import { mayBeChanged } from './stepping-frame.js';

/** What looks like a literal in such a program is one nearly always: of 75 steps that rest on it, 75 were right. */
const likely = Math.log(76 / 77);

/** What is known of a step where literals may be objects: what their classes have it enter, or the same, but less surely. */
export function settledUnlike({ program, state, action }: AskedStep, settled: Settled): Settled {
  if (showsLiterals(program) || state?.event !== 'line' || isReverse(action.kind)) return settled;
  const lessSure = { ...settled, logProbability: settled.logProbability + likely };
  const running = runningFrame(program, state);
  if (running === undefined || running.scope.name === '<genexpr>') return lessSure;
  const code = statementTokens(program, running);
  const line = lineParts(code);
  if (line === undefined) return settled.results.assigned.size === 0 ? settled : lessSure;
  const parts = [...line.values, ...line.inner];
  const { calls, entered, isWhole } = lineCalls(program, running.frame, code, parts);
  const next = calls[0] ?? entered;
  if (next === undefined) return isWhole ? settled : lessSure;
  // On the first line of several all calls may have been made.
  const isOnOne = statementLines(running).size === 1;
  const isInto = action.kind === 'step_into' && isOnOne && alone(program, running) !== undefined;
  if (!isInto || mayBeChanged(running)) return lessSure;
  if (settled.entered?.line === next.callee.firstLine) return settled;
  const { logProbability, cost } = settled;
  return { ...settledEntering(program, running, code, false), results: noResults, logProbability, cost };
}
