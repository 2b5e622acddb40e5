/**
 * What must have been where a line has just been passed: the lines before it that lead to it alone, and the conditions among them that must have come out one way and
 * are about what has not changed since. What stands in the body of an `if` was not passed where the condition, asked now, does not hold.
 */
import { staysOver } from './frozen.js';
import type { Condition } from './language/flow.js';
import { waysTo } from './language/step-constraints.js';
import { isSlotToken, wordToken } from './language/tokens.js';
import { lineTokens, nameOfSlot, type Program, type Scope } from './program.js';
import type { Running } from './running.js';

export interface Decided {
  readonly line: number;
  /** How it came out. */
  readonly holds: boolean;
}

/** Most lines that are gone back from the one that was passed. */
const farthest = 6;
const forWord = wordToken('for');

/** The line that the frame has just passed, and those that it must have passed before, the last one first. */
export function surelyPassed({ scope }: Running, line: number): readonly number[] {
  const passed: number[] = [];
  for (
    let at: number | undefined = line;
    at !== undefined && !passed.includes(at) && passed.length < farthest;
    at = onlyLineBefore(scope, at)
  )
    passed.push(at);
  return passed;
}

function onlyLineBefore(scope: Scope, line: number): number | undefined {
  const [before, ...others] = scope.flow?.lines.has(line) ? waysTo(scope, line) : [];
  return typeof before === 'number' && others.length === 0 ? before : undefined;
}

/** The conditions among these lines, the last one first. */
export function decidedBefore(program: Program, running: Running, passed: readonly number[]): Decided[] {
  return passed.slice(1).flatMap((line, index) => {
    const after = passed.slice(0, index + 1);
    const holds = outcomeOf(running.scope.flow?.conditions.get(line), after.at(-1) as number);
    return holds !== undefined && isUnchanged(program, running, line, after) ? [{ line, holds }] : [];
  });
}

/** The outcome that alone leads to a line. */
export function outcomeOf(condition: Condition | undefined, line: number): boolean | undefined {
  const [ifHolds, ifFails] = [condition?.holds, condition?.fails].map((follow) => follow?.lines.has(line));
  return ifHolds === undefined || ifFails === undefined || ifHolds === ifFails ? undefined : ifHolds;
}

/** Whether none of the lines passed after it can have changed what a condition is about. */
function isUnchanged(
  program: Program,
  { frame, scope }: Running,
  condition: number,
  after: readonly number[],
): boolean {
  const code = lineTokens(program, condition);
  const names = [...code].filter(isSlotToken).map((slot) => nameOfSlot(program, slot));
  const flows = after.map((line) => scope.flow?.lines.get(line));
  return (
    code[0] !== forWord &&
    names.every(
      (name) =>
        scope.names.includes(name) &&
        flows.every((flow) => flow !== undefined && staysOver(program, scope, frame, flow, name)),
    )
  );
}
