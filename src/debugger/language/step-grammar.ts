/** The automaton of a program's answers to all actions without lines in one direction, and to expressions. */

import { ForetraceError } from '../../errors.js';
import type { Action } from '../action.js';
import { dropsNothing } from '../dropped.js';
import type { Program, Scope } from '../program.js';
import { type DebuggerState, depth, isBeforeEntry } from '../state.js';
import { flag, type GrammarData } from './automaton.js';
import type { ScopeSet } from './frame-automaton.js';
import {
  type Direction,
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
import { beginningLines, isGeneratorFunction, waitingLines } from './suspending.js';
import { special } from './tokens.js';

/** What goes over all that a generator gives, and what gives it on. */
const [takers, givesOn] = [/\b(?:list|tuple|sorted|join)\s*\(/, /\byield\s+from\b/];

export class StepGrammar extends QuestionAutomaton {
  readonly data: GrammarData;
  /** Where the answer to an expression starts. */
  readonly evaluation: number;

  constructor(
    program: Program,
    options: GrammarOptions,
    private readonly direction: Direction,
  ) {
    super(program, options);
    const root = this.outside();
    this.keep('outside', root);
    this.keep('pop root', this.popTo(root));
    const popAll = this.automaton.once('pop all', flag.none, (state) =>
      this.automaton.leave(state, special.pop),
    );
    this.keep('pop all', popAll);
    this.keep('outer', this.otherCallEnds());
    for (const set of this.finder.sets()) this.addSet(set);
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

  private addSet(set: ScopeSet): void {
    const name = set.join();
    this.addSteps(set, name);
    const scope = set.length === 1 ? this.program.scopes[set[0] as number] : undefined;
    const constraints = scope && stepConstraints(scope, this.direction, (line) => this.continuing(line));
    for (const constraint of constraints ?? [perhapsDecided])
      this.addSteps(set, `${name} ${constraint.name}`, constraint);
    this.keep(`end ${name}`, this.endOf(set));
    this.keep(`last ${name}`, this.last(set));
  }

  private addSteps(set: ScopeSet, name: string, constraint?: StepConstraint): void {
    const into = this.step(set, true, constraint);
    this.keep(`into ${name}`, into);
    this.keep(`pop into ${name}`, this.popTo(into));
    this.keep(`over ${name}`, this.step(set, false, constraint));
  }

  /** What may be called again on a line: lines on which generator functions wait, and the first lines of those that wait anywhere. */
  private continuing(line: number): readonly number[] {
    const text = this.program.lines[line - 1] ?? '';
    const again = takers.test(text) ? this.generators().flatMap(waitingLines) : [];
    const inner = givesOn.test(text)
      ? this.generators().filter((scope) => waitingLines(scope).length > 0)
      : [];
    return [...again, ...inner.map(({ firstLine }) => firstLine)];
  }

  private generators(): readonly Scope[] {
    return this.program.scopes.filter(isGeneratorFunction);
  }

  /** No frame of the program is left: the entry makes another call (going back: came back from one). */
  private outside(): number {
    return this.automaton.once('outside', flag.none, (state) => {
      this.frames.event(state, otherFrame[this.direction], this.finder.all, 'entered');
    });
  }

  /** The same frame, or with `into` the frame it enters; perhaps first what a condition came to. */
  private step(set: ScopeSet, into: boolean, constraint?: StepConstraint): number {
    const name = `step ${set.join()} ${into} ${constraint?.name}`;
    return this.automaton.once(name, flag.none, (state) => {
      for (const event of sameFrame[this.direction]) {
        const isPassed = event === 'exception' ? constraint?.comesFirst : constraint?.enters;
        if (into && isPassed) continue;
        const lines = constraint === undefined ? null : constraint.events.get(event);
        const isKept = (line: number): boolean => !into || event !== 'line' || !constraint?.passed?.has(line);
        const only = lines && new Set([...lines].filter(isKept));
        if (only !== undefined) this.frames.event(state, event, set, 'known', only ?? undefined);
      }
      const waits = constraint?.waits;
      const entered = into && waits?.size !== 0 ? this.entering(constraint) : undefined;
      if (entered !== undefined) this.frames.push(state, set, 'known', entered, waits ?? undefined);
      if (constraint?.outcomes !== undefined) {
        const { holds, fails } = constraint.outcomes;
        if (holds) this.automaton.goto(state, special.holds, this.step(set, false, holds));
        if (fails) this.automaton.goto(state, special.fails, this.step(set, false, fails));
      }
    });
  }

  /** The first event of a function that is entered (going back, its last one); undefined if there is none. */
  private entering(constraint?: StepConstraint): number | undefined {
    const { entered, gave, begins, continues } = constraint ?? {};
    if (continues !== undefined) return this.calledAgain(continues);
    if (entered === undefined && !gave) return this.outside();
    const scopes = this.program.scopes.filter(({ firstLine }) => entered?.has(firstLine) !== false);
    const from = gave ? givingLines : begins ? beginningLines : undefined;
    const lines = from && new Set(scopes.flatMap(from));
    if (scopes.length === 0 || lines?.size === 0) return undefined;
    const set = scopes.map(({ index }) => index);
    return this.automaton.once(`entering ${set.join()} ${gave} ${begins}`, flag.none, (state) => {
      this.frames.event(state, otherFrame[this.direction], set, 'entered', lines);
    });
  }

  /** A generator function that goes on where it waits on this line, or one that begins on it, wherever it waits. */
  private calledAgain(line: number): number {
    const first = this.generators().filter(({ firstLine }) => firstLine === line);
    const scopes =
      first.length > 0 ? first : this.generators().filter(({ callLines }) => callLines.includes(line));
    const lines = first.length > 0 ? first.flatMap(waitingLines) : [line];
    return this.automaton.once(`called again ${line}`, flag.none, (state) => {
      this.frames.event(
        state,
        'call',
        scopes.map(({ index }) => index),
        'entered',
        new Set(lines),
      );
    });
  }

  private endOf(set: ScopeSet): number {
    return this.automaton.once(`end ${set.join()}`, flag.none, (state) => {
      this.frames.event(state, lastEvent[this.direction], set, 'known');
    });
  }

  /** The outermost frame at its end; where the entry makes several calls, perhaps the end of another one. */
  private last(set: ScopeSet): number {
    return this.automaton.once(`last ${set.join()}`, flag.none, (state) => {
      this.frames.event(state, lastEvent[this.direction], set, 'known');
      if (this.program.hasSeveralCalls) this.automaton.leave(state, special.pop);
    });
  }

  private otherCallEnds(): number {
    return this.automaton.once('other', flag.none, (state) => {
      this.frames.event(state, lastEvent[this.direction], this.finder.all, 'entered');
    });
  }

  start(state: DebuggerState | null, action: Action, known: Known = {}): GrammarStart {
    const none = new Int32Array(0);
    if (state === null || isBeforeEntry(state)) {
      if (action.kind !== 'step_into')
        throw new ForetraceError('invalid_action', 'Before the entry only step_into is possible.');
      return { state: this.find('outside'), frames: none };
    }
    const level = depth(state) - 1;
    const isDone = state.event === lastEvent[this.direction];
    if (isDone && level === 0 && !this.program.hasSeveralCalls) throw this.end(this.direction);
    if (action.kind === 'continue' || action.kind === 'inv_continue') return this.continueFrom(state, isDone);
    if (isDone) {
      const target = level === 0 ? this.find('pop root') : this.stepFrom('pop into', state, level - 1, known);
      return { state: target, frames: none };
    }
    const kind = {
      into: ['step_into', 'inv_step_into'],
      over: ['step_over', 'inv_step_over'],
      end: ['step_return', 'inv_step_call'],
    };
    const which = Object.entries(kind).find(([, kinds]) => kinds.includes(action.kind))?.[0];
    return { state: this.stepFrom(`${which}`, state, level, known), frames: none };
  }

  /** The start of an action in frame `level`, by what its line allows if that is known. */
  private stepFrom(which: string, state: DebuggerState, level: number, known: Known): number {
    const set = this.finder.of(state, level);
    const name = `${which} ${set.join()}`;
    const scope = set.length === 1 ? this.program.scopes[set[0] as number] : undefined;
    const { line, lineBefore } = state.frames[level - state.hiddenFrames] ?? {};
    if (which === 'end' || line === undefined) return this.find(name);
    const event = level === depth(state) - 1 ? state.event : 'paused';
    if (scope === undefined) {
      const isCondition = set.some((index) => this.program.scopes[index]?.flow?.conditions.has(line));
      const decides = isCondition && event === 'line' && this.direction === 'forward';
      return this.find(decides ? `${name} ${perhapsDecided.name}` : name);
    }
    const isPlain = event === 'paused' && dropsNothing(this.program, state);
    const constraint = stepConstraint(scope, this.direction, { event, line, lineBefore, isPlain, ...known });
    if (constraint === undefined) return this.find(name);
    // Of very many ways to a line, and of what a line may call, some are not told apart.
    const own = `${name} ${constraint.name}`;
    const { ways, callee, next } = known;
    const isLess = ways === undefined && callee === undefined && next === undefined;
    if (isLess || this.states.has(own)) return this.find(own);
    return this.stepFrom(which, state, level, { ended: known.ended });
  }

  /** All frames but the outermost are left. */
  private continueFrom(state: DebuggerState, isDone: boolean): GrammarStart {
    const level = depth(state) - 1;
    const popAll = this.find('pop all');
    const bottom = this.program.hasSeveralCalls ? [this.find('outer')] : [];
    const outermost = this.find(`last ${this.finder.of(state, 0).join()}`);
    if (level === 0) return { state: isDone ? popAll : outermost, frames: Int32Array.from(bottom) };
    const frames = [...bottom, outermost, ...new Array<number>(level - 1).fill(popAll)];
    return { state: popAll, frames: Int32Array.from(frames) };
  }
}
