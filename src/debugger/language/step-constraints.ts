/**
 * Which events a single step of a frame can lead to, forward and back, by the control flow of its function (control-flow.ts). The code that
 * follows a line is known without a model; what the model decides is which branch is taken and what the values are.
 */
import type { Scope } from '../program.js';
import type { EventKind } from '../state.js';
import type { Direction } from './question-automaton.js';

/** Where a frame stands; `paused`: a function it called has just been left. */
export interface Standing {
  readonly event: EventKind | 'paused';
  readonly line: number;
}

export interface StepConstraint {
  /** Tells the constraints of one scope and direction apart. */
  readonly name: string;
  /** Next events of the frame with the lines they can be on; `null`: any of the event's lines. */
  readonly events: ReadonlyMap<EventKind, ReadonlySet<number> | null>;
  /** Whether the frame enters a function before any of these events but an exception. */
  readonly enters?: boolean;
  /** Lines on which the frame can wait for a function it enters; none: it enters none; `null`: any of its lines. */
  readonly waits: ReadonlySet<number> | null;
}

/** The constraint on a step from `at`; undefined where the control flow says nothing. */
export function stepConstraint(scope: Scope, direction: Direction, at: Standing): StepConstraint | undefined {
  return direction === 'forward' ? forward(scope, at) : backward(scope, at);
}

/** All constraints on steps of a scope. */
export function stepConstraints(scope: Scope, direction: Direction): StepConstraint[] {
  const events = ['call', 'line', 'return', 'exception', 'paused'] as const;
  const found = new Map<string, StepConstraint>();
  for (const line of [...scope.lines, ...scope.callLines]) {
    for (const event of events) {
      const constraint = stepConstraint(scope, direction, { event, line });
      if (constraint !== undefined) found.set(constraint.name, constraint);
    }
  }
  return [...found.values()];
}

const none: ReadonlySet<number> = new Set();

function forward(scope: Scope, { event, line }: Standing): StepConstraint | undefined {
  if (scope.flow === undefined || event === 'exception' || event === 'return') return undefined;
  if (event === 'call' && line === scope.firstLine) {
    if (scope.isGenerator || scope.flow.entry.size === 0) return undefined;
    return { name: 'entry', events: new Map([['line', scope.flow.entry]]), waits: none };
  }
  // What was left may have been the finalizer of something that an exception of this frame dropped.
  if (event === 'paused' && scope.flow.finalizers) return undefined;
  const flow = scope.flow.lines.get(line);
  if (flow === undefined || !scope.lines.includes(line)) return undefined;
  const events = new Map<EventKind, ReadonlySet<number>>([
    ['line', flow.next],
    ['exception', flow.own],
  ]);
  if (flow.returns) events.set('return', flow.own);
  // A generator that goes on, and a frame whose function has just been left, may call on the same line.
  const calls = flow.effects.calls || event !== 'line';
  const enters = flow.enters && event === 'line';
  return { name: `from ${line} ${calls} ${enters}`, events, enters, waits: calls ? flow.own : none };
}

/** Lines after which `comes` holds, and those of which nothing is known. */
function before(scope: Scope, comes: (line: number) => boolean): Set<number> {
  return new Set(scope.lines.filter((line) => !scope.flow?.lines.has(line) || comes(line)));
}

function backward(scope: Scope, { event, line }: Standing): StepConstraint | undefined {
  const { flow } = scope;
  if (flow === undefined || event === 'call') return undefined;
  const of = (other: number) => flow.lines.get(other);
  const lines = {
    line: () => before(scope, (other) => of(other)?.next.has(line) === true),
    return: () => before(scope, (other) => of(other)?.returns === true && of(other)?.own.has(line) === true),
    exception: () => before(scope, (other) => of(other)?.own.has(line) === true),
    paused: () => before(scope, (other) => of(other)?.own.has(line) === true),
  }[event]();
  const events = new Map<EventKind, ReadonlySet<number> | null>([
    ['line', lines],
    ['exception', null],
  ]);
  // A generator is called again wherever it has yielded.
  if (scope.isGenerator || (event === 'line' && flow.entry.has(line))) events.set('call', null);
  return { name: `to ${event} ${line}`, events, waits: flow.finalizers ? null : lines };
}
