/**
 * Compiles a program to the automaton of its possible answers. What an answer may be follows from the action (DESIGN, section 4):
 *
 * | action | from | frames left | lands in |
 * | --- | --- | --- | --- |
 * | step_into | call, line, exception | none | line, exception, return of the same frame; `call` of a frame it enters |
 * | step_over | call, line, exception | none | line, exception, return of the same frame |
 * | step_return | call, line, exception | none | return of the same frame |
 * | these three | return | one | as step_into from its caller |
 * | inv_step_into | line, return, exception | none | call, line, exception of the same frame; `return` of a frame it called |
 * | inv_step_over | line, return, exception | none | call, line, exception of the same frame |
 * | inv_step_call | line, return, exception | none | call of the same frame |
 * | these three | call | one | as inv_step_into from its caller |
 * | continue, inv_continue | any | all but the outermost | return, call of the outermost |
 * | breakpoint | any | any (from return: at least one) | one of the lines, frames entered or not; else return of the outermost |
 * | inv_breakpoint | any | any (from call: at least one) | one of the lines, frames entered or not; else call of the outermost |
 *
 * A generator leaves the stack when it yields and comes back by `call`, as a frame that is entered. Where the entry may make several calls one
 * after another (a class with __new__, a builtin with callbacks), the outermost frame may be left too.
 */
import { ForetraceError } from '../../errors.js';
import { type Action, isReverse, takesLines } from '../action.js';
import type { Program } from '../program.js';
import { type DebuggerState, depth, isBeforeEntry } from '../state.js';
import { Automaton, flag, type GrammarData } from './automaton.js';
import { FrameAutomaton, type ScopeSet } from './frame-automaton.js';
import { ScopeFinder } from './scope-finder.js';
import { special } from './tokens.js';
import { addValueStates } from './value-automaton.js';

export type { GrammarData } from './automaton.js';

export interface GrammarOptions {
  /** Most tokens of one value; then it ends by the shortest way. */
  readonly valueTokens: number;
  /** Most frames entered in one answer. */
  readonly enteredFrames: number;
}

const defaultGrammarOptions: GrammarOptions = { valueTokens: 176, enteredFrames: 8 };

/** Where the automaton starts: its state and its frame stack, bottom first. */
export interface GrammarStart {
  readonly state: number;
  readonly frames: Int32Array;
}

/** A grammar for one question. Equal keys have equal data. */
export interface QuestionGrammar {
  readonly key: string;
  readonly data: GrammarData;
  readonly start: GrammarStart;
}

/** The grammars of one program; breakpoint sets have grammars of their own, the latest of which are kept. */
export interface ProgramGrammar {
  /** Key and data of all actions without lines. */
  readonly key: string;
  readonly data: GrammarData;
  /** The grammar and start of a question. `null`: before the entry. Throws past_end, past_start, invalid_action. */
  forQuestion(state: DebuggerState | null, action: Action): QuestionGrammar;
  /** Start of an action without lines, in `data`. Throws as `forQuestion`. */
  start(state: DebuggerState | null, action: Action): GrammarStart;
}

/** Compiles a program's grammars. The work is done on first use. */
export const compileGrammar = (program: Program, options: Partial<GrammarOptions> = {}): ProgramGrammar =>
  new Grammars(program, { ...defaultGrammarOptions, ...options });

const compiled = new WeakMap<Program, ProgramGrammar>();

/** The grammars of a program with default options, compiled once for all who hold the same Program. */
export function grammarOf(program: Program): ProgramGrammar {
  const known = compiled.get(program) ?? compileGrammar(program);
  compiled.set(program, known);
  return known;
}

type Direction = 'forward' | 'reverse';
const directionOf = (action: Action): Direction => (isReverse(action.kind) ? 'reverse' : 'forward');
/** The event after which a frame is gone, in this direction. */
const lastEvent = { forward: 'return', reverse: 'call' } as const;
const sameFrame = {
  forward: ['line', 'exception', 'return'],
  reverse: ['call', 'line', 'exception'],
} as const;
const otherFrame = { forward: 'call', reverse: 'return' } as const;
const keptBreakpoints = 64;

class Grammars implements ProgramGrammar {
  private steps: StepGrammar | undefined;
  private readonly breakpoints = new Map<string, BreakpointGrammar>();
  private readonly prefix: string;

  constructor(
    private readonly program: Program,
    private readonly options: GrammarOptions,
  ) {
    this.prefix = `${program.digest}:${options.valueTokens}:${options.enteredFrames}`;
  }

  private get stepGrammar(): StepGrammar {
    this.steps ??= new StepGrammar(this.program, this.options);
    return this.steps;
  }

  get key(): string {
    return `${this.prefix}:steps`;
  }

  get data(): GrammarData {
    return this.stepGrammar.data;
  }

  start(state: DebuggerState | null, action: Action): GrammarStart {
    return this.stepGrammar.start(state, action);
  }

  forQuestion(state: DebuggerState | null, action: Action): QuestionGrammar {
    if (!takesLines(action.kind)) return { key: this.key, data: this.data, start: this.start(state, action) };
    const suffix = `${action.kind}:${action.lines.join()}`;
    let grammar = this.breakpoints.get(suffix);
    if (grammar === undefined) grammar = new BreakpointGrammar(this.program, this.options, action);
    this.breakpoints.delete(suffix);
    this.breakpoints.set(suffix, grammar);
    for (const oldest of this.breakpoints.keys()) {
      if (this.breakpoints.size <= keptBreakpoints) break;
      this.breakpoints.delete(oldest);
    }
    return { key: `${this.prefix}:${suffix}`, data: grammar.data, start: grammar.start(state) };
  }
}

/** What both kinds of grammars are made of. */
abstract class QuestionAutomaton {
  protected readonly automaton = new Automaton();
  protected readonly frames: FrameAutomaton;
  protected readonly finder: ScopeFinder;

  constructor(
    protected readonly program: Program,
    protected readonly options: GrammarOptions,
  ) {
    const values = addValueStates(this.automaton, program.slotNames.length);
    this.frames = new FrameAutomaton(program, this.automaton, values, options.valueTokens);
    this.finder = new ScopeFinder(program);
  }

  /** A state that must leave the current frame and goes on at `next`. */
  protected popTo(next: number): number {
    return this.automaton.once(`pop to ${next}`, flag.none, (state) =>
      this.automaton.goto(state, special.pop, next),
    );
  }

  protected end(direction: Direction): ForetraceError {
    return direction === 'forward'
      ? new ForetraceError(
          'past_end',
          'The current state is the last one of the run; nothing comes after it.',
        )
      : new ForetraceError(
          'past_start',
          'The current state is the first one of the run; nothing comes before it.',
        );
  }
}

class StepGrammar extends QuestionAutomaton {
  readonly data: GrammarData;
  private readonly states = new Map<string, number>();

  constructor(program: Program, options: GrammarOptions) {
    super(program, options);
    for (const direction of ['forward', 'reverse'] as const) {
      const root = this.outside(direction);
      this.keep(`pop root ${direction}`, this.popTo(root));
      const popAll = this.automaton.once(`pop all ${direction}`, flag.none, (state) =>
        this.automaton.leave(state, special.pop),
      );
      this.keep(`pop all ${direction}`, popAll);
      this.keep(`outer ${direction}`, this.otherCallEnds(direction));
      for (const set of this.finder.sets()) this.addSet(direction, set);
    }
    this.data = this.automaton.finish();
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
    const into = this.step(direction, set, true);
    this.keep(`into ${name}`, into);
    this.keep(`pop into ${name}`, this.popTo(into));
    this.keep(`over ${name}`, this.step(direction, set, false));
    this.keep(`end ${name}`, this.endOf(direction, set));
    this.keep(`last ${name}`, this.last(direction, set));
  }

  /** No frame of the program is left: the entry makes another call (going back: came back from one). */
  private outside(direction: Direction): number {
    return this.automaton.once(`outside ${direction}`, flag.none, (state) => {
      this.frames.event(state, otherFrame[direction], this.finder.all, 'entered');
    });
  }

  /** The same frame, or with `into` the frame it enters. */
  private step(direction: Direction, set: ScopeSet, into: boolean): number {
    return this.automaton.once(`step ${direction} ${set.join()} ${into}`, flag.none, (state) => {
      for (const event of sameFrame[direction]) this.frames.event(state, event, set, 'known');
      if (into) this.frames.push(state, set, 'known', this.outside(direction));
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

  start(state: DebuggerState | null, action: Action): GrammarStart {
    const none = new Int32Array(0);
    if (state === null || isBeforeEntry(state)) {
      if (action.kind !== 'step_into')
        throw new ForetraceError('invalid_action', 'Before the entry only step_into is possible.');
      return { state: this.outside('forward'), frames: none };
    }
    const direction = directionOf(action);
    const level = depth(state) - 1;
    const isDone = state.event === lastEvent[direction];
    if (isDone && level === 0 && !this.program.hasSeveralCalls) throw this.end(direction);
    if (action.kind === 'continue' || action.kind === 'inv_continue')
      return this.continueFrom(state, direction, isDone);
    if (isDone) {
      const name =
        level === 0
          ? `pop root ${direction}`
          : `pop into ${direction} ${this.finder.of(state, level - 1).join()}`;
      return { state: this.find(name), frames: none };
    }
    const kind = {
      into: ['step_into', 'inv_step_into'],
      over: ['step_over', 'inv_step_over'],
      end: ['step_return', 'inv_step_call'],
    };
    const which = Object.entries(kind).find(([, kinds]) => kinds.includes(action.kind))?.[0];
    return { state: this.find(`${which} ${direction} ${this.finder.of(state, level).join()}`), frames: none };
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

class BreakpointGrammar extends QuestionAutomaton {
  readonly data: GrammarData;
  private readonly direction: Direction;
  private readonly lines: ReadonlySet<number>;
  private readonly states = new Map<string, number>();
  private readonly root: number;

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
    this.popTo(this.root);
    for (const state of [...this.states.values()]) this.popTo(state);
    this.data = this.automaton.finish();
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
      return { state: this.popTo(this.root), frames: new Int32Array(0) };
    }
    const frames = [...bottom];
    for (let below = 0; below < level; below += 1) frames.push(this.frameState(state, below));
    const next = isDone ? this.popTo(frames.pop() ?? this.root) : this.frameState(state, level);
    return { state: next, frames: Int32Array.from(frames) };
  }

  private frameState(state: DebuggerState, level: number): number {
    return this.states.get(`${this.finder.of(state, level).join()} ${level === 0}`) ?? this.root;
  }
}
