/**
 * What a step forward most likely leads to, read off the line that runs: an answer to draft from (docs/performance-generation.md). The model's own answer counts, whatever is expected.
 */
import type { Action } from './action.js';
import { withCounters } from './counters.js';
import { withGots } from './gots.js';
import { outcomeOf } from './language/conditions.js';
import { encodeDelta } from './language/encode.js';
import { behindLine, type Follow, type FunctionFlow, functionEnd, type LineFlow } from './language/flow.js';
import type { Ended } from './language/grammar.js';
import { type KnownAt, type LeftHandler, unboundAt } from './language/known-parts.js';
import type { Results } from './language/results.js';
import type { LeftBehind } from './left-behind.js';
import { loopsOf, type Program, type Scope } from './program.js';
import { scopeOf } from './running.js';
import type { EnteredNext } from './shared-variables.js';
import { type DebuggerState, depth, type Frame } from './state.js';

/** What is known of a step before it is asked. */
export interface KnownOfStep {
  readonly results: Results;
  readonly ended?: Ended | undefined;
  readonly entered?: EnteredNext | undefined;
  /** The line that comes next. */
  readonly next?: number | undefined;
  /** What a function that has returned left in the frame that goes on. */
  readonly left: LeftBehind;
  /** The `except ... as` around the frame that goes on. */
  readonly handled?: readonly LeftHandler[];
}

/** A state, or what of it is known from its beginning on. */
interface Expected {
  readonly state: DebuggerState;
  /** Tokens at the end of its delta that are not known, the last one included. */
  readonly unknown: number;
}

/** The tokens of the likely answer to a step, or the first ones of them; undefined where none come to mind. */
export function expectedStep(
  program: Program,
  state: DebuggerState | null,
  action: Action,
  known: KnownOfStep,
): number[] | undefined {
  if (state === null || state.event === 'exception') return undefined;
  if (action.kind !== 'step_into' && action.kind !== 'step_over') return undefined;
  const isReturned = state.event === 'return';
  const frames = isReturned ? state.frames.slice(0, -1) : state.frames;
  const frame = frames.at(-1);
  // Behind a call its caller may make another one.
  if (isReturned && known.ended === undefined) return undefined;
  const scope = frame && scopeOf(program, frame, isReturned ? 'paused' : state.event);
  if (frame === undefined || scope?.flow === undefined) return undefined;
  const going = new Going(state.hiddenFrames, frames, frame, scope, scope.flow);
  const begins = state.event === 'call' && known.ended !== 'resumed';
  const found = begins ? going.begin() : going.on(program, action, known);
  if (found === undefined) return undefined;
  const after = withGots(program, state, action, withCounters(program, state, action, found.state));
  const common = depth(state) - (isReturned ? 1 : 0);
  const delta = encodeDelta(program, state, after, common, outcomeOf(program, state, after));
  return delta.slice(0, delta.length - found.unknown);
}

/** Of a value that is written `None`, and the end of a delta. */
const tokensOfNone = 2;

/** Names without those of the `except ... as` that the frame has left there. */
function withoutLeft(
  locals: ReadonlyMap<string, string> | undefined,
  handled: readonly LeftHandler[],
  at: Pick<KnownAt, 'event' | 'line'>,
): ReadonlyMap<string, string> | undefined {
  const unbound = unboundAt(handled, at).map(([name]) => name);
  return locals && new Map([...locals].filter(([name]) => !unbound.includes(name)));
}

/** A frame that goes on. */
class Going {
  constructor(
    private readonly hiddenFrames: number,
    private readonly frames: readonly Frame[],
    private readonly frame: Frame,
    private readonly scope: Scope,
    private readonly flow: FunctionFlow,
  ) {}

  /** From its call to its first line. */
  begin(): Expected | undefined {
    const isResumed = this.scope.isGenerator && this.frame.line !== this.scope.firstLine;
    const line = isResumed ? undefined : onlyOf(this.flow.entry);
    return line === undefined ? undefined : this.atLine(line, this.frame.locals);
  }

  /** From its line. */
  on(program: Program, action: Action, known: KnownOfStep): Expected | undefined {
    const flow = this.flow.lines.get(this.frame.line);
    if (flow === undefined) return undefined;
    const { results, ended, entered } = known;
    if (results.raised !== undefined) return this.stopped('exception', this.frame.locals, results.raised);
    if (entered && action.kind === 'step_into' && (ended === 'enters' || ended === 'calls'))
      return this.entering(program, entered);
    const locals = this.locals(flow, known);
    const handled = known.handled ?? [];
    const follow = this.follow(behindLine(flow, this.frame.lineBefore), known);
    const line = follow.ends ? undefined : onlyOf(follow.lines);
    if (line !== undefined) return this.atLine(line, withoutLeft(locals, handled, { event: 'line', line }));
    if (!follow.ends || follow.lines.size > 0) return undefined;
    const left = withoutLeft(locals, handled, { event: 'return', line: this.frame.line });
    return this.stopped('return', left, results.returned);
  }

  private follow(flow: LineFlow, { ended, next }: KnownOfStep): Follow {
    if (next !== undefined) return { lines: new Set([next]), ends: false };
    if (ended === 'gives') return functionEnd;
    if (ended === 'resumed') return { lines: flow.next, ends: flow.ends };
    const condition = this.flow.conditions.get(this.frame.line);
    const decided = ended === 'holds' ? condition?.holds : ended === 'fails' ? condition?.fails : undefined;
    return decided ?? { lines: flow.next, ends: flow.returns };
  }

  /** What its names stand for behind the line; undefined where that is not known of all of them. */
  private locals(
    { effects }: LineFlow,
    { results: { assigned }, ended, left, handled = [] }: KnownOfStep,
  ): ReadonlyMap<string, string> | undefined {
    // A loop that is over binds nothing, nor does a line that gives something first.
    const isKnown = (name: string): boolean =>
      assigned.has(name) || handled.some((handler) => handler.name === name);
    const isTold = ended === 'fails' || ended === 'gives' || [...effects.binds].every(isKnown);
    const isQuiet = effects.quiet && !effects.stores;
    if (!isTold || (assigned.size === 0 && !isQuiet)) return undefined;
    const found = new Map([...this.frame.locals, ...assigned]);
    for (const [name, value] of left) if (value !== undefined && !assigned.has(name)) found.set(name, value);
    return found;
  }

  private atLine(line: number, locals: ReadonlyMap<string, string> | undefined): Expected {
    const state = this.state('line', this.at(line, locals));
    return { state, unknown: locals ? 0 : 1 };
  }

  private stopped(
    event: 'return' | 'exception',
    locals: ReadonlyMap<string, string> | undefined,
    value: string | undefined,
  ): Expected {
    const state = { ...this.state(event, this.at(this.frame.line, locals)), value: value ?? 'None' };
    // The value and its mark stand behind what has changed.
    const unknown = locals === undefined ? tokensOfNone + 1 : value === undefined ? tokensOfNone : 0;
    return { state, unknown };
  }

  private entering(program: Program, { line, values }: EnteredNext): Expected {
    const callee = program.scopes.find(({ firstLine }) => firstLine === line);
    const isWhole = callee !== undefined && [...callee.parameters].every((name) => values.has(name));
    const entered: Frame = { line, locals: isWhole ? values : new Map(), its: [], gots: [] };
    const state = this.state('call', this.frame);
    return { state: { ...state, frames: [...state.frames, entered] }, unknown: isWhole ? 0 : 1 };
  }

  /** The frame on a line, with as many counters as it has loops there. */
  private at(line: number, locals = this.frame.locals): Frame {
    return { line, locals, its: loopsOf(this.scope, line).map(() => 0), gots: [] };
  }

  private state(event: DebuggerState['event'], frame: Frame): DebuggerState {
    return { event, frames: [...this.frames.slice(0, -1), frame], hiddenFrames: this.hiddenFrames };
  }
}

/** The one of these; undefined where there are several, or none. */
const onlyOf = <T>([first, ...others]: Iterable<T>): T | undefined =>
  others.length === 0 ? first : undefined;
