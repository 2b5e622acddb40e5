/** Functions without a name that are written in a statement: its lambdas and generator expressions. */
import type { Program, Scope } from '../program.js';
import { scopeOf } from '../running.js';
import type { Frame } from '../state.js';
import { type LineParts, lineParts } from './line-parts.js';
import type { Part } from './parts.js';

/** The function that a lambda or generator expression of a frame's line is; undefined where they cannot be told apart. */
export function writtenScope(
  program: Program,
  frame: Frame,
  code: ArrayLike<number>,
  { kind, first, end }: Part,
): Scope | undefined {
  const name = kind === 'lambda' ? '<lambda>' : '<genexpr>';
  const around = scopeOf(program, frame, 'paused');
  const own = around?.flow?.lines.get(frame.line)?.own ?? new Set([frame.line]);
  // In a frame of a generator expression the code is what that makes.
  const isIn = ({ parent }: Scope): boolean =>
    parent !== undefined && (parent === around?.index || isIn(program.scopes[parent] as Scope));
  const isWithin = around?.name === '<genexpr>';
  const scopes = program.scopes.filter(
    (scope) => scope.name === name && own.has(scope.firstLine) && (!isWithin || isIn(scope)),
  );
  const written = allParts(lineParts(code)).filter((part) => part.kind === kind);
  const at = written.findIndex((part) => part.first === first && part.end === end);
  return scopes.length === written.length ? scopes[at] : undefined;
}

/** All parts of a line as they are written, those that hold others before them. */
function allParts(line: LineParts | undefined): Part[] {
  const inOrder = (parts: readonly Part[]): Part[] => parts.toSorted((a, b) => a.first - b.first);
  const within = (part: Part): Part[] => [part, ...inOrder(part.parts).flatMap(within)];
  return line === undefined ? [] : inOrder([...line.inner, ...line.values]).flatMap(within);
}
