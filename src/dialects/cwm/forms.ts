/** What the next frame may be, as texts: a program's possible events with the names and lines they may show. */
import { frozenNames } from '../../debugger/frozen.js';
import type { Program, Scope } from '../../debugger/program.js';
import type { DebuggerState, EventKind, Frame } from '../../debugger/state.js';
import type { Successor, Successors } from '../../debugger/successors.js';
import type { FormName, FrameForm } from './frame-text.js';

export const sourceLine = (program: Program, line: number): string => program.lines[line - 1] ?? '';

/** How a frame says that a local is what it was. */
export const unchanged = '..';

/** The frame in which the next event is, unless that is a call. */
export const goingOn = (state: DebuggerState | null, { level }: Successors): Frame | undefined =>
  state?.frames[level - state.hiddenFrames];

/** What the next frame may be. */
export function formsOf(program: Program, state: DebuggerState | null, next: Successors): FrameForm[] {
  const frozen = frozenNames(program, state, { kind: 'step_into', lines: [] });
  const isBehindCall = state?.event === 'return';
  const namesOf = ({ event, scope }: Successor): FormName[] => {
    if (event === 'line') return namesOnLine(scope, goingOn(state, next), frozen, isBehindCall);
    return event === 'call' ? namesAtCall(scope) : [];
  };
  return next.all.map((successor) => ({
    event: successor.event,
    names: namesOf(successor),
    lines: [...new Set(successor.lines.map((line) => sourceLine(program, line)))],
  }));
}

/** In the order of CPython's locals: parameters, then others as the program names them. */
const inOrder = (scope: Scope, possible: readonly string[]): string[] =>
  [...new Set([...scope.positional, ...possible])].filter((name) => possible.includes(name));

const namesAtCall = (scope: Scope): FormName[] =>
  inOrder(scope, scope.isGenerator ? scope.names : scope.namesAtCall).map((name) => ({ name }));

/** Values that are told twice, as they are and as unchanged, have at most so many characters. */
const longestTold = 64;

/** First what the frame has shown, in that order, then what it may bind. Names that the line cannot touch are what they were, bound or unbound. */
function namesOnLine(
  scope: Scope,
  frame: Frame | undefined,
  frozen: ReadonlySet<string>,
  isBehindCall: boolean,
): FormName[] {
  const shown = [...(frame?.locals ?? [])]
    .filter(([name]) => scope.names.includes(name))
    .map(([name, value]): FormName => {
      if (!frozen.has(name)) return { name };
      if (!isBehindCall) return { name, isBound: true, values: [unchanged] };
      // Where a function has just been left, a model may tell all values again.
      return { name, isBound: true, ...(value.length > longestTold ? {} : { values: [unchanged, value] }) };
    });
  const known = new Set(shown.map(({ name }) => name));
  const others = inOrder(scope, scope.names).filter((name) => !known.has(name) && !frozen.has(name));
  return [...shown, ...others.map((name) => ({ name }))];
}

/** Where a frame is. */
export interface Place {
  readonly scope: Scope;
  readonly line: number;
}

/** Places in the program that a frame may mean: lines are named by their texts, which may be the same. */
export const placesOf = ({ all }: Successors, event: EventKind, names: Iterable<string>): Place[] =>
  all
    .filter((one) => one.event === event && [...names].every((name) => one.scope.names.includes(name)))
    .flatMap(({ scope, lines }: Successor) => lines.map((line) => ({ scope, line })));
