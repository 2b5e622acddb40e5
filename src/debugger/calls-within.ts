/**
 * What a statement on several lines calls next on the line on which its frame is: which of its calls are made there the order of its lines tells
 * (language/line-order.ts), and how many of those have come back what they gave.
 */
import { hasPlainAttributes } from './language/attributes.js';
import { callablesOf, mayOperate } from './language/callables.js';
import { gotLimit } from './language/encode.js';
import { type LineCalls, lineCalls } from './language/line-calls.js';
import { lineParts } from './language/line-parts.js';
import type { Part } from './language/parts.js';
import type { Program, Scope } from './program.js';
import type { Running } from './running.js';
import { statementTokens } from './whole-statement.js';

/** A call of a function of the program, or of a builtin that enters one. */
export interface CallWithin {
  readonly part: Part;
  readonly callee: Scope;
  /** Code tokens of the statement. */
  readonly code: readonly number[];
  /** Whether nothing was called before in the statement. */
  readonly isFirst: boolean;
}

/** returned: how many calls have come back since the frame stopped on its line. null: it calls nothing more before it stops on another one; undefined: that is not told. */
export function callWithin(
  program: Program,
  running: Running,
  returned: number,
): CallWithin | null | undefined {
  const { frame, scope } = running;
  const made = scope.flow?.lines.get(frame.line)?.made;
  const here = frame.lineBefore === undefined ? undefined : made?.behind.get(frame.lineBefore);
  if (made === undefined || here === undefined || returned > gotLimit) return undefined;
  const code = statementTokens(program, running);
  const line = lineParts(code);
  const parts = line ? [...line.values, ...line.inner] : [];
  const written = callsIn(parts);
  if (written.length !== made.written) return undefined;
  const found = lineCalls(program, frame, code, parts);
  const sure = surelyMade(found);
  // On which line a property is read is not looked at.
  if (sure.some(({ part }) => part.kind === 'attribute')) return undefined;
  const calls = sure.filter(({ part }) => here.has(written.indexOf(part)));
  const next = calls[returned];
  if (next) return { ...next, code, isFirst: next === sure[0] };
  const isGone = returned === calls.length && !calls.some(({ part }) => part === found.enteredBy);
  return isGone && (found.isWhole || isQuiet(program, running, code, here, written)) ? null : undefined;
}

/** Calls of functions in order, then what is entered behind them. */
const surelyMade = ({ calls, entered, enteredBy }: LineCalls): Pick<CallWithin, 'part' | 'callee'>[] => [
  ...calls,
  ...(entered && enteredBy ? [{ part: enteredBy, callee: entered.callee }] : []),
];

/** All calls, as callsWrittenIn has them. */
function callsIn(parts: readonly Part[]): readonly Part[] {
  const within = (part: Part): Part[] => [
    ...(part.kind === 'call' ? [part] : []),
    ...part.parts.flatMap(within),
  ];
  return parts.flatMap(within).sort((a, b) => a.first - b.first || b.end - a.end);
}

/** Whether nothing of the program runs in these calls. */
function isQuiet(
  program: Program,
  { frame, scope }: Running,
  code: readonly number[],
  here: ReadonlySet<number>,
  written: readonly Part[],
): boolean {
  const operates = mayOperate(program, scope, frame.line);
  if (operates || callablesOf(program).hasFactories || !hasPlainAttributes(program) || here.has(-1))
    return false;
  return [...here].every((number) => {
    const { calls, isWhole } = lineCalls(program, frame, code, [written[number] as Part]);
    return isWhole && calls.length === 0;
  });
}
