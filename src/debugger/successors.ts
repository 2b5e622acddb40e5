/** Which events can follow a state one step on, by the text of the program alone: what the automata of the trace language are made of, as a list. */
import { dropsNothing } from './dropped.js';
import { ScopeFinder } from './language/scope-finder.js';
import { type StepConstraint, stepConstraint } from './language/step-constraints.js';
import { answeredLines, type Program, perText, type Scope } from './program.js';
import { type DebuggerState, depth, type EventKind, isBeforeEntry } from './state.js';

export interface Successor {
  readonly event: EventKind;
  /** Of the frame that has the event: a new one if it is `call`. */
  readonly scope: Scope;
  /** Lines on which it may have it. */
  readonly lines: readonly number[];
}

export interface Successors {
  /** Depth on the stack, from 0 on, of the frame that goes on; below 0: none does. What is called is one deeper. */
  readonly level: number;
  readonly all: readonly Successor[];
}

const finderOf = perText((text) => new ScopeFinder(text));
const inFrame = ['line', 'exception', 'return'] as const;

/** None where nothing comes after the state. `null`: the state before the entry. */
export function successors(program: Program, state: DebuggerState | null): Successors {
  if (state === null || isBeforeEntry(state)) return { level: -1, all: calls(program) };
  const level = depth(state) - (state.event === 'return' ? 2 : 1);
  if (level < 0) return { level, all: program.hasSeveralCalls ? calls(program) : [] };
  const event: EventKind | 'paused' = state.event === 'return' ? 'paused' : state.event;
  const { line, lineBefore } = state.frames[level - state.hiddenFrames] ?? {};
  const all = finderOf(program)
    .of(state, level)
    .flatMap((index) => {
      const scope = program.scopes[index] as Scope;
      const isPlain = event === 'paused' && dropsNothing(program, state);
      const at = line === undefined ? undefined : ({ event, line, lineBefore, isPlain } as const);
      return ofFrame(program, scope, at && stepConstraint(scope, 'forward', at));
    });
  return { level, all: all.filter(({ lines }) => lines.length > 0) };
}

function ofFrame(program: Program, scope: Scope, constraint: StepConstraint | undefined): Successor[] {
  const { events, waits, entered, enters, comesFirst } = constraint ?? {};
  const own = inFrame.flatMap((event): Successor[] => {
    if (event === 'exception' ? comesFirst : enters) return [];
    const only = events === undefined ? null : events.get(event);
    if (only === undefined) return [];
    const lines = answeredLines(scope, event);
    return [{ event, scope, lines: only === null ? lines : lines.filter((line) => only.has(line)) }];
  });
  return waits?.size === 0 ? own : [...own, ...calls(program, entered)];
}

/** @param entered first lines of the functions that may be called; without it, any */
const calls = (program: Program, entered?: ReadonlySet<number>): Successor[] =>
  program.scopes
    .filter(({ firstLine }) => entered?.has(firstLine) !== false)
    .map((scope) => ({ event: 'call', scope, lines: answeredLines(scope, 'call') }));
