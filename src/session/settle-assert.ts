/** What is known of an `assert` before it is asked. */
import type { LineParts } from '../debugger/language/line-parts.js';
import { truthOfLiteral } from '../debugger/language/literal-values.js';
import { noResults } from '../debugger/language/results.js';
import { wordToken } from '../debugger/language/tokens.js';
import { ToldLine } from '../debugger/language/told-line.js';
import type { Program } from '../debugger/program.js';
import { raisedByAssert } from '../debugger/raised.js';
import type { Running } from '../debugger/running.js';
import { unasked } from './cost.js';
import type { Settled } from './settled.js';

const assertWord = wordToken('assert');

/** How an `assert` ends whose condition is told, or what it raises. */
export function settledAssert(
  program: Program,
  running: Running,
  code: readonly number[],
  { inner: [condition] }: LineParts,
): Settled | undefined {
  const { frame, scope } = running;
  const isAlone = scope.flow?.lines.get(frame.line)?.own.size === 1;
  if (code[0] !== assertWord || condition === undefined || !isAlone) return undefined;
  const value = new ToldLine(program, running, code, false).tokens(condition);
  if (value === undefined) return undefined;
  if (truthOfLiteral(value)) return { ...unasked, results: noResults, ended: 'passes' };
  const raised = raisedByAssert(program, running, code.slice(condition.until + 1));
  return { ...unasked, ended: 'raised', results: { ...noResults, raised } };
}
