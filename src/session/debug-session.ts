/** One user's debugging session: a program, the states visited so far as a tree, and a cursor. */
import { type Action, takesLines } from '../debugger/action.js';
import { entryState } from '../debugger/entry.js';
import type { DecodedPart, FieldProbability } from '../debugger/language/decode.js';
import { grammarOf, type ProgramGrammar } from '../debugger/language/grammar.js';
import { checkAction, checkState, isAtEnd, isAtStart } from '../debugger/navigate.js';
import type { Program } from '../debugger/program.js';
import { currentFrame, type DebuggerState, type Frame } from '../debugger/state.js';
import { ForetraceError } from '../errors.js';
import type { Priority, Sampling, TokenCounts } from '../scheduler/request.js';
import { askModel, type ModelAccess, type ModelReply } from './ask-model.js';

export type AnswerOrigin = 'model' | 'cache' | 'derived' | 'given';

/** A visited state and how it came about. */
export interface Answer {
  /** Number in its session, from 1. */
  readonly number: number;
  /** State it was reached from; 0 = none. */
  readonly parent: number;
  /** null: the start or an edit. */
  readonly action: Action | null;
  readonly state: DebuggerState;
  readonly origin: AnswerOrigin;
  readonly probability: FieldProbability;
  readonly counts: TokenCounts;
  readonly queueMillis: number;
  readonly computeMillis: number;
  readonly preemptions: number;
  /** Real steps from the parent, 0 = unknown. */
  readonly horizon: number;
  readonly atStart: boolean;
  readonly atEnd: boolean;
}

export interface ActOptions {
  /** State to start from; 0 or absent: the cursor. */
  readonly from?: number;
  /** Fairness account of the caller; the session's own if left out. */
  readonly client?: string;
  readonly priority?: Priority;
  readonly fresh?: boolean;
  readonly signal?: AbortSignal;
  readonly onPart?: (part: DecodedPart) => void;
}

export interface SessionSettings {
  readonly id: string;
  readonly client: string;
  readonly sampling: Sampling;
  /** Oldest states beyond this number are forgotten (never the cursor). */
  readonly maxStates: number;
}

const noTokens: TokenCounts = { cached: 0, new: 0, forced: 0, drafted: 0, accepted: 0 };
const certain: FieldProbability = { event: 1, line: 1, locals: new Map() };

export class DebugSession {
  readonly program: Program;
  readonly settings: SessionSettings;
  private readonly access: ModelAccess;
  private readonly grammar: ProgramGrammar;
  private readonly visited = new Map<number, Answer>();
  private nextNumber = 1;
  private cursor = 0;
  private moving = false;

  /** Use `openSession` or `fork`; a session without a state is of no use to anyone. */
  private constructor(
    access: ModelAccess,
    program: Program,
    grammar: ProgramGrammar,
    settings: SessionSettings,
  ) {
    this.access = access;
    this.program = program;
    this.grammar = grammar;
    this.settings = settings;
  }

  /**
   * Opens a session at `start`, else at the entry's call: derived when the arguments are literals, else predicted.
   * @throws ForetraceError invalid_state, and what askModel throws
   */
  static async open(
    access: ModelAccess,
    program: Program,
    settings: SessionSettings,
    options: ActOptions & { start?: DebuggerState } = {},
  ): Promise<DebugSession> {
    if (program.scopes.length === 0) {
      throw new ForetraceError('invalid_entry', 'the program has no function that the entry could enter', {
        expected: 'a call that enters a function of the program',
        actual: program.call,
      });
    }
    const session = new DebugSession(access, program, grammarOf(program), settings);
    const known = options.start ?? entryState(program);
    if (known) {
      checkState(program, known);
      session.add(session.given(0, known));
    } else {
      session.add(await session.predict(null, { kind: 'step_into', lines: [] }, options));
    }
    return session;
  }

  get current(): Answer {
    return this.answer(0);
  }

  /** The visited state with this number, 0 = the cursor's. @throws ForetraceError unknown_state */
  answer(number: number): Answer {
    const answer = this.visited.get(number === 0 ? this.cursor : number);
    if (answer) return answer;
    throw new ForetraceError('unknown_state', `session ${this.settings.id} holds no state ${number}`, {
      expected: `a number from 1 to ${this.nextNumber - 1} that is still held`,
      actual: String(number),
    });
  }

  /** All states still held, oldest first. */
  answers(): Answer[] {
    return [...this.visited.values()];
  }

  /**
   * Predicts the state `action` leads to and moves the cursor there. Without `from` one action at a time may run.
   * On any error the session is as it was.
   * @throws ForetraceError busy, unknown_state, past_end, past_start, invalid_action, invalid_breakpoint, and what askModel throws
   */
  async act(action: Action, options: ActOptions = {}): Promise<Answer> {
    const fromCursor = !options.from;
    if (fromCursor && this.moving) {
      throw new ForetraceError('busy', 'the session is still answering an earlier action', {
        expected: 'an action after the answer, or one with an explicit `from`',
      });
    }
    const before = this.answer(options.from ?? 0);
    checkAction(this.program, before.state, action);
    if (fromCursor) this.moving = true;
    try {
      return this.add(await this.predict(before, action, options));
    } finally {
      if (fromCursor) this.moving = false;
    }
  }

  /**
   * A new state in which locals of the current frame have other values: a new branch, origin `given`.
   * @throws ForetraceError invalid_state when a name is not one of the frame's, or one to be deleted has no value
   */
  edit(from: number, locals: ReadonlyMap<string, string>, deleted: readonly string[] = []): Answer {
    const before = this.answer(from);
    const frame = currentFrame(before.state);
    const changed = new Map([...frame.locals, ...locals]);
    for (const name of deleted) {
      if (changed.delete(name)) continue;
      throw new ForetraceError('invalid_state', `the frame has no local ${JSON.stringify(name)} to delete`, {
        expected: `one of ${[...frame.locals.keys()].join(', ')}`,
        actual: name,
      });
    }
    const edited: Frame = { ...frame, locals: this.program.sortLocals(changed) };
    const state: DebuggerState = { ...before.state, frames: [...before.state.frames.slice(0, -1), edited] };
    checkState(this.program, state);
    return this.add(this.given(before.number, state));
  }

  /** Moves the cursor to a visited state. @throws ForetraceError unknown_state */
  goto(number: number): Answer {
    const answer = this.answer(number);
    this.cursor = answer.number;
    return answer;
  }

  /** An independent session of `client` over the same program with all states visited so far; its cursor stands at `at`. */
  fork(id: string, at = 0, client = this.settings.client): DebugSession {
    const target = this.answer(at);
    const copy = new DebugSession(this.access, this.program, this.grammar, { ...this.settings, id, client });
    for (const [number, answer] of this.visited) copy.visited.set(number, answer);
    copy.nextNumber = this.nextNumber;
    copy.cursor = target.number;
    return copy;
  }

  private async predict(before: Answer | null, action: Action, options: ActOptions): Promise<Answer> {
    const reply = await askModel(this.access, {
      program: this.program,
      grammar: this.grammar,
      state: before?.state ?? null,
      action,
      sampling: this.settings.sampling,
      client: options.client ?? this.settings.client,
      priority: options.priority ?? 'interactive',
      fresh: options.fresh ?? false,
      ...(options.signal ? { signal: options.signal } : {}),
      ...(options.onPart ? { onPart: options.onPart } : {}),
    });
    return this.predicted(before?.number ?? 0, before ? action : null, reply);
  }

  private predicted(parent: number, action: Action | null, { delta, result }: ModelReply): Answer {
    return {
      number: 0,
      parent,
      action,
      state: delta.state,
      origin: result.origin,
      probability: delta.probability,
      counts: result.counts,
      queueMillis: result.queueMillis,
      computeMillis: result.computeMillis,
      preemptions: result.preemptions,
      horizon: action === null || isSingleStep(action) ? 1 : 0,
      atStart: isAtStart(delta.state, this.program),
      atEnd: isAtEnd(delta.state, this.program),
    };
  }

  private given(parent: number, state: DebuggerState): Answer {
    return {
      number: 0,
      parent,
      action: null,
      state,
      origin: 'given',
      probability: certain,
      counts: noTokens,
      queueMillis: 0,
      computeMillis: 0,
      preemptions: 0,
      horizon: 0,
      atStart: isAtStart(state, this.program),
      atEnd: isAtEnd(state, this.program),
    };
  }

  private add(unnumbered: Answer): Answer {
    const answer = { ...unnumbered, number: this.nextNumber++ };
    this.visited.set(answer.number, answer);
    this.cursor = answer.number;
    for (const number of this.visited.keys()) {
      if (this.visited.size <= this.settings.maxStates) break;
      if (number !== this.cursor) this.visited.delete(number);
    }
    return answer;
  }
}

const isSingleStep = (action: Action): boolean =>
  !takesLines(action.kind) && action.kind.endsWith('step_into');
