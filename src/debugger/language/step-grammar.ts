/** The automaton of a program's answers to all actions without lines, and to expressions. */
import { ForetraceError } from '../../errors.js';
import type { Action } from '../action.js';
import type { Program } from '../program.js';
import { type DebuggerState, depth, isBeforeEntry } from '../state.js';
import { flag, type GrammarData } from './automaton.js';
import type { ScopeSet } from './frame-automaton.js';
import {
  type Direction,
  directionOf,
  type GrammarOptions,
  type GrammarStart,
  lastEvent,
  otherFrame,
  QuestionAutomaton,
  sameFrame,
} from './question-automaton.js';
import {
  givingLines,
  type Known,
  perhapsDecided,
  type StepConstraint,
  stepConstraint,
  stepConstraints,
} from './step-constraints.js';
import { special } from './tokens.js';

export class StepGrammar extends QuestionAutomaton {
  readonly data: GrammarData;
  /** Where the answer to an expression starts. */
  readonly evaluation: number;

  constructor(program: Program, options: GrammarOptions) {
    super(program, options);
    for (const direction of ['forward', 'reverse'] as const) {
      const root = this.outside(direction);
      this.keep(`outside ${direction}`, root);
      this.keep(`pop root ${direction}`, this.popTo(root));
      const popAll = this.automaton.once(`pop all ${direction}`, flag.none, (state) =>
        this.automaton.leave(state, special.pop),
      );
      this.keep(`pop all ${direction}`, popAll);
      this.keep(`outer ${direction}`, this.otherCallEnds(direction));
      for (const set of this.finder.sets()) this.addSet(direction, set);
    }
    this.evaluation = this.frames.answer();
    this.data = this.finish();
  }

  private keep(name: string, state: number): void {
    this.states.set(name, state);
  }

  private find(name: string): number {
    const state = this.states.get(name);
    if (state === undefined)
      throw new ForetraceError('invalid_state', 'The state names no line of a function of the program.');
    return state;
  }

  private addSet(direction: Direction, set: ScopeSet): void {
    const name = `${direction} ${set.join()}`;
    this.addSteps(direction, set, name);
    const scope = set.length === 1 ? this.program.scopes[set[0] as number] : undefined;
    for (const constraint of scope === undefined ? [perhapsDecided] : stepConstraints(scope, direction))
      this.addSteps(direction, set, `${name} ${constraint.name}`, constraint);
    this.keep(`end ${name}`, this.endOf(direction, set));
    this.keep(`last ${name}`, this.last(direction, set));
  }

  private addSteps(direction: Direction, set: ScopeSet, name: string, constraint?: StepConstraint): void {
    const into = this.step(direction, set, true, constraint);
    this.keep(`into ${name}`, into);
    this.keep(`pop into ${name}`, this.popTo(into));
    this.keep(`over ${name}`, this.step(direction, set, false, constraint));
  }

  /** No frame of the program is left: the entry makes another call (going back: came back from one). */
  private outside(direction: Direction): number {
    return this.automaton.once(`outside ${direction}`, flag.none, (state) => {
      this.frames.event(state, otherFrame[direction], this.finder.all, 'entered');
    });
  }

  /** The same frame, or with `into` the frame it enters; perhaps first what a condition came to. */
  private step(direction: Direction, set: ScopeSet, into: boolean, constraint?: StepConstraint): number {
    const name = `step ${direction} ${set.join()} ${into} ${constraint?.name}`;
    return this.automaton.once(name, flag.none, (state) => {
      for (const event of sameFrame[direction]) {
        const isPassed = event === 'exception' ? constraint?.comesFirst : constraint?.enters;
        if (into && isPassed) continue;
        const lines = constraint === undefined ? null : constraint.events.get(event);
        const isKept = (line: number): boolean => !into || event !== 'line' || !constraint?.passed?.has(line);
        const only = lines && new Set([...lines].filter(isKept));
        if (only !== undefined) this.frames.event(state, event, set, 'known', only ?? undefined);
      }
      const waits = constraint?.waits;
      const entered = into && waits?.size !== 0 ? this.entering(direction, constraint) : undefined;
      if (entered !== undefined) this.frames.push(state, set, 'known', entered, waits ?? undefined);
      if (constraint?.outcomes !== undefined) {
        const { holds, fails } = constraint.outcomes;
        if (holds) this.automaton.goto(state, special.holds, this.step(direction, set, false, holds));
        if (fails) this.automaton.goto(state, special.fails, this.step(direction, set, false, fails));
      }
    });
  }

  /** The first event of a function that is entered (going back, its last one); undefined if there is none. */
  private entering(direction: Direction, constraint?: StepConstraint): number | undefined {
    const { entered, gave } = constraint ?? {};
    if (entered === undefined && !gave) return this.outside(direction);
    const scopes = this.program.scopes.filter(({ firstLine }) => entered?.has(firstLine) !== false);
    const lines = gave ? new Set(scopes.flatMap(givingLines)) : undefined;
    if (scopes.length === 0 || lines?.size === 0) return undefined;
    const set = scopes.map(({ index }) => index);
    return this.automaton.once(`entering ${direction} ${set.join()} ${gave}`, flag.none, (state) => {
      this.frames.event(state, otherFrame[direction], set, 'entered', lines);
    });
  }

  private endOf(direction: Direction, set: ScopeSet): number {
    return this.automaton.once(`end ${direction} ${set.join()}`, flag.none, (state) => {
      this.frames.event(state, lastEvent[direction], set, 'known');
    });
  }

  /** The outermost frame at its end; where the entry makes several calls, perhaps the end of another one. */
  private last(direction: Direction, set: ScopeSet): number {
    return this.automaton.once(`last ${direction} ${set.join()}`, flag.none, (state) => {
      this.frames.event(state, lastEvent[direction], set, 'known');
      if (this.program.hasSeveralCalls) this.automaton.leave(state, special.pop);
    });
  }

  private otherCallEnds(direction: Direction): number {
    return this.automaton.once(`other ${direction}`, flag.none, (state) => {
      this.frames.event(state, lastEvent[direction], this.finder.all, 'entered');
    });
  }

  start(state: DebuggerState | null, action: Action, known: Known = {}): GrammarStart {
    const none = new Int32Array(0);
    if (state === null || isBeforeEntry(state)) {
      if (action.kind !== 'step_into')
        throw new ForetraceError('invalid_action', 'Before the entry only step_into is possible.');
      return { state: this.find('outside forward'), frames: none };
    }
    const direction = directionOf(action);
    const level = depth(state) - 1;
    const isDone = state.event === lastEvent[direction];
    if (isDone && level === 0 && !this.program.hasSeveralCalls) throw this.end(direction);
    if (action.kind === 'continue' || action.kind === 'inv_continue')
      return this.continueFrom(state, direction, isDone);
    if (isDone) {
      const target =
        level === 0
          ? this.find(`pop root ${direction}`)
          : this.stepFrom('pop into', direction, state, level - 1, known);
      return { state: target, frames: none };
    }
    const kind = {
      into: ['step_into', 'inv_step_into'],
      over: ['step_over', 'inv_step_over'],
      end: ['step_return', 'inv_step_call'],
    };
    const which = Object.entries(kind).find(([, kinds]) => kinds.includes(action.kind))?.[0];
    return { state: this.stepFrom(`${which}`, direction, state, level, known), frames: none };
  }

  /** The start of an action in frame `level`, by what its line allows if that is known. */
  private stepFrom(
    which: string,
    direction: Direction,
    state: DebuggerState,
    level: number,
    known: Known,
  ): number {
    const set = this.finder.of(state, level);
    const name = `${which} ${direction} ${set.join()}`;
    const scope = set.length === 1 ? this.program.scopes[set[0] as number] : undefined;
    const { line, lineBefore } = state.frames[level - state.hiddenFrames] ?? {};
    if (which === 'end' || line === undefined) return this.find(name);
    const event = level === depth(state) - 1 ? state.event : 'paused';
    if (scope === undefined) {
      const isCondition = set.some((index) => this.program.scopes[index]?.flow?.conditions.has(line));
      const decides = isCondition && event === 'line' && direction === 'forward';
      return this.find(decides ? `${name} ${perhapsDecided.name}` : name);
    }
    const constraint = stepConstraint(scope, direction, { event, line, lineBefore, ...known });
    if (constraint === undefined) return this.find(name);
    // Of very many ways to a line, and of what a line may call, some are not told apart.
    const own = `${name} ${constraint.name}`;
    const { ways, callee, next } = known;
    const isLess = ways === undefined && callee === undefined && next === undefined;
    if (isLess || this.states.has(own)) return this.find(own);
    return this.stepFrom(which, direction, state, level, { ended: known.ended });
  }

  /** All frames but the outermost are left. */
  private continueFrom(state: DebuggerState, direction: Direction, isDone: boolean): GrammarStart {
    const level = depth(state) - 1;
    const popAll = this.find(`pop all ${direction}`);
    const bottom = this.program.hasSeveralCalls ? [this.find(`outer ${direction}`)] : [];
    const outermost = this.find(`last ${direction} ${this.finder.of(state, 0).join()}`);
    if (level === 0) return { state: isDone ? popAll : outermost, frames: Int32Array.from(bottom) };
    const frames = [...bottom, outermost, ...new Array<number>(level - 1).fill(popAll)];
    return { state: popAll, frames: Int32Array.from(frames) };
  }
}
