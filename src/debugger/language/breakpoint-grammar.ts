/** The automaton of a program's answers to one breakpoint action. */
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
  QuestionAutomaton,
} from './question-automaton.js';
import { special } from './tokens.js';

export class BreakpointGrammar extends QuestionAutomaton {
  readonly data: GrammarData;
  private readonly direction: Direction;
  private readonly lines: ReadonlySet<number>;
  private readonly root: number;
  /** State -> the state that leaves a frame and goes on there. */
  private readonly pops: ReadonlyMap<number, number>;

  constructor(program: Program, options: GrammarOptions, action: Action) {
    super(program, options);
    this.direction = directionOf(action);
    const executable = new Set(program.executableLines);
    this.lines = new Set(action.lines.filter((line) => executable.has(line)));
    for (const set of this.finder.sets()) {
      for (const isOutermost of [false, true])
        this.states.set(`${set.join()} ${isOutermost}`, this.landing(set, isOutermost));
    }
    this.root = this.entered(this.options.enteredFrames - 1, true);
    this.pops = new Map([this.root, ...this.states.values()].map((state) => [state, this.popTo(state)]));
    this.data = this.finish();
  }

  /** A frame that is on the stack: the stop is in it, above it, or it is left. */
  private landing(set: ScopeSet, isOutermost: boolean): number {
    return this.automaton.once(`landing ${set.join()} ${isOutermost}`, flag.none, (state) => {
      this.frames.event(state, 'line', set, 'known', this.lines);
      if (isOutermost) this.frames.event(state, lastEvent[this.direction], set, 'known');
      if (!isOutermost || this.program.hasSeveralCalls) this.automaton.leave(state, special.pop);
      if (this.lines.size > 0)
        this.frames.push(state, set, 'known', this.entered(this.options.enteredFrames - 1, false));
    });
  }

  /** A frame that was entered: the stop is in it, or it enters up to `left` more. `isOutermost`: no other is below it. */
  private entered(left: number, isOutermost: boolean): number {
    return this.automaton.once(`entered ${left} ${isOutermost}`, flag.none, (state) => {
      const { all } = this.finder;
      this.frames.event(state, 'line', all, 'entered', this.lines);
      if (isOutermost) this.frames.event(state, lastEvent[this.direction], all, 'entered');
      if (left > 0 && this.lines.size > 0)
        this.frames.push(state, all, 'entered', this.entered(left - 1, false));
    });
  }

  start(state: DebuggerState | null): GrammarStart {
    if (state === null || isBeforeEntry(state)) {
      throw new ForetraceError('invalid_action', 'Before the entry only step_into is possible.');
    }
    const level = depth(state) - 1;
    const isDone = state.event === lastEvent[this.direction];
    const bottom = this.program.hasSeveralCalls ? [this.root] : [];
    if (isDone && level === 0) {
      if (bottom.length === 0) throw this.end(this.direction);
      return { state: this.popFrom(this.root), frames: new Int32Array(0) };
    }
    const frames = [...bottom];
    for (let below = 0; below < level; below += 1) frames.push(this.frameState(state, below));
    const next = isDone ? this.popFrom(frames.pop() ?? this.root) : this.frameState(state, level);
    return { state: next, frames: Int32Array.from(frames) };
  }

  private popFrom(state: number): number {
    return this.pops.get(state) ?? this.root;
  }

  private frameState(state: DebuggerState, level: number): number {
    return this.states.get(`${this.finder.of(state, level).join()} ${level === 0}`) ?? this.root;
  }
}
