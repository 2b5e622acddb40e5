/** What the grammars of steps and of breakpoints are made of. */
import { ForetraceError } from '../../errors.js';
import { type Action, isReverse } from '../action.js';
import type { Program } from '../program.js';
import { Automaton, flag, type GrammarData, grammarBytes } from './automaton.js';
import { FrameAutomaton } from './frame-automaton.js';
import { ScopeFinder } from './scope-finder.js';
import { special } from './tokens.js';
import { addValueStates } from './value-automaton.js';

export interface GrammarOptions {
  /** Most tokens of one value; then it ends by the shortest way. */
  readonly valueTokens: number;
  /** Most frames entered in one answer. */
  readonly enteredFrames: number;
}

/** Where the automaton starts: its state and its frame stack, bottom first. */
export interface GrammarStart {
  readonly state: number;
  readonly frames: Int32Array;
}

export type Direction = 'forward' | 'reverse';
export const directionOf = (action: Action): Direction => (isReverse(action.kind) ? 'reverse' : 'forward');
/** The event after which a frame is gone, in this direction. */
export const lastEvent = { forward: 'return', reverse: 'call' } as const;
export const sameFrame = {
  forward: ['line', 'exception', 'return'],
  reverse: ['call', 'line', 'exception'],
} as const;
export const otherFrame = { forward: 'call', reverse: 'return' } as const;
/** Bytes of a state that is found by its name. */
const bytesPerName = 112;

export abstract class QuestionAutomaton {
  abstract readonly data: GrammarData;
  protected readonly states = new Map<string, number>();
  protected readonly automaton = new Automaton();
  protected readonly frames: FrameAutomaton;
  protected readonly finder: ScopeFinder;

  constructor(
    protected readonly program: Program,
    protected readonly options: GrammarOptions,
  ) {
    const values = addValueStates(this.automaton, program.slotNames.length, options.valueTokens);
    this.frames = new FrameAutomaton(program, this.automaton, values, options.valueTokens);
    this.finder = new ScopeFinder(program);
  }

  /** Estimate of the memory it takes, the program that it holds included. */
  get bytes(): number {
    return grammarBytes(this.data) + this.states.size * bytesPerName + this.program.bytes;
  }

  /** A state that must leave the current frame and goes on at `next`. */
  protected popTo(next: number): number {
    return this.automaton.once(`pop to ${next}`, flag.none, (state) =>
      this.automaton.goto(state, special.pop, next),
    );
  }

  /** The grammar of all states made so far; no more are made. */
  protected finish(): GrammarData {
    this.frames.finish();
    return this.automaton.finish();
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
