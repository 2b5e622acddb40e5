/** The statement that a frame is at, on however many lines it stands. */
import { isLambda, lambdaTokens } from './lambda-body.js';
import { behindLine, type LineFlow } from './language/flow.js';
import { lineParts } from './language/line-parts.js';
import { assignedIn } from './language/target-order.js';
import { lineTokens, type Program } from './program.js';
import type { Running } from './running.js';
import type { Frame } from './state.js';

/** What is known of how a frame may go on. */
export function flowAt({ frame, scope }: Running): LineFlow | undefined {
  const flow = scope.flow?.lines.get(frame.line);
  return flow && behindLine(flow, frame.lineBefore);
}

/** The code lines of the statements on the frame's line. */
export const statementLines = ({ frame, scope }: Running): ReadonlySet<number> =>
  scope.flow?.lines.get(frame.line)?.own ?? new Set([frame.line]);

/** The code tokens of the statement. */
export const statementTokens = (program: Program, running: Running): number[] =>
  isLambda(running)
    ? lambdaTokens(program, running)
    : [...statementLines(running)].sort((a, b) => a - b).flatMap((line) => [...lineTokens(program, line)]);

/** Where the code of a line stands in that of its statement. */
export function placeOfLine(
  program: Program,
  running: Running,
  line: number,
): { readonly first: number; readonly end: number } {
  const before = [...statementLines(running)].filter((other) => other < line);
  const first = before.reduce((sum, other) => sum + lineTokens(program, other).length, 0);
  return { first, end: first + lineTokens(program, line).length };
}

/** The code tokens of what a frame runs on its line, as far as it is known which function that is; none where its names stand for other values by then. */
export function tokensOnLine(program: Program, { line }: Frame, running: Running | undefined): number[] {
  if (running && isLambda(running)) return lambdaTokens(program, running);
  const { name = '', firstLine = 0, lastLine = 0 } = running?.scope ?? {};
  // What a generator expression makes is made of the item that comes next.
  return name === '<genexpr>' && firstLine < lastLine ? [] : [...lineTokens(program, line)];
}

/** A frame, if its line has one statement, all of which has run but for what runs there. */
export function alone(program: Program, running: Running | undefined): Running | undefined {
  const { own = [], next } = (running && flowAt(running)) ?? {};
  const others = [...own].filter((line) => line !== running?.frame.line);
  const isLast = next !== undefined && !others.some((line) => next.has(line));
  return running && isLast && !assignsApart(program, running) ? running : undefined;
}

/** Whether what a statement assigns to stands on several lines: some of it is assigned before the others then. */
export function assignsApart(program: Program, running: Running): boolean {
  const lines = [...statementLines(running)];
  if (lines.length < 2) return false;
  const { targets = [] } = lineParts(statementTokens(program, running)) ?? {};
  const assigned = targets.flatMap(assignedIn).map(({ first }) => first);
  const places = lines.map((line) => placeOfLine(program, running, line));
  return places.filter(({ first, end }) => assigned.some((at) => first <= at && at < end)).length > 1;
}
