/** How frames go on at a `yield`: those that give something there, those that are called again, and what calls them. */
import type { Scope } from '../program.js';
import type { EventKind } from '../state.js';
import type { Standing, StepConstraint } from './step-constraints.js';

/** Whether a scope is that of a function with `yield`. */
export const isGeneratorFunction = ({ isGenerator, name }: Scope): boolean =>
  isGenerator && !name.startsWith('<');

/** Lines on which a generator function is called again. */
export const waitingLines = ({ firstLine, callLines }: Scope): number[] =>
  callLines.filter((line) => line !== firstLine);

/** Lines on which a function begins that a call enters. (Generator expressions are called again where they have begun.) */
export const beginningLines = ({ name, firstLine, callLines }: Scope): readonly number[] =>
  name === '<genexpr>' ? callLines : callLines.filter((line) => line === firstLine);

/** What may be known of a line where `yield` is concerned. callees: what may be called again from it. */
export function standings(
  { flow, isGenerator }: Scope,
  line: number,
  callees: readonly number[],
): readonly Standing[] {
  const mayGive = isGenerator && flow?.lines.get(line)?.returns === true;
  const own = mayGive ? (['gives', 'resumed'] as const) : [];
  return [
    ...own.map((ended) => ({ event: 'line', line, ended }) as const),
    ...callees.map((callee) => ({ event: 'paused', line, ended: 'continues', callee }) as const),
  ];
}

/** A line with `yield` that gives something, or is over. */
export function suspended({ flow }: Scope, { line, ended }: Standing): StepConstraint | undefined {
  const known = flow?.lines.get(line);
  if (known === undefined) return undefined;
  const gives = ended === 'gives';
  const events = new Map<EventKind, ReadonlySet<number>>(gives ? [] : [['line', known.next]]);
  if (gives || known.ends) events.set('return', known.own);
  return { name: `${ended} ${line}`, events, waits: new Set() };
}

/** A line from which a generator function is called again. */
export function calledAgain({ flow }: Scope, { line, callee }: Standing): StepConstraint | undefined {
  const waits = flow?.lines.get(line)?.own;
  if (waits === undefined || callee === undefined) return undefined;
  const events = new Map([['exception' as const, waits]]);
  return { name: `continues ${line} ${callee}`, events, waits, continues: callee, comesFirst: true };
}
