/**
 * What names stood for before a statement that has just run, where what it did can be taken back: what it added is subtracted or cut off, an item that was put in goes,
 * one that was taken out comes back, two that changed places do so again, what every pass of a loop binds is what the pass before bound, and a name that it was the first to bind is unbound.
 */
import { firstBound } from '../first-bound.js';
import { lineParts } from '../language/line-parts.js';
import type { Part } from '../language/parts.js';
import { lineTokens, type Program } from '../program.js';
import type { Running } from '../running.js';
import { augmented, chosen, computed, divided } from './arithmetic.js';
import { keyed, popped, putIn } from './collections.js';
import { exchanged } from './exchanged.js';
import { passBefore } from './pass-before.js';
import { nothing, Statement, type Undone } from './statement.js';

export type { Undone } from './statement.js';

/** What the statement that is all of a line can be taken back to. */
export function undoneBy(program: Program, running: Running, line: number): Undone {
  const code = [...lineTokens(program, line)];
  const parts = lineParts(code);
  const { told, ...more } = parts ? undone(new Statement(program, running, line, code, parts)) : nothing;
  const binds = [...(running.scope.flow?.lines.get(line)?.effects.binds ?? [])];
  const bound = binds.filter((name) => running.frame.locals.has(name));
  const first = firstBound(program, running, line, bound);
  const unbound = first.map((name) => [name, undefined] as const);
  return { told: new Map([...told, ...unbound]), ...more };
}

function undone(statement: Statement): Undone {
  const {
    values: [value, ...others],
    targets: [target, ...targets],
  } = statement.line;
  const isOne = value !== undefined && others.length + targets.length === 0;
  const changed = augmented(statement);
  if (changed !== undefined || !isOne) return changed ?? nothing;
  if (target === undefined) return putIn(statement, value);
  const found = target.kind === 'subscript' ? keyed(statement, target, value) : nothing;
  if (found !== nothing) return found;
  const back = takenBack(statement, target, value);
  return back === nothing ? passBefore(statement, target, value) : back;
}

/** What the value tells that was assigned. */
function takenBack(statement: Statement, target: Part, value: Part): Undone {
  if (value.kind === 'binary') return computed(statement, target, value);
  if (value.kind !== 'call') return exchanged(statement, target, value);
  const ways = [divided, chosen, popped];
  return ways.map((way) => way(statement, target, value)).find((back) => back !== nothing) ?? nothing;
}
